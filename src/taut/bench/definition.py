"""The facts that make up one test problem, before it is turned into a taut.Problem."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Formula = Callable[[Sequence[float]], float]
"""A function of the coordinates x = (x1, ..., xd), in the problem's own units."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Maximise objective(x) subject to constraint(x) <= 0 for every constraint, x in the box `bounds`."""

    name: str
    description: str
    bounds: tuple[tuple[float, float], ...]
    objective: Formula
    constraints: tuple[Formula, ...]
    optimum: float
    """Largest feasible objective value."""
    solution: tuple[float, ...]
    """A point that attains it (up to rounding) and meets every constraint exactly in float64."""
    active: tuple[int, ...]
    """Positions, counted from 1, of the constraints that are zero at the optimum."""
    penalty: float
    """Score of an infeasible recommendation; never above the smallest objective value in the box."""
    ranges: tuple[float, ...]
    """Largest minus smallest value of each constraint over the box."""
