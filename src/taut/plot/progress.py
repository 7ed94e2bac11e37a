"""Convergence: what had been recommended at each cost, judged by what is known now, and the best measured design.

A method keeps its recommendation of the moment with every suggestion (memory["best"], a point of the unit cube), so
nothing is computed again: the models of today say what each of them was worth. The best measured design needs no model.
"""

import math
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.data import ledger
from taut.data.charges import charge
from taut.data.designs import Designs
from taut.data.history import History
from taut.data.results import Recommendation
from taut.data.rows import Observation
from taut.data.survey import Survey
from taut.plot.thin import evenly
from taut.problem.problem import Problem
from taut.problem.space import to_unit

MOST = 120
"""Recommendations shown, evenly over the suggestions."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The best measured design: objective [q] from each cost [q] on; number: of the evaluation that made it so."""

    cost: Array
    objective: Array
    number: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Convergence:
    """Objective (mean, sd) and feasibility [m] of what was recommended when so much [m] was spent, as known now."""

    cost: Array
    objective: Array
    sd: Array
    feasibility: Array
    measured: Steps
    spent: float


@dataclass(frozen=True, slots=True)
class Recommended:
    """Earlier recommendations: where [m, d] of the unit cube, and at which cost [m]."""

    cost: Array
    points: Array


def recommended(problem: Problem, history: History, best: Recommendation | None) -> Recommended:
    """At most MOST of them, and the present one, if there is one."""
    found, cost = [], 0.0
    for row in history.suggestions:
        kept = row.memory.get("best")
        if not row.initial and isinstance(kept, list) and len(kept) == problem.dimension:
            found.append((cost, kept))
        cost += 0.0 if row.initial else row.cost
    found = [found[i] for i in evenly(len(found), MOST)]
    if best is not None:
        found.append((history.spent, list(to_unit(problem, best.point))))
    costs = np.minimum([each[0] for each in found], history.spent)  # what is asked for may not be paid yet
    return Recommended(costs, np.array([each[1] for each in found], dtype=float).reshape(-1, problem.dimension))


def convergence(history: History, steps: Steps, found: Recommended, survey: Survey | None) -> Convergence:
    """survey: at the recommended points; None if the method makes none."""
    if survey is None:
        nothing = np.empty(0)
        return Convergence(nothing, nothing, nothing, nothing, steps, history.spent)
    mean, sd = survey.mean[:, 0], survey.sd[:, 0]
    return Convergence(found.cost, mean, sd, survey.feasibility, steps, history.spent)


def measured_steps(problem: Problem, history: History) -> Steps:
    """How the best measured design improved with cost; O(values)."""
    designs, cost, paid = Designs(problem), 0.0, _Paid(problem, history)
    found: list[tuple[float, float, int | None]] = []
    for row in ledger.counting(history.observations):
        cost += paid.by(row)
        designs.add(row)
        best = designs.best_objective
        if best is not None and (not found or best != found[-1][1]):
            found.append((cost, best, row.suggestion))
    return Steps(np.array([f[0] for f in found]), np.array([f[1] for f in found]), tuple(f[2] for f in found))


class _Paid:
    """What each answer added to the spent cost: the first of a bundle, or of a setup, pays for it."""

    def __init__(self, problem: Problem, history: History) -> None:
        self._problem, self._history = problem, history
        self._told: ledger.Answers = {}
        self._spent: dict[int, float] = {}

    def by(self, row: Observation) -> float:
        asked = None if row.suggestion is None else self._history.find(row.suggestion)
        if asked is None or asked.initial:
            return 0.0
        self._told[asked.number, row.function] = row
        spent = math.fsum(charge(self._problem, asked, self._told).spent.values())
        more = spent - self._spent.get(asked.number, 0.0)
        self._spent[asked.number] = spent
        return more
