"""The initial design: points spread over the unit cube before a model can say anything."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import numpy as np

from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.problem.parameters import Real
from taut.problem.problem import Problem

Kind = Literal["coupled", "independent"]


def usual_size(problem: Problem) -> int:
    """The size of an initial design unless the user says otherwise."""
    return max(6, 2 * (problem.dimension + 1))


def domain(problem: Problem) -> Domain:
    """The admissible points of the unit cube."""
    return Domain(problem.dimension)


def initial_design(problem: Problem, kind: Kind, size: int, seed: int) -> list[tuple[Array, tuple[str, ...]]]:
    """Pairs of a point [d] and the functions to evaluate there.

    coupled: one Latin hypercube of `size` points, all functions at each. independent: one Latin hypercube per
    bundle (group or single function), one bundle at each of the size * bundles points, the bundles taking turns.
    """
    rng = np.random.default_rng([seed])
    if kind == "coupled":
        return [(u, problem.simulated) for u in domain(problem).design(size, rng)]
    cubes = [domain(problem).design(size, rng) for _ in problem.bundles]
    return [
        (cube[i], bundle.functions) for i in range(size) for cube, bundle in zip(cubes, problem.bundles, strict=True)
    ]


def to_unit(problem: Problem, point: Mapping[str, float]) -> Array:
    """The point (user units) as a row of the unit cube, [d]."""
    return np.array([parameter.to_unit(point[parameter.name]) for parameter in problem.parameters], dtype=np.float64)


def _to_units(problem: Problem, points: Sequence[tuple[float, ...]]) -> Array:
    """Many points at once, the same to the last bit; [m, d]."""
    units = np.array(points, dtype=np.float64).reshape(-1, problem.dimension)
    for column, parameter in zip(units.T, problem.parameters, strict=True):
        if parameter.log:
            column[:] = [parameter.to_unit(value) for value in column]
        else:
            scaled = (column - parameter.low) / (parameter.high - parameter.low)
            np.minimum(np.maximum(scaled, 0.0), 1.0, out=column)
    return units


def from_unit(problem: Problem, u: Array) -> dict[str, float]:
    """The inverse of to_unit; entries outside [0, 1] are clipped. u: [d]."""
    return {
        parameter.name: parameter.from_unit(float(entry))
        for parameter, entry in zip(problem.parameters, u, strict=True)
    }


def user_values(problem: Problem, x: Array, names: Collection[str]) -> dict[str, Array]:
    """The values of some parameters at points x [q, d] of the cube, in the user's units; [q] each.

    Like from_unit of every point, but for the last digit.
    """
    return {
        parameter.name: parameter.from_units(column)
        for column, parameter in zip(x.T, problem.parameters, strict=True)
        if parameter.name in names
    }


def real_columns(problem: Problem) -> dict[str, tuple[int, Real]]:
    """The real parameters, each with its column of the unit cube."""
    return {parameter.name: (k, parameter) for k, parameter in enumerate(problem.parameters)}
