"""One run of a rival, which evaluates all functions at each trial and pays 1 + K units for it.

It is given the same points as the library's methods: the suite's feasible start and the rest of the initial design of
that seed, in the unit cube, with f as it is and every constraint in units of its spread over these points (c <= 0 stays
c <= 0). What it would hand to a user is the best trial that was feasible.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import taut
from taut_paper.arena.suite import SIDE, SuiteProblem, any_problem, given, opened
from taut_paper.experiments import Repetition
from taut_paper.repetition import Step, begin

ROUNDING = 1e-9


class SpentError(Exception):
    """The budget does not pay for another trial."""


@dataclass
class Trials:
    """Points of the unit cube [n, d], f [n] and constraints [n, K] in units of their spread, the design first."""

    bench: SuiteProblem
    budget: float
    X: np.ndarray
    f: np.ndarray
    c: np.ndarray
    scale: np.ndarray
    steps: list[Step] = field(default_factory=list)
    begun: float = 0.0
    """CPU time of the process, not of this thread alone: a rival may count in threads of its own."""

    @property
    def cost(self) -> float:
        return 1.0 + self.c.shape[1]

    @property
    def spent(self) -> float:
        return self.cost * (len(self.steps) - 1)

    @property
    def best(self) -> int:
        """The best feasible trial; if there is none, the one with the least sum of violations."""
        violation = np.maximum(self.c, 0.0).sum(axis=1)
        return int(np.lexsort((self.f, violation))[0])

    def __call__(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        """f and constraints [K] at a point of the unit cube; SpentError if it cannot be paid."""
        if self.spent + self.cost > self.budget + ROUNDING:
            raise SpentError
        seconds, u = time.process_time() - self.begun, np.clip(np.asarray(u, dtype=float), 0.0, 1.0)
        f, c = values(self.bench, u)
        self.X, self.f = np.vstack([self.X, u]), np.append(self.f, f)
        self.c = np.vstack([self.c, c / self.scale])
        self._record(u, seconds)
        self.begun = time.process_time()
        return f, self.c[-1]

    def _record(self, u: np.ndarray | None, seconds: float) -> None:
        names = self.bench.problem.functions if u is not None else ()
        answer = SIDE * (2.0 * self.X[self.best] - 1.0)
        point = dict(zip((p.name for p in self.bench.problem.parameters), map(float, answer), strict=True))
        spent = self.cost * len(self.steps)
        place = () if u is None else tuple(float(v) for v in SIDE * (2.0 * u - 1.0))
        self.steps.append(
            Step(spent, names, names, place, tuple(point.values()), self.bench.opportunity_cost(point), seconds, 0.0)
        )


def values(bench: SuiteProblem, u: np.ndarray) -> tuple[float, np.ndarray]:
    problem, x = opened(bench.where), SIDE * (2.0 * u - 1.0)
    return float(problem(x)), np.array(problem.constraint(x), dtype=float)


def trials(run: Repetition) -> Trials:
    """Before the first trial: the initial design is known."""
    bench = any_problem(run.problem, {})
    study = taut.Study(bench.problem, method="random", seed=run.seed, initial=run.initial)
    begin(bench, study, run.initial)
    points = [given(bench)[0], *(row.point for row in study.suggestions)]
    X = np.array([[(value / SIDE + 1.0) / 2.0 for value in point.values()] for point in points])
    pairs = [values(bench, u) for u in X]
    c = np.array([pair[1] for pair in pairs])
    scale = np.maximum(np.ptp(c, axis=0), 1e-12)
    found = Trials(bench, run.budget, X, np.array([pair[0] for pair in pairs]), c / scale, scale)
    found._record(None, 0.0)
    found.begun = time.process_time()
    return found


Rival = Callable[[Trials, int], None]
"""Calls the trials until they raise SpentError; the number is its seed."""


def play(run: Repetition, rival: Rival) -> list[Step]:
    """All steps of a run; a rival that ends by itself is at its end."""
    board = trials(run)
    try:
        rival(board, run.seed)
    except SpentError:
        pass
    return board.steps
