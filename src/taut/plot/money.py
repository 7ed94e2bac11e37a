"""Spending: what each function cost, and what it would have cost to evaluate all functions wherever any was."""

import math
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.data.charges import charge, parts_of
from taut.data.history import History
from taut.plot.thin import evenly
from taut.problem.bundles import nominal
from taut.problem.problem import Problem

MOST = 160
"""Moments of the course shown."""


@dataclass(frozen=True, slots=True)
class Paid:
    """One function. Costs are after the initial design; groups and setups are shared equally by their functions."""

    function: str
    cost: float
    """Of one evaluation, its share; where costs are measured, the mean so far."""
    initial: int
    chosen: int
    """Evaluations in the initial design, and after it; failures included."""
    failed: int
    added: int
    """Measured elsewhere."""
    spent: float
    coupled: float
    """What evaluating it at every location evaluated after the initial design would have cost."""


@dataclass(frozen=True, slots=True)
class Spending:
    """rows: in declared order. cost [m], evaluations [m, K + 1]: how many there had been, initial design included."""

    rows: tuple[Paid, ...]
    spent: float
    coupled: float
    """What all functions at every location would have cost."""
    locations: int
    """Different points evaluated after the initial design."""
    cost: Array
    evaluations: Array


def spending(problem: Problem, history: History) -> Spending:
    """Computed from the rows alone; O(values)."""
    answers = history.answers
    later = [row for row in history.suggestions if not row.initial]
    evaluated = [row for row in later if any((row.number, name) in answers for name in row.functions)]
    locations = len({tuple(row.point.values()) for row in evaluated})
    rows = tuple(_paid(problem, history, name, locations) for name in problem.functions)
    cost, evaluations = _course(problem, history)
    return Spending(rows, history.spent, math.fsum(row.coupled for row in rows), locations, cost, evaluations)


def _paid(problem: Problem, history: History, name: str, locations: int) -> Paid:
    tally, spent = history.tallies[name], history.books.on_function(name)
    chosen = tally.told + tally.failed - tally.initial
    if problem.measured:
        cost = spent / chosen if chosen else 0.0
    else:
        parts = [part for part in parts_of(problem) if name in part.functions]
        cost = math.fsum(nominal(part.cost) / len(part.functions) for part in parts)
    return Paid(name, cost, tally.initial, chosen, tally.failed, tally.added, spent, cost * locations)


def _course(problem: Problem, history: History) -> tuple[Array, Array]:
    """Cost and evaluations after each suggestion that has an answer; ([m], [m, K + 1])."""
    cost, counts = 0.0, np.zeros(len(problem.functions))
    costs, course = [0.0], [counts.copy()]
    for row in history.suggestions:
        told = [name for name in row.functions if (row.number, name) in history.answers]
        if told:
            counts[[problem.functions.index(name) for name in told]] += 1
            cost += 0.0 if row.initial else math.fsum(charge(problem, row, history.answers).spent.values())
            costs.append(cost)
            course.append(counts.copy())
    kept = evenly(len(costs), MOST)
    return np.array(costs)[kept], np.array(course)[kept]
