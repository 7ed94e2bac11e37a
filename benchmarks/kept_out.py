"""Test problems of taut.bench with a disc around their best point that may not be entered.

The disc is one more simulated constraint. It has slack at the best point that is left, which lies in another piece of
the feasible region, and keeps out the better one: its true verdict is `excluding`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import taut
from taut.bench import BenchProblem
from taut.bench.problems import PointFunction

RADIUS = 0.25


@dataclass(frozen=True)
class Disc:
    """radius^2 - distance^2 from a place: at most 0 outside; can be sent to another process."""

    x1: float
    x2: float

    def __call__(self, x1: float, x2: float) -> float:
        return RADIUS**2 - (x1 - self.x1) ** 2 - (x2 - self.x2) ** 2


LEFT: Mapping[str, tuple[float, dict[str, float]]] = {
    "gramacy": (-0.75, {"x1": 0.0, "x2": 0.75}),
    "test_function_2": (0.6883834583234383, {"x1": 0.2616165416765618, "x2": 0.12161748613637335}),
}
"""The optimum outside of the disc and where it is; the constraints that bind are the same as without it."""


def problem(name: str) -> BenchProblem:
    """A test problem by its name, or with a disc by its name and "_kept_out"."""
    plain, kept_out = name.removesuffix("_kept_out"), name.endswith("_kept_out")
    bench = taut.bench.problem(plain)
    if not kept_out:
        return bench
    disc, last = Disc(*bench.solution.values()), f"c{len(bench.constraint_ranges) + 1}"
    optimum, solution = LEFT[plain]
    declared = bench.problem
    corners = [(a, b) for a in (0.0, 1.0) for b in (0.0, 1.0)]
    return replace(
        bench,
        name=name,
        description=f"{plain} without a disc around its optimum: {last} keeps out the better piece.",
        problem=taut.Problem(
            declared.parameters, declared.objective, [*declared.constraints, taut.Constraint(last, at_most=0.0)]
        ),
        functions=bench.functions | {last: PointFunction(disc, tuple(bench.solution))},
        optimum=optimum,
        solution=solution,
        constraint_ranges=bench.constraint_ranges | {last: RADIUS**2 - min(disc(*each) for each in corners)},
    )
