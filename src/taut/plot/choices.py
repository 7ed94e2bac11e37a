"""Decisions: what was bought and why, what it was compared with, and what came of it.

A method stores with a suggestion what it considered (memory["considered"]); suggestions made before there was such a
record have only their note.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.data.history import History
from taut.data.rows import Suggestion
from taut.problem.problem import Problem

RECENT = 12
"""Decisions shown."""


@dataclass(frozen=True, slots=True)
class Considered:
    """The best candidate of one set of functions: where, what it is worth, and what it costs."""

    functions: tuple[str, ...]
    value: float
    """In the unit of the method's own criterion; for the Knowledge Gradient that of the objective."""
    cost: float
    chosen: bool
    point: dict[str, Any] | None = None

    @property
    def value_per_cost(self) -> float:
        return self.value / self.cost if self.cost > 0.0 else 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """One suggestion."""

    number: int
    initial: bool
    point: dict[str, Any]
    functions: tuple[str, ...]
    cost: float
    note: str
    candidates: tuple[Considered, ...]
    """Best value per cost first; empty if nothing was stored."""
    outcome: dict[str, float | None]
    """What came: None for a failure; without those that are still open."""

    @property
    def runner_up(self) -> Considered | None:
        """The best of another set than the one chosen."""
        return next((each for each in self.candidates if not each.chosen), None)


def decisions(problem: Problem, history: History, most: int = RECENT) -> tuple[Decision, ...]:
    """The latest, newest first."""
    return tuple(decision(problem, history, row) for row in reversed(history.suggestions[-most:]))


def decision(problem: Problem, history: History, row: Suggestion) -> Decision:
    answers = ((name, history.answers.get((row.number, name))) for name in row.functions)
    outcome = {name: answer.value for name, answer in answers if answer is not None}
    found = sorted(candidates(problem, row), key=lambda each: -each.value_per_cost)
    return Decision(
        row.number, row.initial, dict(row.point), row.functions, row.cost, row.note, tuple(found), outcome
    )


def candidates(problem: Problem, row: Suggestion) -> list[Considered]:
    """What was stored of them; the memory of a user's own method may hold something else there."""
    kept = row.memory.get("considered")
    found = [_considered(problem, row, each) for each in kept] if isinstance(kept, list) else []
    return [each for each in found if each is not None]


def _considered(problem: Problem, row: Suggestion, kept: object) -> Considered | None:
    if not isinstance(kept, Mapping):
        return None
    try:
        functions = tuple(name for name in problem.functions if name in kept["functions"])
        value, cost = float(kept["value"]), float(kept["cost"])
    except (KeyError, TypeError, ValueError):
        return None
    whole = tuple(row.memory.get("whole", row.functions))
    return Considered(functions, value, cost, set(functions) == set(whole))
