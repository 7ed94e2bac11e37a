"""The initial design: points spread over the unit cube before a model can say anything."""

from typing import Literal

import numpy as np

from taut.arrays import Array
from taut.problem import Problem
from taut.quasirandom import latin_hypercube

Kind = Literal["coupled", "independent"]


def usual_size(problem: Problem) -> int:
    """The size of an initial design unless the user says otherwise."""
    return max(6, 2 * (problem.dimension + 1))


def initial_design(problem: Problem, kind: Kind, size: int, seed: int) -> list[tuple[Array, tuple[str, ...]]]:
    """Pairs of a point [d] and the functions to evaluate there.

    coupled: one Latin hypercube of `size` points, all functions at each. independent: one Latin hypercube per
    unit (group or single function), one unit at each of the size * units points, the units taking turns.
    """
    rng = np.random.default_rng([seed])
    if kind == "coupled":
        return [(u, problem.functions) for u in latin_hypercube(size, problem.dimension, rng)]
    cubes = [latin_hypercube(size, problem.dimension, rng) for _ in problem.units]
    return [(cube[i], unit.functions) for i in range(size) for cube, unit in zip(cubes, problem.units, strict=True)]
