"""Test problems by name, with the numbers needed to score an answer.

bench = taut.bench.problem("mystery", costs={"c": 5.0})
study = taut.Study(bench.problem)
best = study.run(bench.functions, budget=60)
bench.opportunity_cost(best.point)
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from taut.base.errors import ProblemError, UnknownNameError, listed, way_out
from taut.base.numbers import shown
from taut.bench import formulas
from taut.problem.functions import Constraint, Objective
from taut.problem.parameters import Real
from taut.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class PointFunction:
    """A formula of the coordinates as a function of a point; can be sent to another process."""

    formula: Callable[..., float]
    parameters: tuple[str, ...]

    def __call__(self, point: Mapping[str, float]) -> float:
        return float(self.formula(*(float(point[name]) for name in self.parameters)))


@dataclass(frozen=True, slots=True)
class BenchProblem:
    """A test problem with known answer: maximise f subject to c1, ..., cK <= 0 (a single one is c)."""

    name: str
    description: str
    """Source, and what makes the problem what it is."""
    problem: Problem
    functions: dict[str, PointFunction]
    """The callables, by name: they take a point (a dict) and return a float."""
    optimum: float
    """Objective value of the best feasible point."""
    solution: dict[str, float]
    """A best point; it meets every constraint exactly."""
    binding: tuple[str, ...]
    """Names of the constraints that are active at the optimum."""
    penalty: float
    """Score of an infeasible recommendation; not above the objective anywhere in the box."""
    constraint_ranges: dict[str, float]
    """Largest minus smallest value of each constraint over the box."""

    def evaluate(self, point: Mapping[str, float]) -> dict[str, float]:
        """All functions at one point."""
        return {name: function(point) for name, function in self.functions.items()}

    def is_feasible(self, point: Mapping[str, float], tolerance: float = 1e-6) -> bool:
        """True if c_k(point) <= tolerance * range_k for every constraint k."""
        inside = self.problem.check_point(point)
        ranges = self.constraint_ranges
        return all(self.functions[name](inside) <= tolerance * ranges[name] for name in ranges)

    def opportunity_cost(self, point: Mapping[str, float], tolerance: float = 1e-6) -> float:
        """What recommending this point costs: max(0, optimum - f(point)) if feasible, else optimum - penalty.

        Feasible as in is_feasible; the tolerance lets a point beat the optimum slightly, hence the 0.
        """
        if not self.is_feasible(point, tolerance):
            return self.optimum - self.penalty
        return max(0.0, self.optimum - self.functions[self.problem.objective.name](point))


def names() -> tuple[str, ...]:
    """Names of all test problems."""
    return tuple(_facts())


def problem(name: str, costs: Mapping[str, float] | None = None) -> BenchProblem:
    """The test problem of that name. costs: cost per function name; a function not named costs 1."""
    if not isinstance(name, str) or name not in _facts():
        raise UnknownNameError(
            f"Test problem {shown(name)} is unknown; expected one of {listed(names())}; {way_out(name, names())}."
        )
    if costs is not None and not isinstance(costs, Mapping):
        raise ProblemError(
            f"Test problem {name!r}: costs must be a dict by function, got {shown(costs)}; "
            "write for example {'f': 2.0}."
        )
    facts = _facts()[name]
    declared = _declared(name, facts, costs or {})
    parameters = tuple(parameter.name for parameter in declared.parameters)
    callables = [PointFunction(getattr(formulas, formula), parameters) for formula in facts["formulas"]]
    return BenchProblem(
        name=name,
        description=facts["description"],
        problem=declared,
        functions=dict(zip(declared.functions, callables, strict=True)),
        optimum=facts["optimum"],
        solution=dict(zip(parameters, facts["solution"], strict=True)),
        binding=tuple(facts["binding"]),
        penalty=facts["penalty"],
        constraint_ranges=dict(zip(declared.functions[1:], facts["ranges"], strict=True)),
    )


@cache
def _facts() -> dict[str, dict[str, Any]]:
    """What problems.toml says, by name of the problem."""
    said = tomllib.loads(Path(__file__).with_name("problems.toml").read_text(encoding="utf-8"))
    return {name: said.get(facts.get("like"), {}) | facts for name, facts in said.items()}


def _declared(name: str, facts: Mapping[str, Any], costs: Mapping[str, float]) -> Problem:
    count = len(facts["ranges"])
    constraints = ("c",) if count == 1 else tuple(f"c{k}" for k in range(1, count + 1))
    for function in costs:
        if function not in ("f", *constraints):
            raise UnknownNameError(
                f"Test problem {name!r}: cost given for {function!r}, which is unknown; "
                f"its functions are {listed(('f', *constraints))}."
            )
    return Problem(
        parameters=[Real(f"x{i}", *bounds) for i, bounds in enumerate(facts["bounds"], start=1)],
        objective=Objective("f", goal="maximize", cost=costs.get("f", 1.0)),
        constraints=[Constraint(each, at_most=0.0, cost=costs.get(each, 1.0)) for each in constraints],
    )
