"""The best point of a problem that is all formula: nothing has to be evaluated, so the search may take its time.

A domain without real parameters is looked at whole while that is possible. Elsewhere many ascents start from the best
of many quasi-random points, and sequential quadratic programming polishes the best ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions
from taut.base.distinct import best_apart
from taut.base.domain import Domain
from taut.base.knob import NEVER_TUNED, knob
from taut.base.slsqp import NonlinearProgram
from taut.policy.context import Context
from taut.surrogate.gp import GP


@dataclass(frozen=True)
class BestKnownSettings:
    """Of the search where every function is known."""

    enumerated: int = knob(10_000_000, "designs without real parameters that are all looked at", NEVER_TUNED)
    raw: int = knob(8192, "otherwise quasi-random points,", NEVER_TUNED)
    starts: int = knob(64, "ascents from the best of them,", NEVER_TUNED)
    polished: int = knob(8, "and ends that are polished", NEVER_TUNED)
    climb: AscentOptions = knob(AscentOptions(calls=150, tolerance=1e-12, rounds=40), "of the ascents", NEVER_TUNED)
    tolerance: float = knob(1e-12, "of sequential quadratic programming,", NEVER_TUNED)
    steps: int = knob(200, "and its steps", NEVER_TUNED)


BEST_KNOWN = BestKnownSettings()
BLOCK = 200_000  # designs at a time


def best_known(context: Context, settings: BestKnownSettings = BEST_KNOWN) -> Array:
    """argmax of the objective over the domain; [d]."""
    domain, f = context.domain, context.posteriors[0]
    if domain.finite and domain.combinations <= settings.enumerated:
        return _of_all(domain, f)
    points = np.vstack([context.starts, domain.sample(settings.raw, context.generator("raw"))])
    starts = points[best_apart(points, f.mean(points)[0], settings.starts)]

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        value, slope = f.mean_with_gradient(x)
        return value / f.scale, slope / f.scale

    found = domain.ascend(score, starts, settings.climb)
    ends = found.x[np.argsort(-found.value, kind="stable")]
    solved = [domain.solve(_Top(f), x, settings.tolerance, settings.steps) for x in ends[: settings.polished]]
    both = np.vstack([ends, *(x[None, :] for x in solved if x is not None)])
    best: Array = both[int(np.argmax(f.mean(both)[0]))]
    return best


def _of_all(domain: Domain, f: GP) -> Array:
    """The best of all designs; of equals the first."""
    best, height = np.zeros(domain.dimension), -np.inf
    for first in range(0, domain.combinations, BLOCK):
        index = np.arange(first, min(first + BLOCK, domain.combinations))
        points = domain.inside(domain.combination(index))
        values = f.mean(points)[0] if len(points) else np.empty(0)
        if values.max(initial=-np.inf) > height:
            best, height = points[int(np.argmax(values))], float(values.max())
    return best


class _Top(NonlinearProgram):
    """max f, in its scale."""

    def __init__(self, f: GP) -> None:
        super().__init__(False)
        self.f = f

    def objective(self, x: Array) -> tuple[float, Array]:
        value, slope = self.f.mean_with_gradient(x[None, :])
        return -float(value[0]) / self.f.scale, -slope[0] / self.f.scale

    def limits(self, x: Array) -> tuple[Array, Array]:
        return np.empty(0), np.empty((0, len(x)))
