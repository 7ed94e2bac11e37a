"""The sceptical process: what spread values say, with shorter length-scales, given all values."""

from dataclasses import replace

import numpy as np
import pytest

from taut.surrogate.fit import fit
from taut.surrogate.kernels import matern52
from taut.surrogate.sceptic import sceptical, spread_values
from taut.surrogate.settings import ModelSettings

SETTINGS = ModelSettings()
RNG = np.random.default_rng(3)
X = np.vstack([RNG.random((9, 2)), [0.2, 0.3] + 0.04 * RNG.random((25, 2))])
Y = np.sin(9.0 * X[:, 0]) * np.cos(8.0 * X[:, 1]) + X[:, 1]
PLAIN = fit(X, Y, None, SETTINGS, None).gp
SCEPTIC = sceptical(PLAIN, None, SETTINGS)


def test_values_are_believed() -> None:
    here = SCEPTIC.posterior(X)
    assert here.mean[0] == pytest.approx(Y, abs=1e-4) and np.sqrt(here.var).max() < 1e-3


def test_far_from_values_it_knows_less() -> None:
    far = np.array([[0.9, 0.05], [0.02, 0.97], [0.6, 0.62]])
    of_prior = [gp.posterior(far).var / gp.amplitude for gp in (SCEPTIC, PLAIN)]
    assert (of_prior[0] > 1.5 * of_prior[1]).all() and SCEPTIC.hyper.nu < PLAIN.hyper.nu


def test_mean_and_variance_are_those_of_the_spread_values() -> None:
    """By the textbook formula of generalised least squares on these values alone."""
    rows = spread_values(X, PLAIN.hyper.l, SETTINGS)
    y, l = (Y[rows] - PLAIN.offset) / PLAIN.scale, SCEPTIC.hyper.l
    R = np.linalg.inv(matern52(X[rows], X[rows], l) + PLAIN.hyper.rho * np.eye(len(rows)))
    m = R.sum(axis=0) @ y / R.sum()
    assert SCEPTIC.hyper.m == pytest.approx(m, rel=1e-5)
    assert SCEPTIC.hyper.a == pytest.approx((y - m) @ R @ (y - m) / (len(rows) - 1), rel=1e-5)
    alone = fit(X[rows], Y[rows], None, replace(SETTINGS, rough=False), None).gp.hyper.l
    assert l == pytest.approx(SETTINGS.sceptic_shrink * alone, rel=0.05)


def test_a_crowd_is_one_value_however_long_the_length_scales() -> None:
    for l in (PLAIN.hyper.l, np.full(2, 20.0)):
        rows = spread_values(X, l, SETTINGS)
        assert 5 <= len(rows) <= 12 and (rows >= 9).sum() <= 2


def test_with_few_values_there_is_none() -> None:
    few = fit(X[:3], Y[:3], None, SETTINGS, None).gp
    assert sceptical(few, None, SETTINGS) is few
    none = fit(X[:0], Y[:0], None, SETTINGS, None).gp
    assert sceptical(none, None, SETTINGS) is none


@pytest.mark.parametrize("noise", ["learned", 0.05])
def test_noisy_functions_have_one_too(noise: float | str) -> None:
    made = sceptical(fit(X, Y, noise, SETTINGS, None).gp, noise, SETTINGS)
    assert np.isfinite(made.posterior(X).var).all()


def test_very_many_values_are_thinned() -> None:
    many = replace(SETTINGS, sceptic_most=12)
    made = sceptical(PLAIN, None, many)
    assert len(made.X) == 12 == len(made.y) and len(spread_values(X, PLAIN.hyper.l, many)) <= 12
    assert made.posterior(made.X).mean[0] == pytest.approx(made.y[:, 0], abs=1e-4)
    apart = np.abs(made.X[:, None] - made.X).max(axis=2) + np.eye(12)
    assert (np.abs(X[:, None] - made.X).max(axis=2).min(axis=1)).max() < 0.3 and apart.min() > 0.0
