"""Best values of bbob-constrained.

Not an optimiser's word: the suite builds every problem round its optimum, and writes that point to a file on request
(a private call of coco-experiment). A search on the true functions then has to end nowhere lower: SLSQP from that
point, from the suite's feasible start and from Sobol points, with constraints in units of their range. It may end
below the value by what its own tolerance of 1e-9 of a range allows.
"""

import json
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from taut.base.quasirandom import sobol
from taut_paper.arena import suite

KEPT = Path(suite.__file__).with_name("optima.json")
SAID = "._bbob_problem_best_parameter.txt"
STARTS = {2: 24, 3: 24, 5: 24, 10: 6}
"""Sobol points from which a search starts, by dimension; 2 if it is not named."""
CLOSE, SLACK = 1e-5, 1e-9


@contextmanager
def inside(folder: str):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def by_construction(where: suite.Place) -> np.ndarray:
    """The point that the suite was built round; [d]."""
    with tempfile.TemporaryDirectory() as folder, inside(folder):
        suite.opened(where)._best_parameter("print")
        return np.array([float(word) for word in Path(SAID).read_text().split()])


def spread(problem: Any, d: int, count: int = 256) -> tuple[float, np.ndarray]:
    """Largest minus smallest value of f, and of every constraint [K], at Sobol points."""
    X = suite.SIDE * (2.0 * sobol(count, d, np.random.default_rng(0)) - 1.0)
    C = np.array([problem.constraint(x) for x in X])
    return float(np.ptp([problem(x) for x in X])), np.maximum(np.ptp(C, axis=0), 1e-12)


def searched(problem: Any, start: np.ndarray, scale: float, ranges: np.ndarray) -> float | None:
    """The value where SLSQP ends from a start; None if it is not feasible."""
    bounds = [(-suite.SIDE, suite.SIDE)] * len(start)
    limit = {"type": "ineq", "fun": lambda x: -problem.constraint(x) / ranges}
    options = {"maxiter": 200, "ftol": 1e-14}

    def height(x: np.ndarray) -> float:
        return problem(x) / scale

    end = minimize(height, start, method="SLSQP", bounds=bounds, constraints=limit, options=options)
    x = np.clip(end.x, -suite.SIDE, suite.SIDE)
    return float(problem(x)) if (problem.constraint(x) / ranges).max() <= SLACK else None


def entry(where: suite.Place) -> list[float]:
    """The best value, how far below it the search ended (rounding and slack), starts that came close to it, starts."""
    problem, d = suite.opened(where), where.dimension
    best = by_construction(where)
    if problem.constraint(best).max() > 0.0 or np.abs(best).max() > suite.SIDE:
        raise AssertionError(f"{where.name}: the suite's own optimum is not feasible")
    value = float(problem(best))
    scale, ranges = spread(problem, d)
    X = suite.SIDE * (2.0 * sobol(STARTS.get(d, 2), d, np.random.default_rng(1)) - 1.0)
    ends = [searched(problem, start, scale, ranges) for start in (best, problem.initial_solution, *X)]
    good = [end for end in ends if end is not None]
    below = max(0.0, value - min(good, default=value))
    if below > 1e-7 * scale:
        raise AssertionError(f"{where.name}: a search ended {below:g} below the suite's own optimum")
    return [value, float(f"{below:.1e}"), sum(end <= value + CLOSE for end in good[1:]), len(ends) - 1]


def write(places: Sequence[suite.Place], processes: int) -> int:
    """Add what is missing to the file; how many were added."""
    known = dict(suite.optima()) if KEPT.exists() else {}
    todo = [where for where in places if where.name not in known]
    with ProcessPoolExecutor(processes) as pool:
        known |= {where.name: found for where, found in zip(todo, pool.map(entry, todo), strict=True)}
    lines = [f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known)]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return len(todo)
