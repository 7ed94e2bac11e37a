"""Known constraints of a problem on the unit cube, in the form in which searches want them: g_j(x) <= 0.

    at_most=b: (value - b)/s        at_least=a: (a - value)/s        both: one of each

s is the usual distance of values from the limit, so that g is about 1. A known objective adds a row that is violated
where it cannot be computed: a design without a value is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.problem.functions import Constraint
from taut.problem.known import Known
from taut.problem.problem import Problem
from taut.problem.space import everywhere, from_unit, user_values

SAMPLE = 256  # points by which the scale of a constraint is found


@dataclass(frozen=True)
class _Side:
    """One limit of one known constraint: violated where sign (value - bound) > 0."""

    known: int
    sign: float
    bound: float


@dataclass(frozen=True)
class KnownLimits:
    """All known constraints of a problem; without: but for one of that name."""

    problem: Problem
    without: str = ""

    @cached_property
    def known(self) -> tuple[Known, ...]:
        """The known constraints, and the objective if it is known."""
        return tuple(Known(self.problem, name) for name in self.problem.functions if name not in self.problem.simulated)

    @cached_property
    def _sides(self) -> list[_Side]:
        found = []
        for k, each in enumerate(self.known):
            if isinstance(each.function, Constraint) and each.name != self.without:
                sides = ((1.0, each.function.at_most), (-1.0, each.function.at_least))
                found += [_Side(k, sign, bound) for sign, bound in sides if bound is not None]
        return found

    @cached_property
    def _names(self) -> frozenset[str]:
        """Parameters that any of the texts names."""
        return frozenset(name for each in self.known for name in each.names)

    @property
    def count(self) -> int:
        return len(self._sides) + 1

    @cached_property
    def slow(self) -> bool:
        return not all(isinstance(each.function.formula, str) for each in self.known)

    @cached_property
    def _scales(self) -> Array:
        """s of every side; [m]."""
        x = everywhere(self.problem).sample(SAMPLE, np.random.default_rng([SAMPLE]))
        values = [each.values(x) for each in self.known]
        scales = []
        for side in self._sides:
            away = np.abs(values[side.known] - side.bound)
            usual = float(np.median(away[np.isfinite(away)])) if np.isfinite(away).any() else 0.0
            scales.append(usual or abs(side.bound) or 1.0)
        return np.array(scales)

    def values(self, x: Array) -> Array:
        given = user_values(self.problem, x, self._names)
        values = [each.values(x, given) for each in self.known]
        g = np.empty((len(x), self.count))
        for j, (side, scale) in enumerate(zip(self._sides, self._scales, strict=True)):
            g[:, j] = side.sign * (values[side.known] - side.bound) / scale
        g[:, -1] = np.where(np.isnan(values).any(axis=0), np.inf, -1.0)
        return np.where(np.isnan(g), np.inf, g)

    def values_with_gradient(self, x: Array) -> tuple[Array, Array]:
        given = user_values(self.problem, x, self._names)
        found = [each.with_gradient(x, given) for each in self.known]
        g, A = np.empty((len(x), self.count)), np.zeros((len(x), self.count, x.shape[1]))
        for j, (side, scale) in enumerate(zip(self._sides, self._scales, strict=True)):
            value, gradient = found[side.known]
            g[:, j] = side.sign * (value - side.bound) / scale
            A[:, j] = side.sign / scale * gradient
        g[:, -1] = np.where(np.isnan([value for value, _ in found]).any(axis=0), np.inf, -1.0)
        return np.where(np.isnan(g), np.inf, g), A

    def holds(self, x: Array) -> bool:
        return not self.broken(x)

    def broken(self, x: Array) -> tuple[str, ...]:
        """Names of the known functions that are violated or cannot be computed at x [d], in the user's units."""
        point = from_unit(self.problem, x)
        return tuple(each.name for each in self.known if not holds(each.function, each.value(point)))

    def troubles(self, point: Mapping[str, Any]) -> list[str]:
        """What is wrong at a point, in words."""
        found = []
        for each in self.known:
            value = each.value(point)
            if value != value:
                found.append(f"{each.name!r} cannot be computed ({each.trouble(point)})")
            elif not holds(each.function, value):
                assert isinstance(each.function, Constraint)
                limits = {"at most": each.function.at_most, "at least": each.function.at_least}
                words = " and ".join(f"{side} {bound!r}" for side, bound in limits.items() if bound is not None)
                found.append(f"{each.name!r} is {value:.6g} ({words})")
        return found


def holds(function: object, value: float) -> bool:
    """Does a value keep the limits of its function? nan does not; that of an objective has none but to be a number."""
    if not isinstance(function, Constraint):
        return value == value
    above = function.at_least is None or value >= function.at_least
    return value == value and above and (function.at_most is None or value <= function.at_most)
