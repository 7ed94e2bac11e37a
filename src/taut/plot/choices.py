"""Decisions: what was bought and why, what it was compared with, and what came of it.

What was considered is stored with a suggestion when it is made (data.considered); older ones have only their note.
"""

from dataclasses import dataclass
from typing import Any

from taut.data.considered import Considered, considered
from taut.data.history import History
from taut.data.rows import Suggestion
from taut.problem.problem import Problem

RECENT = 12
"""Decisions shown."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One suggestion."""

    number: int
    initial: bool
    point: dict[str, Any]
    functions: tuple[str, ...]
    cost: float
    note: str
    purpose: str
    """What it was for, if not for the largest value per cost: the initial design, or verification."""
    candidates: tuple[Considered, ...]
    """The best of every set that was considered, best value per cost first; empty if nothing was stored."""
    outcome: dict[str, float | None]
    """What came: None for a failure; without those that are still open."""

    @property
    def chosen(self) -> Considered | None:
        return next((each for each in self.candidates if each.chosen), None)

    @property
    def runner_up(self) -> Considered | None:
        """The best of another set than the one chosen."""
        return next((each for each in self.candidates if not each.chosen and each.value is not None), None)


def decisions(problem: Problem, history: History, most: int = RECENT) -> tuple[Decision, ...]:
    """The latest, newest first."""
    return tuple(_decision(problem, history, row) for row in reversed(history.suggestions[-most:]))


def _decision(problem: Problem, history: History, row: Suggestion) -> Decision:
    answers = ((name, history.answers.get((row.number, name))) for name in row.functions)
    outcome = {name: answer.value for name, answer in answers if answer is not None}
    found = sorted(considered(problem, row), key=lambda each: -(each.value_per_cost or 0.0))
    return Decision(
        number=row.number,
        initial=row.initial,
        point=dict(row.point),
        functions=row.functions,
        cost=row.cost,
        note=row.note,
        purpose="initial design" if row.initial else "verification" if row.memory.get("verify") else "",
        candidates=tuple(found),
        outcome=outcome,
    )
