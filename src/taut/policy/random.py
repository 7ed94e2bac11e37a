"""Random search: a uniform point; all functions there, or one bundle chosen at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.base.domain import ENUMERATED
from taut.data.dataset import Proposal, Request
from taut.data.exhausted import ExhaustedError
from taut.policy.context import Context
from taut.policy.menu import Menu
from taut.policy.method import Method

REDRAWS = 100
"""Places that are drawn, where costs depend on them, to find one where something can be paid."""


@dataclass(frozen=True)
class Random(Method):
    """Evaluate everything at a uniformly random point; one affordable bundle if everything is too expensive."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        menu = Context.of(request, self.settings, rng).offer  # no model is needed to choose by chance
        x = _place(menu, rng)
        for _ in range(REDRAWS):  # where costs depend on the place, all that is left may be too little there
            bundles = [bundle for bundle in menu.bundles if menu.affordable(bundle, x)]
            if bundles:
                break
            x = _place(menu, rng)
        S = menu.everything
        if not menu.affordable(S, x):
            bundles = bundles or list(menu.bundles)
            S = bundles[int(rng.integers(len(bundles)))]
        return Proposal(x, tuple(menu.names[k] for k in S), "uniformly random point", {})


def _place(menu: Menu, rng: np.random.Generator) -> Array:
    """A random point [d]; of a finite domain one where something is not known yet."""
    if not menu.domain.finite:
        return menu.domain.draw(rng)
    for x in rng.permutation(menu.domain.sample(ENUMERATED, rng)):
        if menu.evaluable(x, menu.everything):
            return np.asarray(x)
    raise ExhaustedError("everything is known")
