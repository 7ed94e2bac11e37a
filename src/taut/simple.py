"""One call for people who only want the answer."""

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Literal

from taut.errors import ProblemError, UnknownNameError, listed
from taut.evaluate import Function
from taut.problem import Constraint, Objective, Problem, Real
from taut.study import Policy, Study

Parameters = Iterable[Real] | Mapping[str, tuple[float, float]]
"""taut.Real objects, or (low, high) by name."""

Constraints = Mapping[str, tuple[Function, float | Constraint]]
"""By name: a callable, and the most its value may be (or a taut.Constraint)."""

OBJECTIVE = "objective"


@dataclass(frozen=True, slots=True)
class Result:
    """The recommended point, what is believed about it, and the study behind it."""

    point: dict[str, float]
    objective: tuple[float, float]
    feasibility: float
    constraints: dict[str, tuple[float, float, float]]
    note: str
    study: Study


def minimize(
    objective: Function,
    parameters: Parameters,
    constraints: Constraints | None = None,
    *,
    budget: float,
    costs: Mapping[str, float] | None = None,
    method: str | Policy = "dckg",
    seed: int = 0,
    initial: int | None = None,
    executor: Executor | None = None,
) -> Result:
    """The point where the objective is smallest among those that meet all constraints.

    objective: a callable that takes the point (a dict).
    parameters: {"x": (low, high)} or a list of taut.Real.
    constraints: {"c": (callable, at_most)} or {"c": (callable, taut.Constraint("c", ...))}.
    budget: cost after the initial design.
    costs: of "objective" and the constraints by name, 1 where not given.
    method, seed, initial: as in Study; executor: as in Study.run.
    """
    problem, functions = _declare("minimize", objective, parameters, constraints or {}, costs or {})
    return _solve(Study(problem, method, seed, initial), functions, budget, executor)


def maximize(
    objective: Function,
    parameters: Parameters,
    constraints: Constraints | None = None,
    *,
    budget: float,
    costs: Mapping[str, float] | None = None,
    method: str | Policy = "dckg",
    seed: int = 0,
    initial: int | None = None,
    executor: Executor | None = None,
) -> Result:
    """Like minimize, for the point where the objective is largest."""
    problem, functions = _declare("maximize", objective, parameters, constraints or {}, costs or {})
    return _solve(Study(problem, method, seed, initial), functions, budget, executor)


def _solve(study: Study, functions: Mapping[str, Function], budget: float, executor: Executor | None) -> Result:
    best = study.run(functions, budget, executor)
    return Result(best.point, best.objective, best.feasibility, best.constraints, best.note, study)


def _declare(
    goal: Literal["maximize", "minimize"],
    objective: Function,
    parameters: Parameters,
    constraints: Constraints,
    costs: Mapping[str, float],
) -> tuple[Problem, dict[str, Function]]:
    known = [OBJECTIVE, *constraints]
    for name in costs:
        if name not in known:
            raise UnknownNameError(f"costs: function {name!r} is unknown; expected {listed(known)}.")
    problem = Problem(
        parameters=_parameters(parameters),
        objective=Objective(OBJECTIVE, goal, costs.get(OBJECTIVE, 1.0)),
        constraints=[_constraint(name, entry, costs.get(name)) for name, entry in constraints.items()],
    )
    return problem, {OBJECTIVE: objective} | {name: entry[0] for name, entry in constraints.items()}


def _parameters(parameters: Parameters) -> Iterable[Real]:
    if not isinstance(parameters, Mapping):
        return parameters
    for name, bounds in parameters.items():
        if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
            raise ProblemError(f"Parameter {name!r}: expected (low, high), got {bounds!r}.")
    return [Real(name, low, high) for name, (low, high) in parameters.items()]


def _constraint(name: str, entry: object, cost: float | None) -> Constraint:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        raise ProblemError(f"Constraint {name!r}: expected (callable, at_most), got {entry!r}.")
    bound = entry[1]
    if not isinstance(bound, Constraint):
        return Constraint(name, at_most=bound, cost=1.0 if cost is None else cost)
    if bound.name != name:
        raise ProblemError(f"Constraint {name!r}: expected taut.Constraint({name!r}, ...), got {bound!r}.")
    return bound if cost is None else replace(bound, cost=cost)
