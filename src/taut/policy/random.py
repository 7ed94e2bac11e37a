"""Random search: a uniform point; all functions there, or one bundle chosen at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.data.dataset import Proposal, Request
from taut.policy.context import Decision, Method


@dataclass(frozen=True)
class Random(Method):
    """Evaluate everything at a uniformly random point; one affordable bundle if everything is too expensive."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        everything = tuple(range(len(decision.names)))
        x = rng.random(request.dataset.dimension)
        S = (
            everything
            if decision.affordable(everything)
            else decision.bundles[int(rng.integers(len(decision.bundles)))]
        )
        return Proposal(x, tuple(decision.names[k] for k in S), "uniformly random point", {})
