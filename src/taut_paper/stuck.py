"""Is a run stuck? One definition for everything that is measured.

A run is stuck at a local optimum if a local search on the true functions, begun at its last recommendation, does not
lead to the optimum: its end is neither within PLACE of a side of the box of it in every parameter, nor within VALUE of
it, where 1 is how far f is behind the optimum at half of the points of the box. What is merely not exact yet is not
stuck, and an infeasible answer beside the optimum is not either: it is counted as infeasible.

The search is sequential quadratic programming in the unit cube, with f in that unit and every constraint divided by its
range over Sobol points, in steps of at most STEP of a side, so that it does not leap over a hill. Where values span
orders of magnitude it ends in the unit of what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.bench.problems import BenchProblem
from taut.problem.space import from_unit, to_unit

VALUE, PLACE = 1e-4, 0.01
SLACK = 1e-4
"""Of a constraint's range: an end that violates it by less is feasible, as searches end where many constraints meet."""
STEP, STEPS = 0.1, 40
STILL = 1e-6
"""A step of less than this share of a side is the last one."""
POINTS = 256
"""Sobol points over which units are measured."""
FINEST = 1e-6
"""The least unit of f at the end of a search, in its first one."""


@dataclass(frozen=True)
class Truth:
    """A test problem in the unit cube: minimise f subject to c_k <= 0; the unit of f, and of every c_k [K]."""

    bench: BenchProblem
    unit: float
    ranges: Array
    _last: dict[bytes, Array] = field(default_factory=dict)
    """Values at the last point, [K + 1]: whoever asks for f asks for c there as well."""

    @classmethod
    def of(cls, bench: BenchProblem) -> Truth:
        plain = cls(bench, 1.0, np.ones(len(bench.problem.constraints)))
        at = sobol(POINTS, bench.problem.dimension, np.random.default_rng(0))
        values = np.array([plain._values(u) for u in at])
        units = np.array([np.median(np.abs(values[:, 0] - bench.optimum)), *np.ptp(values[:, 1:], axis=0)])
        units = np.where(units > 0.0, units, 1.0)
        return cls(bench, float(units[0]), units[1:])

    def f(self, u: Array) -> float:
        return self._sign * float(self._values(u)[0])

    def c(self, u: Array) -> Array:
        """Divided by their ranges; [K]."""
        return self._values(u)[1:] / self.ranges

    def _values(self, u: Array) -> Array:
        if u.tobytes() not in self._last:
            self._last.clear()
            values = self.bench.evaluate(from_unit(self.bench.problem, u))
            self._last[u.tobytes()] = np.array([values[name] for name in self.bench.problem.functions])
        return self._last[u.tobytes()]

    @property
    def _sign(self) -> float:
        return 1.0 if self.bench.problem.objective.goal == "minimize" else -1.0

    def behind(self, u: Array) -> float:
        """f(u) - f*, infinite where a constraint is violated."""
        return self.f(u) - self._sign * self.bench.optimum if (self.c(u) <= SLACK).all() else np.inf

    def searched(self, u: Array) -> Array:
        """Where a local search ends; [d]."""
        size = self.unit
        for _ in range(STEPS):
            before, u = u, self._step(u, size)
            if np.abs(u - before).max() < STILL:
                smaller = max(abs(self.f(u)), FINEST * self.unit)
                if smaller >= size:
                    break
                size = smaller
        return u

    def _step(self, u: Array, size: float) -> Array:
        low, high = np.maximum(u - STEP, 0.0), np.minimum(u + STEP, 1.0)
        end = minimize(
            lambda x: self.f(np.clip(x, low, high)) / size, u, method="SLSQP", bounds=list(zip(low, high, strict=True)),
            constraints={"type": "ineq", "fun": lambda x: -self.c(np.clip(x, low, high))},
            options={"maxiter": 100, "ftol": 1e-12},
        )  # fmt: skip
        return np.clip(end.x, low, high) if np.isfinite(end.x).all() else u


def is_stuck(bench: BenchProblem, answer: Mapping[str, float], best: Sequence[float] | None = None) -> bool:
    """Whether a local search from an answer ends away from the optimum.

    best: a best point in the user's units [d], where the test problem itself does not have one.
    """
    truth, problem = Truth.of(bench), bench.problem
    known = bench.solution if best is None else dict(zip(answer, best, strict=True))
    goal = to_unit(problem, known) if known else None

    def there(u: Array) -> bool:
        near = goal is not None and bool((np.abs(u - goal) <= PLACE).all())
        return near or truth.behind(u) <= VALUE * truth.unit

    start = to_unit(problem, answer)
    return not (there(start) or there(truth.searched(start)))
