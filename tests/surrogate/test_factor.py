"""Cholesky factors: at once, by appended rows, from known ones, and of matrices that rounding makes indefinite."""

import numpy as np
import pytest

from taut.surrogate.factor import cholesky, factor
from taut.surrogate.kernels import matern52


def points(seed: int, q: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).random((q, d))


@pytest.mark.parametrize("rho", [0.0, 1e-18])
def test_factor_raises_the_noise_until_the_matrix_is_positive(rho: float) -> None:
    X = np.repeat(points(17, 4, 2), 5, axis=0)
    l = np.array([0.5, 0.5])
    L, used = cholesky(X, l, rho)
    assert rho < used <= 1e-6
    expected = matern52(X, X, l)
    np.fill_diagonal(expected, 1.0 + used)
    assert L @ L.T == pytest.approx(expected, abs=1e-12)


def test_the_noise_is_raised_no_more_than_tenfold_beyond_what_is_needed() -> None:
    X = 1e-6 * points(19, 30, 1)
    l = np.array([0.5])
    used = cholesky(X, l, 1e-18)[1]
    R = matern52(X, X, l)
    np.fill_diagonal(R, 1.0 + used / 10.0)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(R)


def test_factor_keeps_the_noise_of_a_harmless_matrix() -> None:
    assert cholesky(points(18, 6, 2), np.array([0.3, 0.3]), 1e-10)[1] == 1e-10


@pytest.mark.parametrize("base", [1, 7, 11, 12])
def test_appended_rows_give_the_factor_of_all_rows(base: int) -> None:
    X, l = points(23, 12, 2), np.array([0.4, 0.6])
    whole, parts = (factor(X, l, 1e-8, rows, None) for rows in (12, base))
    assert parts.L == pytest.approx(whole.L, abs=1e-10)
    assert (parts.rho, parts.base) == (1e-8, base)


def test_a_known_factor_changes_nothing() -> None:
    """History step by step with the last factor at hand, against a fresh start: equal to the last bit."""
    X, l = points(24, 40, 2), np.array([0.4, 0.6])
    known = factor(X[:30], l, 1e-12, 30, None)
    for n in range(31, 41):
        known = factor(X[:n], l, 1e-12, 30, known)
        fresh = factor(X[:n], l, 1e-12, 30, None)
        assert np.array_equal(known.L, fresh.L) and known.base == 30


@pytest.mark.parametrize("change", ["point", "length", "noise", "base"])
def test_a_factor_of_something_else_is_not_used(change: str) -> None:
    X, l = points(25, 9, 2), np.array([0.4, 0.6])
    known = factor(X[:8], l, 1e-8, 6, None)
    other = X.copy()
    other[2, 0] += 0.1 * (change == "point")
    call = (other, l * (2.0 if change == "length" else 1.0), 1e-4 if change == "noise" else 1e-8)
    base = 5 if change == "base" else 6
    assert np.array_equal(factor(*call, base, known).L, factor(*call, base, None).L)


def test_rows_that_cannot_be_appended_lead_to_a_new_factor_with_more_noise() -> None:
    X, l = points(26, 5, 2), np.array([2.0, 2.0])
    X = np.vstack([X, np.repeat(X, 3, axis=0)])
    found = factor(X, l, 1e-18, 5, None)
    assert found.rho > 1e-18 and found.base == 0
    assert not found.leads(X, l, 1e-18, 5, 0.0)
    assert found.L @ found.L.T == pytest.approx(matern52(X, X, l), abs=1e-6)
