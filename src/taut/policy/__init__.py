"""One small class per method; `make` turns a method's name into its policy.

Reading order: sizes, look_settings, question_settings, settings, options, menu, search.optimum, search.inner,
search.focus, context, settled, coarse, belief, survey, honesty, relevance, program, prices, gains, behind, explain,
fallback, instalments, best_known, noisy_answer, verify, waiting, known_verdicts, verdicts, outlook, ending, method,
search.pricing, search.ei_maxima, search.sets, search.subsets, search.ahead, search.candidates, search.lookahead_maxima,
search.finalists, search.path_optima, search.criterion_search, ei, finish, unseen, sceptic, meeting, kg, pesc, cmes,
ucbd, random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from taut.base.errors import UnknownNameError, listed
from taut.policy.cmes import MaxValueEntropy
from taut.policy.ei import CoupledEI, ImprovementPlus
from taut.policy.kg import CoupledKG, DecoupledKG
from taut.policy.options import settings
from taut.policy.pesc import PredictiveEntropy
from taut.policy.random import Random
from taut.policy.settings import Settings
from taut.policy.ucbd import UpperConfidence

if TYPE_CHECKING:
    from taut.policy.method import Method

METHODS: dict[str, Callable[[Settings], Method]] = {
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


def make(method: str, preset: str | None = None, options: Mapping[str, Any] | None = None) -> Method:
    """The policy of a method."""
    if method not in METHODS:
        raise UnknownNameError(f"method: expected one of {listed(METHODS)}, got {method!r}.")
    return METHODS[method](settings(preset, options))
