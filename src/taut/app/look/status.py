"""The state of a study in numbers, read in one moment and computed without any model."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.app.studyfile.file import StudyFile, StudyOptions, storage_of
from taut.app.studyfile.location import without_password
from taut.data.charges import plain
from taut.data.history import History
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
    initial_cost: float
    """Of the initial design so far, which is no part of what is spent."""
    measured: bool
    """Are costs seconds?"""
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
    computed: bool = False
    """Does every function have a formula?"""


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
        initial_cost=history.books.initial,
        measured=problem.measured,
        pending_cost=_pending_cost(problem, history, waiting),
        initial_done=history.initial_done,
        initial_size=initial.size(problem, design, history.moment(), asked),
        suggestions=len(history.suggestions),
        counts=_counts(problem, history, waiting),
        incumbent=history.designs.incumbent(),
        open=tuple(_open(row, missing, leases) for row, missing in waiting),
        computed=not problem.simulated,
    )


def accounts(problem: Problem, history: History) -> tuple[Account, ...]:
    found = []
    one = typical_costs(problem, history)
    for name in problem.functions:
        bundle = next((bundle for bundle in problem.bundles if name in bundle.functions), None)
        if bundle is None:  # it is known
            found.append(Account(name, 0.0, 0, 0, 0.0))
            continue
        tally = history.tallies[name]
        spent = bundle.cost * tally.charged / len(bundle.functions)
        if not plain(problem):
            spent = history.books.on_function(name)
        chosen = tally.told + tally.failed - tally.initial
        found.append(Account(name, one.get(name, 0.0), tally.initial, chosen, spent))
    return tuple(found)


def typical_costs(problem: Problem, history: History) -> dict[str, float]:
    """By function: what one evaluation of its bundle costs; where that is measured, in the middle of the box."""
    prices = history.prices() if problem.measured else None
    costs: dict[str, float] = {}
    for bundle in problem.bundles:
        cost = bundle.cost
        if prices is not None:
            cost = prices.parts(bundle.functions, np.full(problem.dimension, 0.5))[bundle.name]
        costs |= dict.fromkeys(bundle.functions, cost)
    return costs


def _pending_cost(problem: Problem, history: History, waiting: list[tuple[Suggestion, tuple[str, ...]]]) -> float:
    if plain(problem):
        return math.fsum(problem.cost(missing) for row, missing in waiting if not row.initial)
    return history.books.pending


def _open(row: Suggestion, missing: tuple[str, ...], leases: Leases) -> Open:
    running = (name for name in missing if (row.number, name) in leases and leases[row.number, name].living)
    return Open(row.number, dict(row.point), missing, tuple(running))


def _counts(problem: Problem, history: History, waiting: list[tuple[Suggestion, tuple[str, ...]]]) -> tuple[Count, ...]:
    one, found = typical_costs(problem, history), []
    for name in problem.functions:
        pending, tally = sum(name in missing for _, missing in waiting), history.tallies[name]
        found.append(Count(name, one.get(name, 0.0), tally.told, tally.failed, pending, tally.added))
    return tuple(found)
