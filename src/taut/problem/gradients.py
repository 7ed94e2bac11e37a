"""Is the gradient that came with a Python function that of the function? Asked before anything is paid for.

A wrong one leads every search astray without a word. Central differences at a few points tell, where the function is
smooth enough for them: the slopes on both sides must agree.
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.errors import ProblemError
from taut.problem.known import Known
from taut.problem.parameters import Real
from taut.problem.problem import Problem
from taut.problem.space import from_unit, real_columns

STEP = 1e-4  # of the unit cube: wide enough for functions that are exact to a few digits only
SMOOTH = 0.05  # relative difference of the slopes on both sides up to which their mean is one
WRONG = 0.1  # relative difference from which a gradient is another one
NOTHING = 1e-2  # of the spread of values: slopes below that (over the whole range) count as 0
WAY_OUT = "correct it, or leave gradient out: slopes are then found by differences"


def require_gradients(problem: Problem, x: Array) -> None:
    """Raise ProblemError if a given gradient is wrong at more than half of the points x [q, d] of the unit cube."""
    for name in problem.functions:
        function = problem.function(name)
        if function.gradient is not None:
            known = Known(problem, name)
            value = known.values(x)
            for column, parameter in real_columns(problem).values():
                _check(known, parameter, x[~np.isnan(value)], column, float(np.ptp(value[~np.isnan(value)])))


def _check(known: Known, parameter: Real, x: Array, column: int, spread: float) -> None:
    slope, smooth = _differences(known, x, column)
    given = np.array([known.given(u, parameter.name) for u in x]) * parameter.slope(x[:, column])
    size = np.maximum(np.abs(given), np.abs(slope))
    wrong = smooth & ~(np.abs(given - slope) <= WRONG * size + NOTHING * spread)
    if wrong.sum() <= max(0.5 * smooth.sum(), 1):
        return
    row = int(np.flatnonzero(wrong)[0])
    unit = float(parameter.slope(x[row : row + 1, column])[0])
    where = f"{parameter.name!r} at {from_unit(known.problem, x[row])}"
    got = f"{given[row] / unit:.6g}" if np.isfinite(given[row]) else known.trouble_of_gradient(x[row], parameter.name)
    expected = f"about {slope[row] / unit:.6g} for {where}, by differences"
    raise ProblemError.of(f"Function {known.name!r}: gradient", expected, got, WAY_OUT)


def _differences(known: Known, x: Array, column: int) -> tuple[Array, Flags]:
    """Slopes at x [q, d] along a column, and where they are the same on both sides; [q] each."""
    low, middle, high = x.copy(), x.copy(), x.copy()
    middle[:, column] = np.clip(x[:, column], STEP, 1.0 - STEP)
    low[:, column], high[:, column] = middle[:, column] - STEP, middle[:, column] + STEP
    below, here, above = known.values(low), known.values(middle), known.values(high)
    with np.errstate(invalid="ignore"):
        left, right, both = (here - below) / STEP, (above - here) / STEP, (above - below) / (2.0 * STEP)
        smooth = np.abs(left - right) <= SMOOTH * np.maximum(np.abs(left), np.abs(right))
    return both, smooth & np.isfinite(both)
