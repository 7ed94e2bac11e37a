"""The state of a study in numbers, read in one moment and computed without any model."""

import math
from dataclasses import dataclass, field
from typing import Any

from taut.app.studyfile.file import StudyFile, StudyOptions, storage_of
from taut.app.studyfile.location import without_password
from taut.data.history import History, Tally
from taut.data.results import Incumbent, Recommendation
from taut.data.rows import Suggestion
from taut.problem.design import initial_design
from taut.problem.problem import Problem
from taut.storage.base import Leases
from taut.study import initial
from taut.study.declaration import settled


@dataclass(frozen=True, slots=True)
class Rows:
    """All that a study holds, at one moment."""

    history: History
    leases: Leases = field(default_factory=dict)
    """Who took on which evaluation."""


@dataclass(frozen=True, slots=True)
class Count:
    """The evaluations of one function. added: values measured elsewhere."""

    function: str
    cost: float
    """Of one evaluation; of the whole group if it is in one."""
    told: int
    failed: int
    pending: int
    added: int


@dataclass(frozen=True, slots=True)
class Account:
    """What the evaluations of one function cost, the initial design apart. spent: for a group, its share."""

    function: str
    cost: float
    """Of one evaluation; of the whole group if it is in one."""
    initial: int
    chosen: int
    spent: float


@dataclass(frozen=True, slots=True)
class Open:
    """A suggestion that still waits for values."""

    suggestion: int
    point: dict[str, Any]
    functions: tuple[str, ...]
    """Those not told yet."""
    running: tuple[str, ...]
    """Those of them that a run is evaluating."""


@dataclass(frozen=True, slots=True)
class Status:
    """Where a study stands. Costs are after the initial design."""

    name: str
    storage: str
    objective: str
    goal: str
    constraints: tuple[str, ...]
    method: str
    seed: int
    started: bool
    budget: float | None
    spent: float
    pending_cost: float
    """Of what is asked for and not told."""
    initial_done: int
    initial_size: int
    """Suggestions of the initial design that are complete, and in all."""
    suggestions: int
    counts: tuple[Count, ...]
    open: tuple[Open, ...]
    incumbent: Incumbent | None = None
    """The best design that was measured whole."""
    best: Recommendation | None = None
    """The recommendation, if somebody computed it: it takes models, all else here does not."""
    meaning: tuple[str, ...] = ()
    """What limits cost and what there is left to gain, in sentences; computed likewise."""


def rows(file: StudyFile, must_exist: bool = False) -> Rows | None:
    """The rows of the study of a file; None if it has not begun. Nothing is written."""
    storage = storage_of(file, must_exist)
    if storage.load() is None:
        return None
    history = History(settled(storage, file.problem))
    history.extend(*storage.rows())
    return Rows(history, storage.leases())


def status(problem: Problem, study: StudyOptions, found: Rows | None) -> Status:
    """Where a study stands, given its rows; None if it has not begun."""
    history, leases = (History(problem), {}) if found is None else (found.history, found.leases)
    design = initial_design(problem, study.initial_design, study.initial, study.seed)
    asked = len(history.suggestions) - history.chosen
    waiting = [(row, history.missing(row)) for _, row in sorted(history.open.items())]
    return Status(
        name=study.name,
        storage=without_password(study.storage),
        objective=problem.objective.name,
        goal=problem.objective.goal,
        constraints=problem.functions[1:],
        method=study.method,
        seed=study.seed,
        started=found is not None,
        budget=study.budget,
        spent=history.spent,
        pending_cost=math.fsum(problem.cost(missing) for row, missing in waiting if not row.initial),
        initial_done=history.initial_done,
        initial_size=initial.size(problem, design, history.moment(), asked),
        suggestions=len(history.suggestions),
        counts=tuple(_count(problem, name, waiting, history.tallies[name]) for name in problem.functions),
        incumbent=history.designs.incumbent(),
        open=tuple(_open(row, missing, leases) for row, missing in waiting),
    )


def accounts(problem: Problem, history: History) -> tuple[Account, ...]:
    found = []
    for name in problem.functions:
        bundle = next((bundle for bundle in problem.bundles if name in bundle.functions), None)
        if bundle is None:  # it is known
            found.append(Account(name, 0.0, 0, 0, 0.0))
            continue
        tally = history.tallies[name]
        spent = bundle.cost * tally.charged / len(bundle.functions)
        chosen = tally.told + tally.failed - tally.initial
        found.append(Account(name, bundle.cost, tally.initial, chosen, spent))
    return tuple(found)


def _open(row: Suggestion, missing: tuple[str, ...], leases: Leases) -> Open:
    running = (name for name in missing if (row.number, name) in leases and leases[row.number, name].living)
    return Open(row.number, dict(row.point), missing, tuple(running))


def _count(problem: Problem, name: str, waiting: list[tuple[Suggestion, tuple[str, ...]]], tally: Tally) -> Count:
    pending = sum(name in missing for _, missing in waiting)
    return Count(name, problem.cost([name]), tally.told, tally.failed, pending, tally.added)
