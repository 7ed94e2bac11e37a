"""The best feasible value of a changed problem, by brute force: clouds around the exact optimum and the best so far.

Where values are not changed (exact, failures away from the optimum) it is the known one. Where every place has an error
of its own (solver noise), it is the luckiest of some ten thousand draws, so that only differences between opportunity
costs say something there.
"""

import math
from functools import cache

import numpy as np

from arena.variants import CHANGES, Changed
from taut.base.arrays import Array

TOLERANCE = 1e-6
"""Of a constraint's range: an answer that violates it by less is feasible, as in the scores of the test problems."""
ROUNDS = (
    (0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4),
    (0.02, 5e-3, 1e-3, 2e-4, 5e-5, 1e-5),
    (1e-3, 1e-4, 1e-5, 1e-6),
    (1e-4, 1e-5, 1e-6, 1e-7),
    (1e-5, 1e-6, 1e-7, 1e-8),
)
"""Sizes of the clouds; each round starts from the best place of the one before."""
EACH = 500
"""Places a cloud and dimension."""


@cache
def reference(changed: Changed) -> tuple[float, tuple[float, ...]]:
    """The best value (-inf if none is feasible) and where, in the unit cube."""
    if changed.variant not in CHANGES:
        return changed.bench.optimum, tuple(map(float, changed.box.optimum))
    return searched(changed, changed.box.optimum)


def searched(changed: Changed, at: Array) -> tuple[float, tuple[float, ...]]:
    """The same by brute force from a place [d]."""
    rng = np.random.default_rng(0)
    d = len(at)
    best = score(changed, at)
    for sizes in ROUNDS:
        centre = at
        for size in sizes:
            for _ in range(EACH * d):
                start = at if rng.random() < 0.5 else centre
                u = np.clip(start + size * rng.standard_normal(d) * (rng.random(d) < 0.7), 0.0, 1.0)
                value = score(changed, u)
                if value > best:
                    best, at = value, u
    return best, tuple(map(float, at))


def score(changed: Changed, u: Array) -> float:
    """The objective where u [d] is feasible and computable, else -inf. Constraints stop at the first violated one."""
    point = changed.box.point(u)
    for name in changed.bench.constraint_ranges:
        value = changed(name, point)
        if value is None or value > 0.0:
            return -math.inf
    found = changed(changed.objective, point)
    return -math.inf if found is None else found


def opportunity_cost(changed: Changed, values: dict[str, float | None]) -> float:
    """What answering with these values costs: max(0, best - f) if feasible, best - penalty if not or not computable."""
    best, _ = reference(changed)
    f = values[changed.objective]
    if f is None or not changed.violation(values) <= TOLERANCE:
        return best - changed.bench.penalty
    return max(0.0, best - f)
