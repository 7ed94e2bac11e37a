"""COCO's suite bbob-constrained as test problems: minimise f subject to c1, ..., cK <= 0 over [-5, 5]^d.

The suite gives all constraints in one call; here each is a function of its own, with a cost of its own, which is our
accounting. Best values are by the suite's own construction, kept in optima.json (see benchmarks/coco/optima.py), so
that results can be read without COCO; only evaluating needs it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from taut.base.errors import TautError, UnknownNameError
from taut.bench.problems import BenchProblem, problem
from taut.problem.functions import Constraint, Objective
from taut.problem.parameters import Real
from taut.problem.problem import Problem

NAME = "bbob-constrained"
FUNCTIONS = range(1, 55)
DIMENSIONS = (2, 3, 5, 10, 20, 40)
INSTANCES = range(1, 16)
SIDE = 5.0
"""The box is [-5, 5]^d."""
_SAID = re.compile(NAME + r"_f(\d{3})_i(\d{2})_d(\d{2})")


@dataclass(frozen=True, slots=True)
class Place:
    """One problem of the suite."""

    function: int
    dimension: int
    instance: int

    @property
    def name(self) -> str:
        """The suite's own name of it: bbob-constrained_f001_i01_d02."""
        return f"{NAME}_f{self.function:03d}_i{self.instance:02d}_d{self.dimension:02d}"

    @property
    def constraints(self) -> int:
        """K: six objectives in a row have 1, 3, 9, 9 + 3d/4, 9 + 3d/2 and 9 + 9d/2 constraints, rounded down."""
        d = self.dimension
        return (1, 3, 9, 9 + 3 * d // 4, 9 + 3 * d // 2, 9 + 9 * d // 2)[(self.function - 1) % 6]


def place(name: str) -> Place:
    """The problem of that name."""
    found = _SAID.fullmatch(name)
    if found is None:
        raise UnknownNameError(
            f"Problem {name!r} is unknown; expected a name of the suite such as {Place(1, 2, 1).name!r}; check it."
        )
    function, instance, dimension = map(int, found.groups())
    return Place(function, dimension, instance)


def require() -> None:
    """Raise TautError unless the suite is installed: before anything is planned."""
    if find_spec("cocoex") is None:
        raise TautError(
            f"The suite {NAME} needs coco-experiment, which is not installed; run pip install 'taut[arena]'."
        )


@cache
def opened(where: Place) -> Any:
    """The suite's own problem, of this process."""
    require()
    import cocoex

    suite = cocoex.Suite(NAME, f"instances: {where.instance}", f"dimensions: {where.dimension}")
    return suite.get_problem_by_function_dimension_instance(where.function, where.dimension, where.instance)


@dataclass(frozen=True, slots=True)
class SuiteFunction:
    """Function number k of a problem (0: the objective) at a point; can be sent to another process."""

    where: Place
    k: int

    def __call__(self, point: Mapping[str, float]) -> float:
        x = np.array([float(value) for value in point.values()])
        return float(opened(self.where)(x) if self.k == 0 else opened(self.where).constraint(x)[self.k - 1])


@dataclass(frozen=True, slots=True)
class SuiteProblem(BenchProblem):
    """A problem of the suite. Feasible means c_k <= 0 exactly, as COCO has it; no ranges, solution or binding ones."""

    where: Place = Place(1, 2, 1)

    def start(self) -> dict[str, float]:
        """The feasible point that the suite offers to everybody."""
        x = opened(self.where).initial_solution
        return {parameter.name: float(u) for parameter, u in zip(self.problem.parameters, x, strict=True)}

    def evaluate(self, point: Mapping[str, float]) -> dict[str, float]:
        """All functions at one point; the suite gives all constraints at once."""
        x = np.array([float(value) for value in point.values()])
        values = [opened(self.where)(x), *opened(self.where).constraint(x)]
        return dict(zip(self.problem.functions, map(float, values), strict=True))

    def is_feasible(self, point: Mapping[str, float], tolerance: float = 0.0) -> bool:
        """True if c_k(point) <= tolerance for every constraint k."""
        inside = self.problem.check_point(point)
        return max(list(self.evaluate(inside).values())[1:]) <= tolerance

    def opportunity_cost(self, point: Mapping[str, float], tolerance: float = 0.0) -> float:
        """f(point) - optimum (the precision, for COCO) if feasible, else infinite."""
        if not self.is_feasible(point, tolerance):
            return math.inf
        return max(0.0, self.functions["f"](self.problem.check_point(point)) - self.optimum)


def suite_problem(where: Place) -> SuiteProblem:
    """The test problem at this place; every function costs 1."""
    names = ["c"] if where.constraints == 1 else [f"c{k}" for k in range(1, where.constraints + 1)]
    declared = Problem(
        parameters=[Real(f"x{i}", -SIDE, SIDE) for i in range(1, where.dimension + 1)],
        objective=Objective("f", goal="minimize"),
        constraints=[Constraint(name, at_most=0.0) for name in names],
    )
    return SuiteProblem(
        name=where.name,
        description=f"Function {where.function} of COCO's {NAME}",
        problem=declared,
        functions={name: SuiteFunction(where, k) for k, name in enumerate(declared.functions)},  # type: ignore[misc]
        optimum=optimum(where),
        solution={},
        binding=(),
        penalty=math.inf,
        constraint_ranges={},
        where=where,
    )


def optimum(where: Place) -> float:
    """The best feasible value, f*."""
    if where.name not in optima():
        raise UnknownNameError(
            f"Problem {where.name!r}: its best value is not in optima.json; add it with python benchmarks/bbob.py "
            f"optima --dimensions {where.dimension} --instances {where.instance}."
        )
    return float(optima()[where.name][0])


@cache
def optima() -> dict[str, list[float]]:
    """By name: the best value, how far below it a search ended, how many of its starts came within 1e-5, and starts."""
    found: dict[str, list[float]] = json.loads(Path(__file__).with_name("optima.json").read_text(encoding="utf-8"))
    return found


def any_problem(name: str, costs: Mapping[str, float]) -> BenchProblem:
    """A test problem of the library, or of the suite (with unit costs)."""
    return suite_problem(place(name)) if name.startswith(NAME) else problem(name, costs)


def given(bench: BenchProblem) -> list[dict[str, float]]:
    """Points that are known before the initial design."""
    return [bench.start()] if isinstance(bench, SuiteProblem) else []
