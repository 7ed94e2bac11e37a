"""Where a study stands: all that is known without a model, computed in a fraction of a second."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.data import ledger
from taut.data.history import History
from taut.data.results import Incumbent
from taut.data.rows import Observation
from taut.plot.choices import Decision, decisions
from taut.plot.money import Spending, spending
from taut.problem.functions import Constraint
from taut.problem.problem import Problem
from taut.storage.base import Leases
from taut.storage.owner import short

FAILURES = 20
"""Failures shown, the latest."""
LATEST = 8
"""Values shown, the latest."""


@dataclass(frozen=True, slots=True)
class Running:
    """An evaluation that was asked for and has no value yet."""

    suggestion: int
    function: str
    point: dict[str, Any]
    who: str
    """The process that works on it; empty if nobody does."""
    living: bool
    left: float | None
    """Seconds until others may take it over, unless that process renews its lease; None if nobody works on it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a page shows without a model."""

    name: str
    problem: Problem
    method: str
    seed: int
    budget: float | None
    spent: float
    pending_cost: float
    suggestions: int
    chosen: int
    """Suggestions after the initial design."""
    values: int
    failures: int
    incumbent: Incumbent | None
    spending: Spending
    decisions: tuple[Decision, ...]
    running: tuple[Running, ...]
    failed: tuple[Observation, ...]
    latest: tuple[Observation, ...]
    """The values that came last, newest first."""
    typical: dict[str, float]
    """By constraint: median distance of its measured values from the nearest limit."""

    @property
    def answerable(self) -> bool:
        """Is there anything to ask the models? A value, or nothing that needs one."""
        return self.values > 0 or not self.problem.simulated


@dataclass(frozen=True, slots=True)
class Label:
    """What a study is called, and how it was set up."""

    name: str
    method: str
    seed: int
    budget: float | None = None


def facts(problem: Problem, history: History, label: Label, leases: Leases) -> Facts:
    """All of it, from the rows."""
    rows = ledger.counting(history.observations)
    failed = [row for row in rows if row.value is None]
    waiting = [(row, history.missing(row)) for _, row in sorted(history.open.items())]
    return Facts(
        name=label.name,
        problem=problem,
        method=label.method,
        seed=label.seed,
        budget=label.budget,
        spent=history.spent,
        pending_cost=history.books.pending,
        suggestions=len(history.suggestions),
        chosen=history.chosen,
        values=len(rows) - len(failed),
        failures=len(failed),
        incumbent=history.designs.incumbent(),
        spending=spending(problem, history),
        decisions=decisions(problem, history),
        running=tuple(_running(row.number, name, row.point, leases) for row, missing in waiting for name in missing),
        failed=tuple(reversed(failed[-FAILURES:])),
        latest=tuple(reversed(rows[-LATEST:])),
        typical=_typical(problem, rows),
    )


def _running(number: int, name: str, point: Mapping[str, Any], leases: Leases) -> Running:
    lease = leases.get((number, name))
    if lease is None:
        return Running(number, name, dict(point), "", False, None)
    return Running(number, name, dict(point), short(lease.owner), lease.living, lease.left)


def _typical(problem: Problem, rows: list[Observation]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.value is not None and row.function != problem.objective.name:
            found.setdefault(row.function, []).append(row.value)
    return {name: float(np.median(distances(problem, name, values))) for name, values in found.items()}


def distances(problem: Problem, name: str, values: Sequence[float]) -> Array:
    """Of each value from the nearest limit of a constraint; [n]."""
    function = problem.function(name)
    assert isinstance(function, Constraint), "an objective has no limit"
    sides = [side for side in (function.at_least, function.at_most) if side is not None]
    found: Array = np.abs(np.subtract.outer(np.array(values), sides)).min(axis=1)
    return found
