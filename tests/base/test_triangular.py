"""Packed factors against plain ones, and processes with many values against dense linear algebra."""

import numpy as np
import pytest

from taut.base import blocks
from taut.base.triangular import leading, size, solve_lower, stored
from taut.surrogate.factor import factor
from taut.surrogate.gp import condition
from taut.surrogate.hyper import Hyper
from taut.surrogate.kernels import matern52


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pack from 4 rows on."""
    monkeypatch.setattr(blocks, "PACKED_ROWS", 4)


def lower(n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    return np.asfortranarray(np.tril(rng.normal(size=(n, n))) + 4.0 * np.eye(n))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("n", [5, 6, 7, 8, 30, 31])
def test_a_packed_factor_holds_the_same_matrix(n: int) -> None:
    L = lower(n)
    kept = stored(L)
    assert kept.shape == (n * (n + 1) // 2,) and size(kept) == size(L) == n
    for m in (1, n - 1, n):
        for form in (kept, L):
            assert np.array_equal(np.tril(leading(form, m)), L[:m, :m]) and leading(form, m).flags.f_contiguous


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("n", [5, 6, 30, 31])
@pytest.mark.parametrize("transposed", [False, True])
def test_solves(n: int, transposed: bool) -> None:
    L, B = lower(n), np.random.default_rng(1).normal(size=(n, 3))
    expected = np.linalg.solve(L.T if transposed else L, B)
    for form in (L, stored(L)):
        for right in (B, np.asfortranarray(B)):
            before = right.copy()
            assert solve_lower(form, right, transposed) == pytest.approx(expected, rel=1e-10, abs=1e-12)
            assert np.array_equal(right, before)


def test_small_factors_are_kept_as_they_are() -> None:
    L = lower(9)
    assert stored(L) is L


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("base", [12, 9, 3])
def test_a_process_with_a_packed_factor(base: int) -> None:
    rng = np.random.default_rng(2)
    X, y, l, x = rng.random((12, 2)), rng.normal(size=(12, 1)), np.array([0.3, 0.5]), rng.random((5, 2))
    found = factor(X, l, 1e-6, base, None)
    again = factor(X, l, 1e-6, base, found)
    assert found.L.ndim == 1 and np.array_equal(found.L, again.L)
    gp = condition(X, y, Hyper(l, 1.3, 1e-6, 0.2, np.inf), 1.0, 2.0, found.L)
    C, R = matern52(X, x, l), matern52(X, X, l) + 1e-6 * np.eye(12)
    posterior = gp.posterior(x)
    mean = 1.0 + 2.0 * (0.2 + C.T @ np.linalg.solve(R, (y - 1.0) / 2.0 - 0.2))
    assert posterior.mean[0] == pytest.approx(mean[:, 0], rel=1e-8)
    assert posterior.var == pytest.approx(4.0 * 1.3 * (1.0 - np.sum(C * np.linalg.solve(R, C), axis=0)), rel=1e-7)
    more = gp.observed(x[:2], np.array([[0.3], [0.4]]))
    whole = condition(more.X, more.y, gp.hyper, 1.0, 2.0)
    assert more.L.ndim == 1 and more.posterior(x[2:]).mean == pytest.approx(whole.posterior(x[2:]).mean, rel=1e-6)


def test_a_large_process_is_packed_and_right() -> None:
    rng = np.random.default_rng(3)
    X = rng.random((blocks.PACKED_ROWS + 1, 3))
    y = np.sin(5.0 * X[:, :1]) + X[:, 1:2]
    gp = condition(X, y, Hyper(np.array([0.8, 0.9, 2.0]), 1.0, 1e-8, 0.0, np.inf), 0.0, 1.0)
    assert gp.L.ndim == 1
    x = rng.random((4, 3))
    assert gp.posterior(x).mean[0] == pytest.approx(np.sin(5.0 * x[:, 0]) + x[:, 1], abs=1e-3)
    assert gp.posterior(X[:3]).mean[0] == pytest.approx(y[:3, 0], abs=1e-5)
