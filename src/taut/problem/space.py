"""Points in the user's units and in the unit cube."""

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.problem.discrete import Parameter
from taut.problem.parameters import Real
from taut.problem.problem import Problem


def places(problem: Problem) -> list[tuple[Parameter, slice]]:
    """Every parameter with its columns."""
    ends = accumulate(parameter.width for parameter in problem.parameters)
    return [(each, slice(end - each.width, end)) for each, end in zip(problem.parameters, ends, strict=True)]


def ties(problem: Problem) -> tuple[int, ...]:
    """The number of the parameter of each column [d]; empty if every parameter has one column."""
    if problem.dimension == len(problem.parameters):
        return ()
    return tuple(k for k, each in enumerate(problem.parameters) for _ in range(each.width))


def everywhere(problem: Problem) -> Domain:
    """The admissible points of the unit cube, whatever known constraints say."""
    levels = (parameter.levels(columns.start) for parameter, columns in places(problem))
    return Domain(problem.dimension, tuple(part for part in levels if part is not None))


def to_unit(problem: Problem, point: Mapping[str, Any]) -> Array:
    """The point (user units) as a row of the unit cube, [d]."""
    coordinates = [u for parameter in problem.parameters for u in parameter.place(point[parameter.name])]
    return np.array(coordinates, dtype=np.float64)


def _to_units(problem: Problem, points: Sequence[tuple[Any, ...]]) -> Array:
    """Many points at once, the same to the last bit; [m, d]."""
    units = np.empty((len(points), problem.dimension))
    if points:
        for (parameter, columns), values in zip(places(problem), zip(*points, strict=True), strict=True):
            units[:, columns] = parameter.places(values)
    return units


def from_unit(problem: Problem, u: Array) -> dict[str, Any]:
    """The inverse of to_unit; entries outside [0, 1] are clipped. u: [d]."""
    coordinates = [float(entry) for entry in u]
    return {parameter.name: parameter.value_at(coordinates[columns]) for parameter, columns in places(problem)}


def user_values(problem: Problem, x: Array, names: Collection[str]) -> dict[str, Array]:
    """The values of some parameters at points x [q, d] of the cube, in the user's units; [q] each.

    Like from_unit of every point, but for the last digit.
    """
    return {
        parameter.name: parameter.values_at(x[:, columns])
        for parameter, columns in places(problem)
        if parameter.name in names
    }


def real_columns(problem: Problem) -> dict[str, tuple[int, Real]]:
    """The real parameters, each with its column of the unit cube."""
    return {each.name: (columns.start, each) for each, columns in places(problem) if isinstance(each, Real)}
