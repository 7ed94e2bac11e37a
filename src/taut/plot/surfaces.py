"""Slices of all functions through the recommendation, and boundaries in the plane of two parameters.

A grid holds values that the parameter admits, in the user's units; the values of a choice stand side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.data import ledger
from taut.data.designs import holds
from taut.data.history import History
from taut.data.rows import Observation
from taut.data.survey import Survey
from taut.plot.thin import evenly
from taut.problem.problem import Problem
from taut.problem.space import to_unit

ALONG = 49
"""Places of a slice."""
ACROSS = 27
"""Places of each side of a plane."""
NEAR = 0.05
"""Measured values within this distance of a slice (unit cube, other parameters) are shown with it."""
PAIRS = 6
"""Planes shown unless others are asked for."""
POINTS = 400
"""Measured points shown in a plane."""


@dataclass(frozen=True, slots=True)
class Slice:
    """All functions along one parameter, the others as recommended; n places."""

    parameter: str
    values: tuple[Any, ...]
    """In the user's units."""
    survey: Survey
    at: Any
    """The recommended value."""
    measured: dict[str, tuple[tuple[Any, float], ...]]
    """By function: measured near the slice, (value of the parameter, value of the function)."""


Dot = tuple[float, float, bool | None]
"""A point in a plane: did all constraints measured there hold? None if none was measured."""


@dataclass(frozen=True, slots=True)
class Plane:
    """All functions over two parameters, the others as recommended. survey: row by row, the second parameter outer."""

    first: str
    second: str
    across: tuple[float, ...]
    up: tuple[float, ...]
    survey: Survey
    at: tuple[float, float]
    """The recommended values."""
    points: tuple[Dot, ...]
    """Evaluated points, projected."""

    def grid(self, values: Array) -> Array:
        """Values [n m] of the survey as rows (up) and columns (across)."""
        return values.reshape(len(self.up), len(self.across))


def is_numeric(parameter: Any) -> bool:
    """Has it an order? A choice has none."""
    return not hasattr(parameter, "options")


def values_of(parameter: Any, most: int) -> list[Any]:
    """Values to look at, in order: all that are admissible, or so many of them."""
    if not is_numeric(parameter):
        return list(parameter.options)
    listed = getattr(parameter, "values", None)
    if listed is not None:
        return [listed[i] for i in evenly(len(listed), most)]
    if type(parameter).__name__ == "Integer":
        return [int(parameter.low) + int(i) for i in evenly(int(parameter.high) - int(parameter.low) + 1, most)]
    return [parameter.from_unit(u) for u in np.linspace(0.0, 1.0, most)]


def along(problem: Problem, point: Mapping[str, Any], name: str) -> tuple[list[Any], Array]:
    """Values of a parameter, the recommended one among them, and the points of the slice [n, d] of the unit cube."""
    parameter = next(each for each in problem.parameters if each.name == name)
    values = _with(values_of(parameter, ALONG), point[name], parameter)
    return values, _points(problem, [dict(point) | {name: value} for value in values])


def over(problem: Problem, point: Mapping[str, Any], pair: tuple[str, str]) -> tuple[list[Any], list[Any], Array]:
    """Values of both parameters, and the points of the plane [n m, d], the second parameter outer."""
    first, second = (next(each for each in problem.parameters if each.name == name) for name in pair)
    across, up = values_of(first, ACROSS), values_of(second, ACROSS)
    return across, up, _points(problem, [dict(point) | {pair[0]: a, pair[1]: b} for b in up for a in across])


def pairs(problem: Problem, effects: Mapping[str, float], most: int = PAIRS) -> list[tuple[str, str]]:
    """Pairs of numeric parameters, those with the largest effects first, in declared order inside."""
    names = [each.name for each in problem.parameters if is_numeric(each) and _several(each)]
    found = sorted(combinations(names, 2), key=lambda pair: -effects[pair[0]] * effects[pair[1]])
    return found[:most]


def effects(problem: Problem, slices: Sequence[Slice]) -> dict[str, float]:
    """How much each parameter moves the functions here: its largest share of what a function varies over all slices."""
    ranges = np.array([np.ptp(each.survey.mean, axis=0) for each in slices])  # [d, K + 1]
    total = ranges.max(axis=0)
    share = np.divide(ranges, total, out=np.zeros_like(ranges), where=total > 0.0)
    return {each.parameter: float(share[i].mean()) for i, each in enumerate(slices)}


@dataclass(frozen=True, slots=True)
class Located:
    """The values that count, with their points [n, d] in the unit cube."""

    rows: list[Observation]
    units: Array

    @staticmethod
    def of(problem: Problem, history: History) -> "Located":
        rows = [row for row in ledger.counting(history.observations) if row.value is not None]
        return Located(rows, _points(problem, [row.point for row in rows]))


def near(problem: Problem, known: Located, name: str, point: Mapping[str, Any]) -> dict[str, Any]:
    """Of each function the values measured near the slice of a parameter; see Slice.measured."""
    found: dict[str, Any] = {function: () for function in problem.functions}
    if problem.dimension != len(problem.parameters) or not known.rows:  # a choice has several columns
        return found
    column = [each.name for each in problem.parameters].index(name)
    others = np.abs(np.delete(known.units - to_unit(problem, point), column, axis=1)).max(axis=1, initial=0.0)
    close = np.flatnonzero(others <= NEAR)
    for i in close[evenly(len(close), POINTS)]:
        row = known.rows[i]
        found[row.function] += ((row.point[name], row.value),)
    return found


def projected(problem: Problem, history: History, pair: tuple[str, str]) -> tuple[Dot, ...]:
    """The evaluated points in a plane; see Plane.points."""
    found: dict[tuple[Any, ...], Dot] = {}
    for row in ledger.counting(history.observations):
        key = tuple(row.point.values())
        x, y, held = found.get(key, (row.point[pair[0]], row.point[pair[1]], None))
        if row.value is None:
            held = False
        elif row.function != problem.objective.name:
            held = holds(problem, row.function, row.value) and held is not False
        found[key] = (x, y, held)
    points = list(found.values())
    return tuple(points[i] for i in evenly(len(points), POINTS))


def _with(values: list[Any], value: Any, parameter: Any) -> list[Any]:
    """The recommended value among the others, in its place."""
    if value in values or not is_numeric(parameter):
        return values
    return sorted([*values, value])


def _several(parameter: Any) -> bool:
    return len(values_of(parameter, 3)) > 1


def _points(problem: Problem, points: Sequence[Mapping[str, Any]]) -> Array:
    return np.array([to_unit(problem, each) for each in points]).reshape(-1, problem.dimension)
