"""The prior covariance that hyperparameters stand for, pair by pair."""

import numpy as np
import pytest
from reference.dense_gp import matern52 as slow_matern52

from taut.surrogate.hyper import Hyper
from taut.surrogate.kernels import correlation, distance_features, features
from taut.surrogate.trend import Trend

L = np.array([0.3, 2.0])


@pytest.mark.parametrize("rough", [0.0, 0.1])
@pytest.mark.parametrize("trend", [None, Trend(3.0), Trend(3.0, 2.0)])
def test_smooth_rough_and_polynomial_parts_add_up(rough: float, trend: Trend | None) -> None:
    hyper = Hyper(L, 1.0, 0.2, 0.0, np.inf, rough, trend=trend)
    x = np.random.default_rng(0).random((4, 2))
    other = np.vstack([x[1], x[1] + 1e-3, x[2]])
    share = np.array([1.0, 1.0, 5.0])
    A, B = features(x, L), distance_features(features(other, L))
    t = (x - 0.5) @ (other - 0.5).T
    expected = slow_matern52(x, other, L) + (trend.tilt * t + trend.bow * t**2 if trend else 0.0)
    assert hyper.smooth(correlation(A, B), A, B) == pytest.approx(expected, abs=1e-12)
    expected[1, 0] += rough
    expected[2, 2] += 5.0 * rough
    assert hyper.finished(correlation(A, B), A, B, share) == pytest.approx(expected, abs=1e-12)
    own = np.square(x - 0.5).sum(axis=1)
    at = 1.0 + rough + (trend.tilt * own + trend.bow * own**2 if trend else 0.0 * own)
    assert np.broadcast_to(hyper.at(A), 4) == pytest.approx(at)
