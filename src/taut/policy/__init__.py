"""One small class per method; `make` turns a method's name into its policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from taut.errors import UnknownNameError, listed
from taut.policy.confidence import UpperConfidence
from taut.policy.entropy import PredictiveEntropy
from taut.policy.improvement import CoupledEI, ImprovementPlus
from taut.policy.knowledge import CoupledKG, DecoupledKG
from taut.policy.maxvalue import MaxValueEntropy
from taut.policy.settings import Settings, settings
from taut.policy.uniform import Random

if TYPE_CHECKING:
    from taut.policy.base import Recommender

METHODS: dict[str, Callable[[Settings], Recommender]] = {
    "dckg": DecoupledKG,
    "dckg-uncoupled": lambda chosen: DecoupledKG(chosen, coupled=False),
    "cei+": ImprovementPlus,
    "ucb-d": UpperConfidence,
    "cmes": MaxValueEntropy,
    "pesc": PredictiveEntropy,
    "pesc-coupled": lambda chosen: PredictiveEntropy(chosen, coupled=True),
    "ckg": CoupledKG,
    "cei": CoupledEI,
    "random": Random,
}


def make(method: str, preset: str | None = None, options: Mapping[str, Any] | None = None) -> Recommender:
    """The policy of a method."""
    if method not in METHODS:
        raise UnknownNameError(f"method: expected one of {listed(METHODS)}, got {method!r}.")
    return METHODS[method](settings(preset, options))
