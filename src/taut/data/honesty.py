"""How honest the models of a study have been: what was predicted before each value came, against the value.

A method keeps with a suggestion, for every function it asks for, what it expects there:

    memory["predicted"] = {name: [mean, scale, nu, s, unit, w, pivot, size, rising]}

w: by how much the scale was widened because of earlier errors (1 if it is missing); mean and scale of a Student-t
with nu degrees of freedom (null: a normal one), on the scale of its model: values are those of the inner form
(dataset) times unit, and with s > 0 w(y) = sign(y) log(1 + |y|/s); the last three are those of a logarithmic
scale (bend.py), if it has one. When the value comes,

    z = (w(y) - mean) / sd,   sd = scale sqrt(nu / (nu - 2)) for nu > 2, else scale

which has mean 0 and standard deviation 1 if the model is right. Values that were corrected count as corrected, those
that were withdrawn do not count.
"""

import math
from collections.abc import Sequence

import numpy as np

from taut.data import ledger
from taut.data.beliefs import value_to_inner
from taut.data.bend import Bend
from taut.data.moderate import FURTHEST, in_unit
from taut.data.results import Error
from taut.data.rows import Observation, Suggestion
from taut.problem.problem import Problem
from taut.problem.space import to_unit

PREDICTED = "predicted"
"""The key of the predictions in the memory of a suggestion."""


def errors(
    problem: Problem, suggestions: Sequence[Suggestion], observations: Sequence[Observation]
) -> dict[str, tuple[Error, ...]]:
    """By function, the errors of all predictions whose value came, in the order of the values."""
    asked = {row.number: row for row in suggestions}
    answered = [row for row in ledger.counting(observations) if row.suggestion in asked]
    found = [(row.function, error_of(problem, asked[row.suggestion or 0], row)) for row in answered]
    return {
        name: tuple(error for function, error in found if function == name and error is not None)
        for name in problem.functions
    }


def error_of(problem: Problem, suggestion: Suggestion, row: Observation) -> Error | None:
    """The error of one answer; None if it failed, or nothing was predicted."""
    kept = _predicted(suggestion, row.function)
    if row.value is None or kept is None:
        return None
    mean, scale, nu, s, unit, w, *bend = kept
    sd = scale * math.sqrt(nu / (nu - 2.0)) if 2.0 < nu < math.inf else scale
    if not sd > 0.0:  # no model says so of a value that it asks for
        return None
    y = warped(in_unit(value_to_inner(problem, row.function, row.value), unit), s)
    if bend:
        y = float(Bend(bend[0], bend[1], bend[2] > 0.0).of(np.array(y)))
    z = min(max((y - mean) / sd, -FURTHEST), FURTHEST)
    return Error(suggestion.number, tuple(map(float, to_unit(problem, suggestion.point))), z, nu, w)


def _predicted(suggestion: Suggestion, name: str) -> tuple[float, ...] | None:
    """What was predicted of a function; the memory of a user's own method may hold something else there."""
    found = suggestion.memory.get(PREDICTED)
    kept = found.get(name) if isinstance(found, dict) else None
    if not isinstance(kept, list) or len(kept) not in (5, 6, 9):
        return None
    mean, scale, nu, s, unit, *rest = kept
    return mean, scale, math.inf if nu is None else nu, s, unit, *(rest or [1.0])


def warped(y: float, s: float) -> float:
    """w(y) of one value; y itself for s = 0."""
    return math.copysign(math.log1p(abs(y) / s), y) if s > 0.0 else y
