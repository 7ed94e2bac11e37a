"""One call for people who only want the answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from taut.base import numbers
from taut.base.errors import ProblemError, UnknownNameError, listed
from taut.base.numbers import Cost, shown
from taut.data.results import Recommendation
from taut.data.rows import Suggestion
from taut.problem.discrete import Parameter
from taut.problem.functions import Constraint, Objective
from taut.problem.parameters import Real
from taut.problem.problem import Problem
from taut.study.method import Policy
from taut.study.programs import Function
from taut.study.study import Study

Parameters = Iterable[Parameter] | Mapping[str, Sequence[float]]
"""taut.Real and other parameters, or (low, high) by name; NumPy arrays of two numbers will do."""

Constraints = Mapping[str, tuple[Function | None, float | Constraint]]
"""By name: a callable, and the most its value may be (or a taut.Constraint; with a formula it needs no callable)."""

Callback = Callable[[Study, Suggestion], object]
"""Called with the study and each suggestion that is complete."""

OBJECTIVE = "objective"
Costs = Mapping[str, Cost] | Literal["measured"]
_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Result(Recommendation):
    """The recommended point, what is believed about it, and the study behind it."""

    study: Study = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class OneCall:
    """Declares a problem, runs a study of it and returns its answer; taut.minimize and taut.maximize are its method."""

    goal: Literal["maximize", "minimize"]

    def solve(
        self,
        objective: Function,
        parameters: Parameters,
        constraints: Constraints | None = None,
        *,
        budget: float,
        costs: Costs | None = None,
        method: str | Policy = "dckg",
        seed: int = 0,
        initial: int | None = None,
        executor: Executor | None = None,
        preset: str | None = None,
        options: Mapping[str, Any] | None = None,
        workers: int | None = None,
        callback: Callback | None = None,
        verify: bool = True,
        stop: float | None = None,
    ) -> Result:
        """The point where the objective is smallest (or largest) among those that meet all constraints.

        objective: a callable that takes the point (a dict).
        parameters: {"x": (low, high)} or a list of taut.Real, Integer, Ordinal, Choice.
        constraints: {"c": (callable, at_most)} or {"c": (callable, taut.Constraint("c", ...))}; no callable (None) if
        that has a formula.
        budget: cost after the initial design.
        costs: of "objective" and the constraints by name, 1 where not given; or "measured": seconds, as is the budget.
        method, seed, initial, preset, options: as in Study; executor, workers, callback, verify, stop: as in Study.run.
        """
        problem, functions = _declare(self.goal, objective, parameters, constraints, costs)
        study = Study(problem, method, seed, initial, preset=preset, options=options)
        best = study.run(functions, budget, executor, workers, callback, verify, stop)
        return Result(**{each.name: getattr(best, each.name) for each in fields(best)}, study=study)


OneCall.solve.__qualname__ = "minimize/maximize"  # as the user knows it, in messages about its arguments
minimize = OneCall("minimize").solve
maximize = OneCall("maximize").solve


def _declare(
    goal: Literal["maximize", "minimize"],
    objective: Function,
    parameters: Parameters,
    constraints: Constraints | None,
    costs: Costs | None,
) -> tuple[Problem, dict[str, Any]]:
    constraints = _by_name("constraints", constraints, '{"c": (function, at_most)}')
    known = [OBJECTIVE, *constraints]
    if isinstance(costs, str):
        costs = dict.fromkeys(known, numbers.cost("costs", costs))
    costs = _by_name("costs", costs, '{"objective": 1.0, "c": 5.0}')
    for name in costs:
        if name not in known:
            raise UnknownNameError(f"costs: function {name!r} is unknown; expected {listed(known)}.")
    problem = Problem(
        parameters=_parameters(parameters),
        objective=Objective(OBJECTIVE, goal, costs.get(OBJECTIVE, 1.0)),
        constraints=[_constraint(name, entry, costs.get(name)) for name, entry in constraints.items()],
    )
    called = [name for name in constraints if name in problem.simulated]  # a taut.Constraint may have a formula
    return problem, {OBJECTIVE: objective} | {name: constraints[name][0] for name in called}


def _by_name(what: str, given: Mapping[str, _Entry] | None, example: str) -> Mapping[str, _Entry]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ProblemError(f"{what} must be a dict by name, got {shown(given)}; write for example {what}={example}.")
    return given


def _parameters(parameters: Parameters) -> Iterable[Parameter]:
    if not isinstance(parameters, Mapping):
        return parameters
    return [Real(name, *_pair(name, bounds)) for name, bounds in parameters.items()]


def _pair(name: str, bounds: object) -> tuple[Any, Any]:
    if not isinstance(bounds, (str, bytes, Mapping, Set)) and isinstance(bounds, Iterable):
        pair = tuple(bounds)
        if len(pair) == 2:
            return pair
    raise ProblemError(f"Parameter {name!r}: expected (low, high), got {shown(bounds)}; give two numbers.")


def _constraint(name: str, entry: object, cost: Cost | None) -> Constraint:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        raise ProblemError(f"Constraint {name!r}: expected (callable, at_most), got {shown(entry)}; give these two.")
    bound = entry[1]
    if not isinstance(bound, Constraint):
        return Constraint(name, at_most=bound, cost=1.0 if cost is None else cost)
    if bound.name != name:
        raise ProblemError(f"Constraint {name!r}: expected taut.Constraint({name!r}, ...), got {bound!r}.")
    return bound if cost is None else replace(bound, cost=cost)
