"""Parts and unions of posteriors; gradients are tested with the process (test_gp)."""

import numpy as np
import pytest
from processes import random_process, slope

from taut.surrogate.posterior import CrossCovariance

GP = random_process(3, 7, 2, 2)
X = np.random.default_rng(1).random((5, 2))


def test_a_part_is_the_posterior_there() -> None:
    part, there = GP.posterior(X).part(np.array([3, 1])), GP.posterior(X[[3, 1]])
    for one, two in zip(part, there, strict=True):
        assert one == pytest.approx(two, abs=1e-12)


def test_joined_posteriors_are_that_of_all_points() -> None:
    both = GP.posterior(X[:2]).joined(GP.posterior(X[2:]))
    for one, two in zip(both, GP.posterior(X), strict=True):
        assert one == pytest.approx(two, abs=1e-12)


def test_a_part_with_gradients_pulls_the_same_back() -> None:
    rows, weight = np.array([4, 0]), np.array([0.5, -2.0])
    part = GP.posterior_with_gradient(X).part(rows)
    assert np.array_equal(part.var, GP.posterior_with_gradient(X).var[rows])
    assert part.gradient(None, weight) == pytest.approx(GP.posterior_with_gradient(X[rows]).gradient(None, weight))


def test_covariances_of_some_rows_only() -> None:
    other, rows = GP.posterior(X[:2]), np.array([2, 4])
    here = GP.posterior_with_gradient(X)
    weight = np.array([[1.0, -0.5], [0.3, 2.0]])
    cross = CrossCovariance(rows, other, here.cross(other)[1][rows], weight)
    found = here.gradient(None, None, cross)
    exact = slope(lambda x: (weight * GP.covariance(GP.posterior(x), other)).sum(axis=1), X[rows])
    assert found[rows] == pytest.approx(exact, rel=1e-5, abs=1e-8) and not found[[0, 1, 3]].any()
