"""Rows in, arrays out: signs, bounds, failures and pending points."""

import math

import numpy as np
import pytest
import toy
from hypothesis import strategies as st

import taut
from taut.data.dataset import Dataset, views
from taut.data.rows import Observation
from taut.problem.space import from_unit, to_unit

VALUES = st.floats(-1e3, 1e3)
ALL_KINDS = taut.Problem(
    parameters=[taut.Real("x", 0.0, 1.0)],
    objective=taut.Objective("low", goal="minimize", cost=2.0, noise=0.1),
    constraints=[
        taut.Constraint("most", at_most=3.0, noise="learned"),
        taut.Constraint("least", at_least=-2.0),
        taut.Constraint("both", at_least=0.1, at_most=0.7),
    ],
)


def test_function_views() -> None:
    low, most, least, both = views(ALL_KINDS)
    assert (low.objective, low.lower, low.upper, low.cost, low.noise) == (True, -math.inf, math.inf, 2.0, 0.1)
    assert (most.objective, most.lower, most.upper, most.noise) == (False, -math.inf, 0.0, "learned")
    assert (least.lower, least.upper, least.noise) == (-math.inf, 0.0, None)
    assert (both.lower, both.upper) == (pytest.approx(-0.3), pytest.approx(0.3))


def point(x1: float, x2: float = 1.0) -> dict[str, float]:
    return {"x1": x1, "x2": x2}


def test_dataset_keeps_each_function_on_its_own() -> None:
    suggestions = [
        taut.Suggestion(1, point(1.0), ("f", "c"), 1.5),
        taut.Suggestion(2, point(2.0), ("g",), 3.0),
        taut.Suggestion(3, point(5.0, 100.0), ("f", "g"), 4.0),
    ]
    observations = [
        taut.Observation("f", point(1.0), 4.0, 1),
        taut.Observation("g", point(2.0), None, 2),
        taut.Observation("g", point(0.0), 3.0),
        taut.Observation("g", point(0.0), 3.5),
    ]
    data = Dataset.from_rows(toy.problem(), suggestions, observations)
    assert data.dimension == 2 and [view.name for view in data.functions] == ["f", "c", "g"]
    np.testing.assert_allclose(data.X[0], [[0.2, 0.5]])
    np.testing.assert_allclose(data.y[0], [4.0])
    assert data.X[1].shape == (0, 2) and data.y[1].shape == (0,)
    np.testing.assert_allclose(data.X[2], [[0.0, 0.5], [0.0, 0.5]])  # a repeat stays as two rows
    np.testing.assert_allclose(data.y[2], [-2.0, -2.5])  # at least 1
    np.testing.assert_allclose(data.failed[2], [[0.4, 0.5]])
    assert data.failed[0].shape == (0, 2)
    np.testing.assert_allclose(data.pending[0], [[1.0, 1.0]])
    np.testing.assert_allclose(data.pending[1], [[0.2, 0.5]])
    np.testing.assert_allclose(data.pending[2], [[1.0, 1.0]])  # a told failure is not pending


def test_a_value_measured_elsewhere_does_not_answer_a_suggestion() -> None:
    suggestions = [taut.Suggestion(1, point(1.0), ("f",), 1.0)]
    data = Dataset.from_rows(toy.problem(), suggestions, [taut.Observation("f", point(1.0), 4.0)])
    assert data.pending[0].shape == (1, 2)


def test_empty_dataset_has_shapes() -> None:
    data = Dataset.from_rows(toy.problem(), [], [])
    for arrays in (data.X, data.failed, data.pending):
        assert [array.shape for array in arrays] == [(0, 2)] * 3
    assert [array.dtype for array in data.y] == [np.float64] * 3


def test_rows_of_many_points_are_converted_like_single_ones() -> None:
    """Linear and logarithmic parameters, the same to the last bit, in the order of the rows."""
    problem = taut.Problem(
        [taut.Real("a", -3.0, 7.0), taut.Real("b", 1e-3, 50.0, log=True)],
        taut.Objective("f", goal="minimize"),
        [taut.Constraint("c", at_most=0.0)],
    )
    rng = np.random.default_rng(0)
    points = [from_unit(problem, u) for u in rng.random((60, 2))]
    rows = [Observation("f", point, 1.0) for point in points] + [
        Observation("c", point, None) for point in points[::-7]
    ]
    data = Dataset.from_rows(problem, [], rows)
    assert np.array_equal(data.X[0], np.array([to_unit(problem, point) for point in points]))
    assert np.array_equal(data.failed[1], np.array([to_unit(problem, point) for point in points[::-7]]))
    assert data.X[1].shape == (0, 2) and data.failed[0].shape == (0, 2)
