"""The problem that a VOCS of gest-api is, and the VOCS with which it is given to a host."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from gest_api.vocs import (
    VOCS,
    BoundsConstraint,
    ContextualVariable,
    ContinuousVariable,
    DiscreteVariable,
    GreaterThanConstraint,
    LessThanConstraint,
    MaximizeObjective,
    MinimizeObjective,
    Observable,
)

from taut.base.errors import UnknownNameError, listed
from taut.base.numbers import FINITE, Cost, as_float, finite, shown
from taut.hosts.accepted import check, whole
from taut.hosts.names import Renamed, clean
from taut.hosts.requests import ID, REQUEST, SECONDS, GestError, Requests
from taut.problem.discrete import Choice, Integer, Ordinal, Parameter
from taut.problem.functions import Constraint, Group, Objective, Setup
from taut.problem.parameters import Real
from taut.problem.problem import Problem


def problem_of(vocs: Any, costs: Mapping[str, Cost] | str, groups: Iterable[Group], setups: Iterable[Setup]) -> Problem:
    """costs: by output, 1 where none is given; or "measured"."""
    check(vocs)
    names = [*vocs.objectives, *vocs.constraints]
    prices: Mapping[str, Any] = dict.fromkeys(names, costs) if isinstance(costs, str) else costs
    for name in prices:
        if name not in names:
            raise UnknownNameError(f"costs: output {name!r} is unknown; this VOCS has {listed(names)}.")
    ours = renamed(vocs)
    return Problem(
        [_parameter(ours.name(name), each) for name, each in _varied(vocs).items()],
        _objective(ours.name(names[0]), vocs.objectives[names[0]], prices.get(names[0], 1.0)),
        [_constraint(ours.name(name), each, prices.get(name, 1.0)) for name, each in vocs.constraints.items()],
        [Group(each.name, map(ours.name, each.functions), each.cost) for each in groups],
        setups=[Setup(each.name, map(ours.name, each.functions), each.cost) for each in setups],
    )


def renamed(vocs: Any) -> Renamed:
    """Names that taut does not take, such as those of control systems ("SOLN:IN10:121:BACT"), and ours for them."""
    names = [*_varied(vocs), *vocs.objectives, *vocs.constraints]
    clear = {name for name in names if clean(name) == name}
    others = {*vocs.variables, *vocs.constants, *vocs.observables, REQUEST, SECONDS, ID}
    return Renamed.of([name for name in names if name not in clear], sorted(clear | others.difference(names)))


def fixed(vocs: Any) -> dict[str, Any]:
    """What is the same in every suggestion: constants, and variables with one value."""
    constants = {name: each.value for name, each in vocs.constants.items()}
    return constants | {name: _values(each)[0] for name, each in vocs.variables.items() if _single(name, each)}


def with_requests(vocs: Any, requests: Requests) -> Any:
    """The VOCS with the variable that carries the request, and the observable that says that it was answered."""
    known = vocs.variables.get(REQUEST)
    if known is not None and set(getattr(known, "values", ())) != set(requests.codes):
        expected = f"a DiscreteVariable with the values {list(requests.codes)}"
        raise GestError.of(f"VOCS: {REQUEST!r}", expected, shown(known), "leave it out: the generator adds it")
    made = VOCS(**{name: dict(getattr(vocs, name)) for name in type(vocs).model_fields})
    for columns in (made.variables, made.constants):
        columns.update({name: _held(each) for name, each in columns.items()})
    made.variables[REQUEST] = DiscreteVariable(values=set(requests.codes))
    made.observables[SECONDS] = Observable(dtype="float")
    return made


def _held(declared: Any) -> Any:
    """With a type that holds all its values, if it has none: libEnsemble takes any constant for a float."""
    values: list[Any] = (
        _values(declared) if isinstance(declared, DiscreteVariable) else [getattr(declared, "value", 0.0)]
    )
    if declared.dtype is not None or (len({type(value) for value in values}) == 1 and as_float(values[0]) is not None):
        return declared
    texts = all(isinstance(value, str) for value in values)
    numbers = all(as_float(value) is not None for value in values)
    dtype = f"U{max(1, *(len(value) for value in values))}" if texts else float if numbers else object
    return declared.model_copy(update={"dtype": dtype})


def _varied(vocs: Any) -> dict[str, Any]:
    return {name: each for name, each in vocs.variables.items() if name != REQUEST and not _single(name, each)}


def _single(name: str, variable: Any) -> bool:
    return name != REQUEST and isinstance(variable, DiscreteVariable) and len(variable.values) == 1


def _values(variable: Any) -> list[Any]:
    """A set has no order: numbers by size, anything else by its text."""
    values = list(variable.values)
    numbers = all(as_float(value) is not None for value in values)
    return sorted(values) if numbers else sorted(values, key=str)


def _parameter(name: str, variable: Any) -> Parameter:
    if isinstance(variable, ContextualVariable) or not isinstance(variable, (ContinuousVariable, DiscreteVariable)):
        way = "taut chooses every variable: make it a constant, or give it a range"
        raise GestError.of(f"VOCS: variable {name!r}", "a range or a set of values", type(variable).__name__, way)
    if isinstance(variable, ContinuousVariable):
        low, high = variable.domain
        if whole(variable) and math.isfinite(high - low):
            return Integer(name, math.ceil(low), math.floor(high))
        return Real(name, low, high)
    values = _values(variable)
    if not all(as_float(value) is not None for value in values):
        return Choice(name, values)
    if all(float(value).is_integer() for value in values) and values[-1] - values[0] == len(values) - 1:
        return Integer(name, int(values[0]), int(values[-1]))
    return Ordinal(name, values)


def _objective(name: str, objective: Any, cost: Any) -> Objective:
    if not isinstance(objective, (MinimizeObjective, MaximizeObjective)):
        way = "taut looks for the best value, not for knowledge everywhere"
        raise GestError.of(f"VOCS: objective {name!r}", "MINIMIZE or MAXIMIZE", type(objective).__name__, way)
    maximise = isinstance(objective, MaximizeObjective)
    return Objective(name, "maximize" if maximise else "minimize", cost=cost)


def _constraint(name: str, constraint: Any, cost: Any) -> Constraint:
    """LESS_THAN and GREATER_THAN are strict, taut's limits are not: the next number of floating point is the limit.

    BOUNDS include their ends; an end that is infinite is none.
    """
    if isinstance(constraint, LessThanConstraint):
        return Constraint(name, at_most=math.nextafter(_limit(name, constraint.value), -math.inf), cost=cost)
    if isinstance(constraint, GreaterThanConstraint):
        return Constraint(name, at_least=math.nextafter(_limit(name, constraint.value), math.inf), cost=cost)
    if isinstance(constraint, BoundsConstraint):
        low, high = (None if math.isinf(end) else _limit(name, end) for end in constraint.range)
        if low is None and high is None:
            _limit(name, constraint.range[1])
        return Constraint(name, at_least=low, at_most=high, cost=cost)
    way = "use one of these"
    raise GestError.of(f"VOCS: constraint {name!r}", "LESS_THAN, GREATER_THAN or BOUNDS", shown(constraint), way)


def _limit(name: str, value: float) -> float:
    if finite(value) is None:
        way = "leave the constraint out if there is no limit, or declare it as an observable"
        raise GestError.of(f"VOCS: constraint {name!r}: limit", FINITE, shown(value), way)
    return float(value)
