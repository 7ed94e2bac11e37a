"""Doubt about the model far from data."""

from dataclasses import replace

import numpy as np
import pytest
from processes import slope

from taut.surrogate.doubt import doubt, spread_rows
from taut.surrogate.factor import cholesky
from taut.surrogate.fit import fit
from taut.surrogate.gp import GP
from taut.surrogate.kernels import matern52
from taut.surrogate.likelihood import Standardised, least_squares
from taut.surrogate.settings import ModelSettings

SETTINGS = ModelSettings()


def clustered(n: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Eight values all over the square, the others in a corner of it, of a function that is very smooth there."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.random((8, 2)), 0.1 * rng.random((n - 8, 2))])
    y = np.sin(6.0 * X[:, 0]) * np.cos(5.0 * X[:, 1]) + X[:, 1]
    return X, y


def doubted(F: float) -> GP:
    gp = fit(*clustered(), None, SETTINGS, None).gp
    return replace(gp, hyper=replace(gp.hyper, doubt=F))


def test_spread_rows_are_apart_and_everything_else_is_next_to_one() -> None:
    X, l = clustered()[0], np.array([0.3, 0.4])
    rows = spread_rows(X, l, 0.9)
    C = matern52(X, X, l)
    apart = C[np.ix_(rows, rows)] - np.eye(len(rows))
    assert apart.max() < 0.9 and C[:, rows].max(axis=1).min() >= 0.9
    assert len(spread_rows(np.repeat(X[:1], 5, axis=0), l, 0.9)) == 1


def test_the_factor_is_that_of_the_variances() -> None:
    X, y = clustered()
    data, l = Standardised(X, (y - y.mean()) / y.std(), 3.0), np.array([0.5, 0.5])
    a = least_squares(cholesky(X, l, 1e-9)[0], data, 1e-9).a
    rows = spread_rows(X, l, SETTINGS.doubt_spread)
    part = Standardised(X[rows], data.y[rows], 3.0)
    spread = least_squares(cholesky(X[rows], l, 1e-9)[0], part, 1e-9).a
    plain = replace(SETTINGS, doubt_few=0.0)
    assert doubt(data, l, 1e-9, a, plain) == pytest.approx(spread / a) and spread > 1.5 * a
    few = doubt(data, l, 1e-9, a, SETTINGS)  # what values that are far from each other leave open, however many crowd
    assert few == pytest.approx(1.0 + 2.0 * SETTINGS.doubt_few / max(len(rows), SETTINGS.doubt_values))
    assert few > spread / a


def test_with_few_values_or_none_that_crowd_the_doubt_is_that_of_their_number() -> None:
    X, y = np.random.default_rng(1).random((20, 4)), np.random.default_rng(2).standard_normal(20)
    assert doubt(Standardised(X[:4], y[:4], 3.0), np.full(4, 0.5), 1e-9, 1e-3, SETTINGS) == 1.0 + SETTINGS.doubt_few
    assert doubt(Standardised(X, y, 3.0), np.full(4, 0.05), 1e-9, 1e-3, SETTINGS) == 1.0 + SETTINGS.doubt_few * 4 / 20


def test_variances_grow_far_from_data_and_not_next_to_it() -> None:
    gp = doubted(5.0)
    plain = replace(gp, hyper=replace(gp.hyper, doubt=1.0))
    far, near = np.array([[0.6, 0.9], [0.95, 0.5]]), clustered()[0][20:22] + 1e-4
    assert (gp.posterior(far).var > 1.2 * plain.posterior(far).var).all()
    assert gp.posterior(near).var == pytest.approx(plain.posterior(near).var, rel=1e-2)
    assert np.array_equal(gp.posterior(far).mean, plain.posterior(far).mean)


def test_gradients_of_doubted_variances() -> None:
    gp, x = doubted(5.0), np.random.default_rng(3).random((6, 2))
    exact = slope(lambda x: gp.posterior(x).var, x)
    assert gp.posterior_with_gradient(x).gradient(None, np.ones(6)) == pytest.approx(exact, rel=1e-4, abs=1e-7)
