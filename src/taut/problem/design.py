"""Where a study may go, and its initial design: points spread over that before a model can say anything."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np

from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.base.errors import ProblemError
from taut.problem.gradients import require_gradients
from taut.problem.limits import KnownLimits
from taut.problem.problem import Problem
from taut.problem.space import everywhere, from_unit

Kind = Literal["coupled", "independent"]


MOST = 10000
"""Points of an initial design: more are a mistake, and would not fit into memory."""


GRADIENTS = 12
"""Points at which a given gradient is compared with differences."""


def usual_size(problem: Problem) -> int:
    """The size of an initial design unless the user says otherwise."""
    return max(6, 2 * (len(problem.parameters) + 1))


def domain(problem: Problem) -> Domain:
    """The admissible points of the unit cube."""
    return everywhere(problem) if len(problem.simulated) == len(problem.functions) else _limited(problem)


@lru_cache(maxsize=32)
def _limited(problem: Problem) -> Domain:
    """The same where known functions limit it; kept, because points inside may be hard to find."""
    return replace(everywhere(problem), limits=KnownLimits(problem))


def require_region(problem: Problem) -> None:
    """Raise ProblemError if no point meets the known constraints: before anything is paid for."""
    within = domain(problem)
    region = within.region
    if region is None or len(region.pool):
        return
    closest = from_unit(problem, region.closest)
    why = "; ".join(KnownLimits(problem).troubles(closest)) or "rounding decides"
    where = "a search from many starts" if within.members is None else f"all {within.combinations} combinations"
    got = f"none in {where}; the closest is {closest}, where {why}"
    raise ProblemError.of("Problem", "points that meet all known constraints", got, "widen limits or correct a formula")


def initial_design(problem: Problem, kind: Kind, size: int, seed: int) -> list[tuple[Array, tuple[str, ...]]]:
    """Pairs of a point [d] and the functions to evaluate there.

    coupled: one Latin hypercube of `size` points, all functions at each. independent: one Latin hypercube per
    bundle (group or single function), one bundle at each of the size * bundles points, the bundles taking turns. Known
    functions are evaluated nowhere, and known constraints hold at every point.
    """
    require_region(problem)
    within = domain(problem)
    if any(problem.function(name).gradient is not None for name in problem.functions):
        require_gradients(problem, within.sample(GRADIENTS, np.random.default_rng([GRADIENTS])))
    if not problem.simulated:
        return []
    rng = np.random.default_rng([seed])
    if kind == "coupled":
        return [(within.settled(u), problem.simulated) for u in within.design(size, rng)]
    cubes = [within.design(size, rng) for _ in problem.bundles]
    return [
        (within.settled(cube[i]), bundle.functions)
        for i in range(size)
        for cube, bundle in zip(cubes, problem.bundles, strict=True)
        if i < len(cube)
    ]
