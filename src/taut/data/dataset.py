"""Rows in, unit-cube arrays out. Units and signs change in this module and nowhere else.

Outside, everything is in the user's units and signs. Inside ("inner form"), points lie in the unit cube, the
objective is maximised, and a constraint is met where lower <= y <= upper:

    declared             inner value y          lower, upper
    maximize             value                  -inf, inf
    minimize             -value                 -inf, inf
    at_most=b            value - b              -inf, 0
    at_least=a           a - value              -inf, 0
    both                 value - (a + b) / 2    -(b - a) / 2, (b - a) / 2

Shapes: d columns of the unit cube; K constraints; function k = 0 is the objective, k = 1..K the constraints.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from taut.base.arrays import Array
from taut.base.numbers import Noise
from taut.data.known import InnerFunction, inner_function
from taut.data.ledger import counting
from taut.data.prices import Pricing
from taut.data.results import Error
from taut.data.rows import Observation, Suggestion
from taut.problem.bundles import nominal
from taut.problem.functions import Constraint, Objective
from taut.problem.known import Known, known
from taut.problem.problem import Problem
from taut.problem.space import _to_units, ties


@dataclass(frozen=True, slots=True)
class FunctionView:
    """One function in inner form."""

    name: str
    cost: float
    lower: float
    upper: float
    noise: Noise
    """None, "learned", or the known standard deviation in inner units."""
    objective: bool
    unit: float = 1.0
    """Values, bounds and noise are multiplied by this power of two; see moderate.py."""
    sign: float = 1.0
    shift: float = 0.0
    """A value of y is unit * sign * (value - shift) of the user's."""
    known: InnerFunction | None = None
    """The function itself, if it is known; then it has no rows."""
    scale: Literal["log", "linear"] | None = None  # of an objective, as declared

    def printed(self, y: Array) -> Array:
        """Values in the user's units and signs."""
        return self.sign * (y / self.unit) + self.shift


@dataclass(frozen=True, slots=True)
class Dataset:
    """All observations in inner form; each tuple is indexed by the function's position k."""

    functions: tuple[FunctionView, ...]
    dimension: int
    X: tuple[Array, ...]
    """Points with a value, [n_k, d]."""
    y: tuple[Array, ...]
    """Values, [n_k]."""
    failed: tuple[Array, ...]
    """Points where the function failed, [m_k, d]."""
    pending: tuple[Array, ...]
    """Points asked for and neither told nor failed yet, [p_k, d]."""
    ties: tuple[int, ...] = ()
    """The parameter of each column, where one has several [d]; else empty."""

    @property
    def parameters(self) -> int:
        """How many there are."""
        return max(self.ties) + 1 if self.ties else self.dimension

    def ordered(self, order: Sequence[int]) -> "Dataset":
        """The same data with the functions in another order."""
        columns = self.X, self.y, self.failed, self.pending
        X, y, failed, pending = (tuple(column[k] for k in order) for column in columns)
        functions = tuple(self.functions[k] for k in order)
        return replace(self, functions=functions, X=X, y=y, failed=failed, pending=pending)

    @classmethod
    def from_rows(
        cls, problem: Problem, suggestions: Sequence[Suggestion], observations: Sequence[Observation]
    ) -> "Dataset":
        """Group the rows that count by function. The same point observed twice stays as two rows."""
        observations = counting(observations)
        found = grouped(problem, observations)
        told = {(row.suggestion, row.function) for row in observations}
        pending = defaultdict[str, list[tuple[float, ...]]](list)
        for suggestion in suggestions:
            for name in suggestion.functions:
                if (suggestion.number, name) not in told:
                    pending[name].append(_cells(problem, suggestion.point))
        X, y, failed = zip(*(found[name] for name in problem.functions), strict=True)
        waiting = tuple(_to_units(problem, pending[name]) for name in problem.functions)
        return cls(views(problem), problem.dimension, X, y, failed, waiting, ties(problem))


@dataclass(frozen=True, slots=True)
class Request:
    """What a method gets to see."""

    problem: Problem
    dataset: Dataset
    remaining: float
    """Budget left; inf means unlimited."""
    memory: Mapping[str, Any]
    """What the method remembered in its previous proposal; empty at the first."""
    cache: MutableMapping[str, Any] = field(default_factory=dict)
    """Intermediate results of this process. It may be lost at any time and never changes an answer."""
    errors: Mapping[str, tuple[Error, ...]] = field(default_factory=dict)
    """By function: how far the values that came were from what had been predicted, in the order they came."""
    budget: float = math.inf
    """What there was to spend in all after the initial design."""
    verify: bool = False
    """Keep part of the budget, so that the answer is a design of which everything was measured?"""
    prices: Pricing | None = None
    """What evaluations are expected to cost; None if that is the same everywhere."""
    stop: float | None = None
    """End where all that is left is expected to gain less than this, in the user's unit; None: only with the budget."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A method's answer to "what next?": a point [d] of the unit cube and the functions to evaluate there."""

    point: Array
    functions: tuple[str, ...]
    note: str = ""
    memory: dict[str, Any] = field(default_factory=dict)
    waits: bool = False  # better made again when what is under way has come in; a run then waits for that


@dataclass(frozen=True, slots=True)
class Belief:
    """A method's answer to "which point is best?", in inner form. mean, sd, probability: [K + 1]."""

    point: Array
    mean: Array
    sd: Array
    probability: Array
    """Probability that each function meets its bounds; entry 0 (the objective) is 1."""
    feasibility: float
    note: str = ""


def grouped(problem: Problem, observations: Sequence[Observation]) -> dict[str, tuple[Array, Array, Array]]:
    """Of each function: points with a value [n, d], their values [n] and points where it failed [m, d], in order."""
    places: dict[tuple[float, ...], int] = {}  # several functions at one point: converted once
    X, failed = (defaultdict[str, list[int]](list) for _ in range(2))
    y = defaultdict[str, list[float]](list)
    inner = {name: affine(problem.function(name)) for name in problem.functions}
    for row in observations:
        place = places.setdefault(_cells(problem, row.point), len(places))
        if row.value is None:
            failed[row.function].append(place)
        else:
            sign, shift = inner[row.function]
            X[row.function].append(place)
            y[row.function].append(sign * (row.value - shift))
    units = _to_units(problem, list(places))
    return {
        name: (units[X[name]], np.array(y[name], dtype=np.float64), units[failed[name]]) for name in problem.functions
    }


def views(problem: Problem) -> tuple[FunctionView, ...]:
    """All functions in inner form, the objective first."""
    return tuple(_view(problem.function(name), known(problem, name)) for name in problem.functions)


def _cells(problem: Problem, point: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple([point[parameter.name] for parameter in problem.parameters])


def affine(function: Objective | Constraint) -> tuple[float, float]:
    """(sign, shift) of y = sign * (value - shift)."""
    if isinstance(function, Objective):
        return (1.0, 0.0) if function.goal == "maximize" else (-1.0, 0.0)
    if function.at_most is None:
        assert function.at_least is not None, "a constraint has a bound"
        return -1.0, function.at_least
    return 1.0, function.at_most if function.at_least is None else 0.5 * function.at_least + 0.5 * function.at_most


def _view(function: Objective | Constraint, formula: Known | None) -> FunctionView:
    (sign, shift), lower, upper = affine(function), -math.inf, math.inf
    if isinstance(function, Constraint):
        upper = 0.0
        if function.at_least is not None and function.at_most is not None:
            # The same subtraction as for values: rounding is monotone, so no feasible value falls outside.
            lower, upper = function.at_least - shift, function.at_most - shift
    objective, cost, scale = isinstance(function, Objective), nominal(function.cost), getattr(function, "scale", None)
    inner = None if formula is None else inner_function(formula, sign, shift)
    return FunctionView(function.name, cost, lower, upper, function.noise, objective, 1.0, sign, shift, inner, scale)
