"""Test problems by name, with the numbers needed to score an answer.

bench = taut.bench.problem("mystery", costs={"c": 5.0})
study = taut.Study(bench.problem)
best = study.run(bench.functions, budget=60)
bench.opportunity_cost(best.point)
"""

from collections.abc import Mapping
from dataclasses import dataclass

from taut.base.errors import ProblemError, UnknownNameError, listed, way_out
from taut.base.numbers import shown
from taut.bench import classic, engineering
from taut.bench.definition import Definition, Formula
from taut.problem.functions import Constraint, Objective
from taut.problem.parameters import Real
from taut.problem.problem import Problem

_DEFINITIONS: dict[str, Definition] = {
    definition.name: definition for definition in (*classic.DEFINITIONS, *engineering.DEFINITIONS)
}


@dataclass(frozen=True, slots=True)
class PointFunction:
    """A formula of the coordinates as a function of a point; can be sent to another process."""

    formula: Formula
    parameters: tuple[str, ...]

    def __call__(self, point: Mapping[str, float]) -> float:
        return float(self.formula([float(point[name]) for name in self.parameters]))


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
    return tuple(_DEFINITIONS)


def problem(name: str, costs: Mapping[str, float] | None = None) -> BenchProblem:
    """The test problem of that name. costs: cost per function name; a function not named costs 1."""
    if not isinstance(name, str) or name not in _DEFINITIONS:
        raise UnknownNameError(
            f"Test problem {shown(name)} is unknown; expected one of {listed(names())}; {way_out(name, names())}."
        )
    if costs is not None and not isinstance(costs, Mapping):
        raise ProblemError(
            f"Test problem {name!r}: costs must be a dict by function, got {shown(costs)}; "
            "write for example {'f': 2.0}."
        )
    definition = _DEFINITIONS[name]
    constraints = _constraint_names(len(definition.constraints))
    parameters = tuple(f"x{i}" for i in range(1, len(definition.bounds) + 1))
    formulas = dict(zip(("f", *constraints), (definition.objective, *definition.constraints), strict=True))
    return BenchProblem(
        name=name,
        description=definition.description,
        problem=_declare(definition, parameters, constraints, dict(costs or {})),
        functions={function: PointFunction(formula, parameters) for function, formula in formulas.items()},
        optimum=definition.optimum,
        solution=dict(zip(parameters, definition.solution, strict=True)),
        binding=tuple(constraints[k - 1] for k in definition.active),
        penalty=definition.penalty,
        constraint_ranges=dict(zip(constraints, definition.ranges, strict=True)),
    )


def _constraint_names(count: int) -> tuple[str, ...]:
    return ("c",) if count == 1 else tuple(f"c{k}" for k in range(1, count + 1))


def _declare(
    definition: Definition, parameters: tuple[str, ...], constraints: tuple[str, ...], costs: dict[str, float]
) -> Problem:
    for function in costs:
        if function not in ("f", *constraints):
            raise UnknownNameError(
                f"Test problem {definition.name!r}: cost given for {function!r}, which is unknown; "
                f"its functions are {listed(('f', *constraints))}."
            )
    return Problem(
        parameters=[Real(name, *bounds) for name, bounds in zip(parameters, definition.bounds, strict=True)],
        objective=Objective("f", goal="maximize", cost=costs.get("f", 1.0)),
        constraints=[Constraint(name, at_most=0.0, cost=costs.get(name, 1.0)) for name in constraints],
    )
