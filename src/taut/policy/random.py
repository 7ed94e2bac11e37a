"""Random search: a uniform point; all functions there, or one bundle chosen at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.method import Method


@dataclass(frozen=True)
class Random(Method):
    """Evaluate everything at a uniformly random point; one affordable bundle if everything is too expensive."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        menu = Context.of(request, self.settings, rng).menu
        x = menu.domain.draw(rng)
        S = menu.everything
        if not menu.affordable(S):
            S = menu.bundles[int(rng.integers(len(menu.bundles)))]
        return Proposal(x, tuple(menu.names[k] for k in S), "uniformly random point", {})
