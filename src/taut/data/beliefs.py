"""What a method believes, in the user's units and signs: the way back from the inner form."""

from typing import Any

from taut.data.dataset import Belief, affine
from taut.data.results import Prediction, Recommendation
from taut.problem.known import known
from taut.problem.problem import Problem
from taut.problem.space import from_unit


def value_to_inner(problem: Problem, name: str, value: float) -> float:
    """A value of the named function in inner form."""
    sign, shift = affine(problem.function(name))
    return sign * (value - shift)


def mean_from_inner(problem: Problem, name: str, mean: float) -> float:
    """The inverse of value_to_inner."""
    sign, shift = affine(problem.function(name))
    return sign * mean + shift


def recommendation(problem: Problem, belief: Belief, point: dict[str, Any] | None = None) -> Recommendation:
    """A belief in user units; point: how its point is written, to the last digit."""
    point = from_unit(problem, belief.point) if point is None else point
    formulas = {name: formula for name in problem.functions if (formula := known(problem, name))}
    means = [
        formulas[name].value(point) if name in formulas else mean_from_inner(problem, name, float(mean))
        for name, mean in zip(problem.functions, belief.mean, strict=True)
    ]
    return Recommendation(
        point=point,
        objective=(means[0], float(belief.sd[0])),
        feasibility=float(belief.feasibility),
        constraints={
            name: (means[k], float(belief.sd[k]), float(belief.probability[k]))
            for k, name in enumerate(problem.functions)
            if k > 0
        },
        note=belief.note,
    )


def prediction(problem: Problem, belief: Belief, point: dict[str, Any] | None = None) -> Prediction:
    """A belief at some point, in user units."""
    found = recommendation(problem, belief, point)
    functions = {problem.objective.name: (*found.objective, 1.0)} | found.constraints
    return Prediction(found.point, found.objective, found.feasibility, found.constraints, functions, found.note)
