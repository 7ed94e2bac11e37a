"""What evaluating functions at a point is expected to cost, where that depends on the point.

It does where costs are measured (durations.py says how long each function takes where), and where functions share a
setup, which is paid once per point. A point is prepared for a setup if a function that needs it has a value there, or
is under way: whoever comes next need not pay again. Where all of them failed nobody knows how far they came, so the
next one is expected to pay. Everything is computed from rows.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from taut.base.arrays import Array, Flags
from taut.data.charges import Part, own_seconds, parts_of
from taut.data.designs import SAME
from taut.data.durations import Curve, Times, curves
from taut.data.rows import Observation, Suggestion
from taut.problem.bundles import Bundle, nominal
from taut.problem.functions import Setup
from taut.problem.problem import Problem
from taut.problem.space import _to_units


class Pricing(Protocol):
    """Expected costs of sets of functions, given by their names."""

    @property
    def prepared(self) -> Mapping[str, Array]:
        """Of each setup, where it is paid; [m, d]."""

    def costs(self, names: Iterable[str], x: Array) -> Array:
        """At x [q, d]; [q]."""

    def log_costs_with_gradient(self, names: Iterable[str], x: Array) -> tuple[Array, Array]:
        """At x [q, d] as if nothing was prepared there, which varies smoothly; [q] and [q, d]."""

    def range(self, names: Iterable[str]) -> tuple[float, float]:
        """The least and the most it may be anywhere."""

    def parts(self, names: Iterable[str], x: Array) -> dict[str, float]:
        """At x [d], by bundle and setup."""


@dataclass(frozen=True)
class Prices:
    """curves: of each bundle and setup by name."""

    problem: Problem
    curves: Mapping[str, Curve]
    prepared: Mapping[str, Array]

    @staticmethod
    def of(
        problem: Problem,
        suggestions: Sequence[Suggestion],
        answers: Mapping[tuple[int, str], Observation],
        added: Sequence[Observation],
    ) -> "Prices":
        """From the rows of a study. added: those measured elsewhere."""
        if problem.measured:
            rows = [*answers.values(), *added]
            taken = {part.name: _times(problem, part, rows) for part in problem.bundles}
            found = curves(taken, problem.dimension)
            found |= {setup.name: _setup_curve(problem, setup, rows) for setup in problem.setups}
        else:
            levels = {part.name: math.log(nominal(part.cost)) for part in parts_of(problem)}
            found = {name: Curve.flat(level, problem.dimension) for name, level in levels.items()}
        points = {setup.name: _prepared(setup, suggestions, answers) for setup in problem.setups}
        places = {name: _places(problem, of_setup) for name, of_setup in points.items()}
        return Prices(problem, found, places)

    def costs(self, names: Iterable[str], x: Array) -> Array:
        total = np.zeros(len(x))
        for part in self._parts(names):
            open_ = ~_among(x, self.prepared[part.name]) if isinstance(part, Setup) else 1.0
            total += self._cost(part, x) * open_
        return total

    def log_costs_with_gradient(self, names: Iterable[str], x: Array) -> tuple[Array, Array]:
        parts = self._parts(names)
        each = np.array([self._cost(part, x) for part in parts])
        total = each.sum(axis=0)
        slopes = np.array([self.curves[part.name].gradient(x) for part in parts])
        return np.log(total), np.einsum("kq,kqd->qd", each / total, slopes)

    def range(self, names: Iterable[str]) -> tuple[float, float]:
        least = most = 0.0
        for part in self._parts(names):
            curve = self.curves[part.name]
            most += math.exp(curve.level + curve.reach)
            if not isinstance(part, Setup) or not len(self.prepared[part.name]):
                least += math.exp(curve.level - curve.reach)
        return least, most

    def parts(self, names: Iterable[str], x: Array) -> dict[str, float]:
        found = {}
        for part in self._parts(names):
            if not isinstance(part, Setup) or not _among(x[None, :], self.prepared[part.name])[0]:
                found[part.name] = float(self._cost(part, x[None, :])[0])
        return found

    def _parts(self, names: Iterable[str]) -> list[Part]:
        wanted = set(names)
        bought = [bundle for bundle in self.problem.bundles if not wanted.isdisjoint(bundle.functions)]
        return [*bought, *self.problem.setups_of(bought)]

    def _cost(self, part: Part, x: Array) -> Array:
        if not self.problem.measured:
            return np.full(len(x), nominal(part.cost))  # to the last digit
        return np.exp(self.curves[part.name].log(x))


def _times(problem: Problem, bundle: Bundle, rows: Sequence[Observation]) -> Times:
    """What is known of the times of a bundle: of all its functions together, where all of them have one."""
    found: dict[object, list[Observation]] = {}
    for row in rows:
        if row.function in bundle.functions and row.seconds is not None:
            where = row.suggestion if row.suggestion is not None else tuple(row.point.values())
            found.setdefault(where, []).append(row)
    whole = [of_one for of_one in found.values() if len(of_one) == len(bundle.functions)]
    seconds = [math.fsum(own_seconds(row) or 0.0 for row in of_one) for of_one in whole]
    failed = [all(row.value is None for row in of_one) for of_one in whole]
    return Times(
        _places(problem, [of_one[0].point for of_one in whole]), np.array(seconds), np.array(failed, dtype=bool)
    )


def _setup_curve(problem: Problem, setup: Setup, rows: Sequence[Observation]) -> Curve:
    """By the times that are known to have gone into it; nothing if there are none."""
    found: dict[int, list[Observation]] = {}
    for row in rows:
        if row.function in setup.functions and row.setup and row.suggestion is not None:
            found.setdefault(row.suggestion, []).append(row)
    seconds = np.array([math.fsum(row.setup or 0.0 for row in of_one) for of_one in found.values()])
    places = _places(problem, [of_one[0].point for of_one in found.values()])
    if not len(seconds):
        return Curve.flat(-math.inf, problem.dimension)
    return curves({setup.name: Times(places, seconds, np.zeros(len(seconds), dtype=bool))}, problem.dimension)[
        setup.name
    ]


def _prepared(
    setup: Setup, suggestions: Sequence[Suggestion], answers: Mapping[tuple[int, str], Observation]
) -> list[Mapping[str, float]]:
    """The points where a function of the setup has a value or is under way, each once."""
    points: dict[tuple[float, ...], Mapping[str, float]] = {}
    for row in suggestions:
        told = [answers.get((row.number, name)) for name in row.functions if name in setup.functions]
        if any(answer is None or answer.value is not None for answer in told):
            points.setdefault(tuple(row.point.values()), row.point)
    return list(points.values())


def _places(problem: Problem, points: Sequence[Mapping[str, float]]) -> Array:
    return _to_units(problem, [tuple(point[each.name] for each in problem.parameters) for point in points])


def _among(x: Array, places: Array) -> Flags:
    """Which of x [q, d] is one of the places [m, d]?"""
    if not len(places):
        return np.zeros(len(x), dtype=bool)
    near: Flags = np.abs(x[:, None, :] - places).max(axis=2).min(axis=1) <= SAME
    return near
