"""Matern-5/2: the matrix form against the formula pair by pair, derivatives against differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import slope
from reference import dense_gp

from taut.surrogate.kernels import (
    SLOPE,
    correlation,
    distance_features,
    features,
    matern52,
    matern52_with_slope,
    nearly_one,
    pull_back,
    rounded_off,
)

POINT = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2)


def points(seed: int, n: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("n, m", [(1, 1), (5, 3), (0, 4)])
def test_value_is_the_formula(n: int, m: int, d: int) -> None:
    A, B, l = points(1, n, d), points(2, m, d), 0.05 + points(3, 1, d)[0]
    expected = dense_gp.matern52(A, B, l)
    assert matern52(A, B, l) == pytest.approx(expected, abs=1e-13)
    assert matern52_with_slope(A, B, l)[0] == pytest.approx(expected, abs=1e-13)


@given(a=POINT, b=POINT, l=st.lists(st.floats(0.01, 20.0), min_size=2, max_size=2))
def test_value_anywhere_in_the_box_of_length_scales(a: list[float], b: list[float], l: list[float]) -> None:
    A, B, scales = np.array([a]), np.array([b]), np.array(l)
    assert matern52(A, B, scales) == pytest.approx(dense_gp.matern52(A, B, scales), abs=5e-12)


def test_anchor_value() -> None:
    A, B = np.array([[0.2, 0.3]]), np.array([[0.45, 0.1]])
    assert matern52(A, B, np.array([0.3, 0.5]))[0, 0] == pytest.approx(0.568441, abs=5e-7)


def test_distance_of_a_point_to_itself_is_zero_and_the_correlation_one() -> None:
    A = points(4, 6, 3)
    l = np.array([0.01, 0.3, 5.0])
    assert np.diag(features(A, l) @ distance_features(features(A, l)).T) == pytest.approx(0.0, abs=1e-10)
    assert np.diag(matern52(A, A, l)) == pytest.approx(1.0, abs=1e-11)


def test_radial_slope_gives_the_derivative_in_the_point() -> None:
    """dC/da_i = -5/3 D (a_i - b_i)/l_i^2."""
    a, b, l = points(5, 8, 3), points(6, 1, 3), np.array([0.2, 0.5, 1.0])
    D = matern52_with_slope(a, b, l)[1]
    expected = slope(lambda x: matern52(x, b, l)[:, 0], a)
    assert -SLOPE * D * (a - b) / l**2 == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_radial_slope_gives_the_derivative_in_the_log_length_scales() -> None:
    """dC/dlog l_i = 5/3 D (a_i - b_i)^2/l_i^2."""
    a, b, l = points(7, 1, 3), points(8, 1, 3), np.array([[0.2, 0.5, 1.0]])
    D = matern52_with_slope(a, b, l[0])[1]
    expected = slope(lambda t: matern52(a, b, np.exp(t[0]))[:, 0], np.log(l))
    assert SLOPE * D * (a - b) ** 2 / l**2 == pytest.approx(expected, rel=1e-6)


def test_pull_back_is_the_weighted_sum_of_gradients() -> None:
    A, x, l = points(9, 5, 2), points(10, 3, 2), np.array([0.3, 0.7])
    weights = np.random.default_rng(11).normal(size=(5, 3))
    D = matern52_with_slope(A, x, l)[1]
    expected = slope(lambda u: np.einsum("nq,nq->q", weights, matern52(A, u, l)), x)
    assert pull_back(weights, D, features(A, l), features(x, l), l) == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_pull_back_without_data_is_zero() -> None:
    l, nothing = np.ones(2), np.empty((0, 3))
    empty, x = features(np.empty((0, 2)), l), features(points(12, 3, 2), l)
    assert np.array_equal(pull_back(nothing, nothing, empty, x, l), np.zeros((3, 2)))


def test_what_rounding_leaves_of_a_correlation_covers_the_errors_that_are_made() -> None:
    """Of places 1e-6 apart in a corner, against differences that do not cancel."""
    rng = np.random.default_rng(3)
    for l in (np.array([0.1, 0.14]), np.array([1.0, 2.0])):
        x = 1e-6 * rng.random((40, 2))
        fast = correlation(features(x, l), distance_features(features(x, l)))
        s = np.sqrt(5.0 * (((x[:, None] - x[None]) / l) ** 2).sum(axis=2))
        errors = np.abs(fast - (1.0 + s + s**2 / 3.0) * np.exp(-s))
        assert errors.max() <= rounded_off(l)


def test_two_names_of_one_place_are_correlated_by_as_much() -> None:
    l = np.array([0.1, 0.14])
    x = np.random.default_rng(4).random((30, 2))
    both = correlation(features(x, l), distance_features(features(x + 1e-9, l)))
    assert np.diag(both).min() >= nearly_one(l, 1e-9)
