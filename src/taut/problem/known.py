"""Known functions: a formula in text or a Python function, at points and over the unit cube.

What a known function is at a point is said by `value`, in the user's units and by Python's own numbers. Searches climb
`values` and `with_gradient`, which may differ from it in the last digit; whoever hands out a point asks `value`.

Gradients in the columns of the unit cube: of a text exactly, by the chain rule through each parameter's scale; of a
Python function by its own gradient, or else by central differences. In columns of discrete parameters they are 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.errors import ProblemError, listed
from taut.base.numbers import finite, shown
from taut.problem.discrete import Choice
from taut.problem.formula import Formula, Lookup
from taut.problem.functions import Constraint, NotHandedOver, Objective, PointFunction
from taut.problem.parameters import Real
from taut.problem.problem import Problem
from taut.problem.slopes import values, values_with_slopes
from taut.problem.space import from_unit, places, real_columns, user_values

DIFFERENCE = 6e-6  # of the unit cube: the cube root of the rounding error, best for central differences
NOT_COMPUTABLE = math.nan
MOST_KEPT = 100_000  # values of a Python function that are kept at most: some 20 MB


@dataclass(frozen=True)
class Known:
    """One known function of a problem."""

    problem: Problem
    name: str

    @cached_property
    def function(self) -> Objective | Constraint:
        return self.problem.function(self.name)

    @cached_property
    def _formula(self) -> Formula | None:
        """The text that was read; None for a Python function."""
        text = self.function.formula
        return Formula.of(self.name, text) if isinstance(text, str) else None

    def value(self, point: Mapping[str, Any]) -> float:
        """At a point in the user's units; nan where it cannot be computed."""
        if self._formula is not None:
            return self._formula.value(point, self.problem.tables)
        try:
            number = finite(self._call(point))
        except ProblemError:
            raise
        except Exception:  # whatever a user's function raises: it cannot be computed there
            return NOT_COMPUTABLE
        return NOT_COMPUTABLE if number is None else number

    def trouble(self, point: Mapping[str, Any]) -> str:
        """Why it cannot be computed at a point, in words."""
        if self._formula is not None:
            return "its formula has no finite value there"
        try:
            return f"it returned {shown(self._call(point))}, which is no finite number"
        except Exception as error:
            return f"it raised {type(error).__name__}: {error}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Parameters that its text names; none of a Python function."""
        return () if self._formula is None else self._formula.names

    def values(self, x: Array, given: Mapping[str, Array] | None = None) -> Array:
        """At x [q, d] of the unit cube; nan where it cannot be computed. [q].

        given: the parameters that its text names there (user_values), where somebody has them already.
        """
        if self._formula is None:
            return np.array([self._called_at(u) for u in x], dtype=float)
        return values(self._formula, *self._columns(x, given))

    def with_gradient(self, x: Array, given: Mapping[str, Array] | None = None) -> tuple[Array, Array]:
        """The same [q], and the gradient [q, d]; 0 where there is no value."""
        if self._formula is None:
            return self._called_with_gradient(x)
        places = self._slopes_by
        value, slope = values_with_slopes(self._formula, *self._columns(x, given), tuple(places))
        gradient = np.zeros_like(x)
        for row, (column, parameter) in zip(slope, places.values(), strict=True):
            gradient[:, column] = row * parameter.slope(x[:, column])
        return value, gradient

    @cached_property
    def _kept(self) -> dict[bytes, float]:
        """What a Python function gave, by place."""
        return {}

    def _called_at(self, u: Array) -> float:
        """A Python function at u [d]; searches ask for the same place several times, and it may take long."""
        key = u.tobytes()
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = self.value(from_unit(self.problem, u))
        return found

    def _call(self, point: Mapping[str, Any]) -> object:
        formula = self.function.formula
        if isinstance(formula, NotHandedOver) or not callable(formula):
            raise missing(self.name)
        return formula(dict(point))

    @cached_property
    def _slopes_by(self) -> dict[str, tuple[int, Real]]:
        """Real parameters that the formula names, with their columns."""
        return {name: place for name, place in real_columns(self.problem).items() if name in self.names}

    def _columns(self, x: Array, given: Mapping[str, Array] | None) -> tuple[dict[str, Array], dict[Lookup, Array]]:
        """Values of the parameters and of look-ups at x [q, d]; [q] each."""
        assert self._formula is not None
        columns = user_values(self.problem, x, set(self.names)) if given is None else given
        columns = {name: columns[name] for name in self.names if name in columns}
        tables = {each: self._looked_up(each, x) for each in self._formula.lookups}
        plain = {name: column for name, column in columns.items() if column.dtype != object}
        return plain or {"": np.zeros(len(x))}, tables

    def _looked_up(self, which: Lookup, x: Array) -> Array:
        """What a table says of the options at x [q, d]; [q]."""
        table = self.problem.tables[which.table]
        choice, columns = next(pair for pair in places(self.problem) if pair[0].name == which.parameter)
        assert isinstance(choice, Choice), "checked when the problem was made"
        numbers = np.array([table[str(option)] for option in choice.options])
        found: Array = numbers[choice.levels(0).nearest(x[:, columns])]
        return found

    def _called_with_gradient(self, x: Array) -> tuple[Array, Array]:
        value, gradient = self.values(x), np.zeros_like(x)
        given = self.function.gradient
        for column, parameter in real_columns(self.problem).values():
            gradient[:, column] = self._differences(x, column) if given is None else np.nan
            if given is not None:
                slopes = [self.given(u, parameter.name) for u in x]
                gradient[:, column] = slopes * parameter.slope(x[:, column])
        gradient[~np.isfinite(gradient)] = 0.0
        return value, gradient

    def given(self, u: Array, name: str) -> float:
        """The slope that the user's own gradient has for a parameter at u [d]; nan where it has none."""
        try:
            number = finite(self._slope(u, name))
        except Exception:  # as for values
            number = None
        return math.nan if number is None else number

    def trouble_of_gradient(self, u: Array, name: str) -> str:
        """Why it has none, in words."""
        try:
            return f"{self._slope(u, name)!r}"
        except KeyError:
            return f"no entry {name!r}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _slope(self, u: Array, name: str) -> object:
        assert self.function.gradient is not None
        return self.function.gradient(from_unit(self.problem, u))[name]

    def _differences(self, x: Array, column: int) -> Array:
        """Central differences, one-sided at a bound and where one side cannot be computed; nan where both cannot."""
        low, high = x.copy(), x.copy()
        low[:, column] = np.maximum(x[:, column] - DIFFERENCE, 0.0)
        high[:, column] = np.minimum(x[:, column] + DIFFERENCE, 1.0)
        below, here, above = self.values(low), self.values(x), self.values(high)
        below_at, above_at = low[:, column], high[:, column]
        lost = np.isnan(below)
        below, below_at = np.where(lost, here, below), np.where(lost, x[:, column], below_at)
        lost = np.isnan(above)
        above, above_at = np.where(lost, here, above), np.where(lost, x[:, column], above_at)
        step = above_at - below_at
        with np.errstate(invalid="ignore", divide="ignore"):
            slope: Array = np.where(step > 0.0, (above - below) / step, np.nan)
        return slope


def known(problem: Problem, name: str) -> Known | None:
    """The function of that name, if it is known."""
    return None if problem.function(name).formula is None else Known(problem, name)


def missing(name: str) -> ProblemError:
    """Of a Python function that a storage could not keep."""
    way = f"hand it over again: taut.Study.open(storage, formulas={{{name!r}: the_function}})"
    return ProblemError.of(
        f"Function {name!r}", "its formula, a Python function", "none: a storage keeps texts only", way
    )


Formulas = Mapping[str, PointFunction]
"""Known functions that are Python functions, by name."""


def handed_over(problem: Problem, formulas: Formulas) -> Problem:
    """A problem out of a storage with its Python functions in their places; raises if one is missing."""
    waiting = [name for name in problem.functions if isinstance(problem.function(name).formula, NotHandedOver)]
    for name, formula in formulas.items():
        if name not in waiting:
            got, known = repr(name), f"names of known functions that are Python functions ({listed(waiting)})"
            raise ProblemError.of("formulas", known, got, "texts are kept with the study, leave them out")
        if not callable(formula):
            raise ProblemError.of(f"formulas: {name!r}", "a Python function of the point", shown(formula), "give one")
    for name in waiting:
        if name not in formulas:
            raise missing(name)
    given = {name: replace(problem.function(name), formula=formulas[name]) for name in waiting}
    objective = given.get(problem.objective.name, problem.objective)
    constraints = [given.get(each.name, each) for each in problem.constraints]
    return Problem(problem.parameters, objective, constraints, problem.groups, problem.tables, problem.setups)  # type: ignore[arg-type]
