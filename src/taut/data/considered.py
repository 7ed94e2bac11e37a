"""What a decision considered: the best of every set of functions that was looked at, kept with the suggestion.

In a suggestion's memory, under "considered", one list for each set: [functions, values of the parameters, value, cost,
precise]. It is for people who look back; no decision reads it, and suggestions of older versions have none.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.base.arrays import Array
from taut.data.rows import Suggestion
from taut.problem.problem import Problem
from taut.problem.space import from_unit

CONSIDERED = "considered"
DIGITS = 7
"""Of what is kept: it is looked at, not computed with."""


@dataclass(frozen=True, slots=True)
class Considered:
    """One set of functions at the best point that was found for it."""

    functions: tuple[str, ...]
    """In declared order."""
    point: dict[str, Any]
    """In the user's units, to seven digits."""
    value: float | None
    """What its evaluation was expected to bring: for methods of the Knowledge Gradient in the objective's unit, for
    those of information in nats; None if the method gave it no value (verification, a fallback, a confidence bound)."""
    cost: float
    precise: bool
    """False: it was valued at first sight only, and was too far behind for a second one."""
    chosen: bool
    """Was this the decision? Of a set that is bought in instalments, the suggestion asks for the first one."""

    @property
    def value_per_cost(self) -> float | None:
        return None if self.value is None else self.value / self.cost


def kept(problem: Problem, functions: Sequence[str], x: Array, value: float, cost: float, precise: bool) -> list[Any]:
    """What the memory of a suggestion keeps of a set at a point x [d] of the unit cube; JSON."""
    named = [name for name in problem.functions if name in functions]
    values = [_short(each) for each in from_unit(problem, x).values()]
    return [named, values, _short(value) if 0.0 < value < math.inf else None, cost, precise]


def considered(problem: Problem, suggestion: Suggestion) -> tuple[Considered, ...]:
    """All sets that were considered for a suggestion, the decision first; empty if nothing was kept."""
    names = [parameter.name for parameter in problem.parameters]
    rows = suggestion.memory.get(CONSIDERED, ())
    return tuple(
        Considered(tuple(functions), dict(zip(names, values, strict=True)), value, cost, precise, i == 0)
        for i, (functions, values, value, cost, precise) in enumerate(rows)
    )


def _short(value: Any) -> Any:
    """A number to so many digits; anything else as it is."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
