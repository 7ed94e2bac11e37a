"""Values of extreme size get a unit of their own."""

import math

import numpy as np
import pytest

import taut
from taut.data.dataset import Dataset
from taut.data.moderate import in_unit, moderated
from taut.data.rows import Observation

PROBLEM = taut.Problem(
    parameters=[taut.Real("x", 0.0, 1.0)],
    objective=taut.Objective("f", goal="minimize", noise=0.1),
    constraints=[
        taut.Constraint("most", at_most=3.0, noise="learned"),
        taut.Constraint("both", at_least=0.1, at_most=0.7),
    ],
)


def rows(*values: float, function: str = "f") -> Dataset:
    return Dataset.from_rows(PROBLEM, [], [Observation(function, {"x": 0.5}, value) for value in values])


@pytest.mark.parametrize("value", [0.0, 1e-30, -1e-30, 3.0, -1e30])
def test_usual_sizes_keep_theirs(value: float) -> None:
    given = rows(value, 0.0)
    assert moderated(given).functions == given.functions and moderated(given).y[0] is given.y[0]


@pytest.mark.parametrize("value", [1e-31, 5e-324, -3e-200, 1e31, -1e150])
def test_others_lose_nothing_but_their_size(value: float) -> None:
    given, made = rows(value, 0.25 * value), moderated(rows(value, 0.25 * value))
    unit = made.functions[0].unit
    assert unit != 1.0 and math.frexp(unit)[0] == 0.5
    assert 1e-30 < np.abs(made.y[0]).max() < 1.0
    assert np.array_equal(made.y[0] / unit, given.y[0])
    assert made.functions[1:] == given.functions[1:]


def test_bounds_and_noise_come_along_as_far_as_they_say_anything() -> None:
    most = moderated(rows(-1e100, function="most")).functions[1]
    assert (most.lower, most.upper, most.noise) == (-math.inf, 0.0, "learned")
    both = moderated(rows(0.4 + 3e40, function="both")).functions[2]
    assert (-both.lower, both.upper) == pytest.approx((0.3 * both.unit, 0.3 * both.unit))
    tiny = moderated(rows(1e-200)).functions[0]
    assert tiny.noise == 1e60  # a standard deviation of 0.1
    assert in_unit(-1e100, tiny.unit) == -1e60 and in_unit(math.inf, tiny.unit) == math.inf
