"""Design variables and responses of a host, which may be arrays, as parameters and constraints.

An entry of an array is a parameter of its own, "span.2", and a constraint of its own; entries of one response come
together, so they are one group. A response with many entries is one constraint: the worst of them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.errors import ProblemError
from taut.base.numbers import Cost
from taut.hosts.names import clean
from taut.problem.discrete import Integer
from taut.problem.functions import Constraint
from taut.problem.parameters import Real

UNBOUNDED = 1e29
"""Size from which a bound is none: hosts write 1e30 for it."""


@dataclass(frozen=True)
class Variable:
    """A design variable. low, high: [n]; whole: whole numbers only."""

    name: str
    low: Array
    high: Array
    whole: bool = False


@dataclass(frozen=True)
class Design:
    """Design variables and the parameters that they are; entries with low = high are held there."""

    variables: tuple[Variable, ...]
    names: Mapping[tuple[str, int], str]
    """By variable and entry, the parameter."""

    @staticmethod
    def of(variables: Sequence[Variable]) -> "Design":
        names: dict[tuple[str, int], str] = {}
        for variable in variables:
            _check_bounds(variable)
            for k in range(len(variable.low)):
                if variable.low[k] < variable.high[k]:
                    name = _entry(variable.name, k, len(variable.low))
                    names[variable.name, k] = clean(name, names.values())
        return Design(tuple(variables), names)

    @property
    def parameters(self) -> list[Real | Integer]:
        """In the order of the variables."""
        found: list[Real | Integer] = []
        for variable in self.variables:
            for k, (low, high) in enumerate(zip(variable.low, variable.high, strict=True)):
                if (variable.name, k) in self.names:
                    name = self.names[variable.name, k]
                    whole = variable.whole
                    found.append(Integer(name, math.ceil(low), math.floor(high)) if whole else Real(name, low, high))
        return found

    def values(self, point: Mapping[str, Any]) -> dict[str, Array]:
        """The variables at a point; [n] each."""
        found = {}
        for variable in self.variables:
            entries = [self.names.get((variable.name, k)) for k in range(len(variable.low))]
            held = zip(entries, variable.low, strict=True)
            found[variable.name] = np.array([low if name is None else point[name] for name, low in held])
        return found

    def point(self, values: Mapping[str, Array]) -> dict[str, Any]:
        """The point with these variables, moved into the bounds."""
        found: dict[str, Any] = {}
        for parameter, (name, k) in zip(self.parameters, self.names, strict=True):
            value = min(max(float(values[name][k]), parameter.low), parameter.high)
            found[parameter.name] = round(value) if isinstance(parameter, Integer) else value
        return found


@dataclass(frozen=True)
class Response:
    """What must lie between low and high, entry by entry; [n]. Infinite where there is no limit."""

    name: str
    low: Array
    high: Array


@dataclass(frozen=True)
class Limits:
    """A response and the constraints that it is; worst: they are one, the most by which any entry is beyond a limit."""

    response: Response
    names: tuple[str, ...]
    entries: tuple[int, ...]
    worst: bool

    @staticmethod
    def of(response: Response, most: int, taken: Sequence[str] = ()) -> "Limits":
        """most: entries that get a constraint each. taken: names that are used already."""
        low, high = response.low, response.high
        if np.any(low >= high):
            k = int(np.argmax(low >= high))
            raise ProblemError.of(
                f"Constraint {response.name!r}",
                "limits that leave room",
                f"{low[k]:g} to {high[k]:g} for entry {k}",
                "an equality has to be solved inside the model, or be given as a narrow two-sided constraint",
            )
        limited = [k for k in range(len(low)) if low[k] > -UNBOUNDED or high[k] < UNBOUNDED]
        if not limited:
            raise ProblemError.of(f"Constraint {response.name!r}", "a finite limit", "none", "give lower or upper")
        if len(limited) > most:
            return Limits(response, (clean(f"{response.name}.worst", taken),), tuple(limited), True)
        names: list[str] = []
        for k in limited:
            names.append(clean(_entry(response.name, k, len(low)), [*taken, *names]))
        return Limits(response, tuple(names), tuple(limited), False)

    def constraints(self, cost: Cost) -> list[Constraint]:
        """One for each name."""
        if self.worst:
            return [Constraint(self.names[0], at_most=0.0, cost=cost)]
        limits = [(self.response.low[k], self.response.high[k]) for k in self.entries]
        sides = [(None if high > UNBOUNDED else high, None if low < -UNBOUNDED else low) for low, high in limits]
        return [Constraint(name, *side, cost=cost) for name, side in zip(self.names, sides, strict=True)]

    def values(self, entries: Array) -> dict[str, float]:
        """What the response [n] says for each constraint; nan where an entry is."""
        chosen = np.asarray(entries, dtype=float).ravel()[list(self.entries)]
        if not self.worst:
            return dict(zip(self.names, (float(value) for value in chosen), strict=True))
        low, high = (side[list(self.entries)] for side in (self.response.low, self.response.high))
        beyond = np.maximum(np.where(high < UNBOUNDED, chosen - high, -np.inf), _below(chosen, low))
        return {self.names[0]: float(np.nan if np.isnan(chosen).any() else beyond.max())}


def _below(values: Array, low: Array) -> Array:
    return np.where(low > -UNBOUNDED, low - values, -np.inf)


def _entry(name: str, k: int, size: int) -> str:
    return name if size == 1 else f"{name}.{k}"


def _check_bounds(variable: Variable) -> None:
    for k, (low, high) in enumerate(zip(variable.low, variable.high, strict=True)):
        if not (-UNBOUNDED < low <= high < UNBOUNDED):
            entry = f", entry {k}" if len(variable.low) > 1 else ""
            raise ProblemError.of(
                f"Design variable {variable.name!r}{entry}",
                "a finite lower and upper bound",
                f"{low:g} to {high:g}",
                "give both: taut searches between them",
            )
