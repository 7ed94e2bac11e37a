"""A known function as a process: exact mean and slope, and nothing to learn."""

import numpy as np

from taut.base.arrays import Array
from taut.data.bend import Bend
from taut.surrogate.known import LOWEST, BentFunction, KnownProcess
from taut.surrogate.paths import Grid, draw, fourier_features


def square(x: Array) -> tuple[Array, Array]:
    value, slope = (x**2).sum(axis=1), 2.0 * x
    return np.where(x[:, 0] > 0.9, np.nan, value), slope


GP = KnownProcess.of(square, 2, 0.5, 2.0)
X = np.array([[0.1, 0.2], [0.3, 0.7], [0.95, 0.1]])


def test_mean_and_gradient_are_the_function() -> None:
    value = np.array([0.05, 0.58, 0.5 - 2.0 * LOWEST])
    assert np.allclose(GP.posterior(X).mean, value[None, :], rtol=1e-15)
    assert np.array_equal(GP.mean(X), GP.posterior(X).mean)
    here = GP.posterior_with_gradient(X)
    weight = np.array([[1.0, 2.0, 3.0]])
    expected = weight.T * 2.0 * X
    expected[2] = 0.0  # not computable there
    assert np.array_equal(here.gradient(weight, np.ones(3)), expected)
    assert np.array_equal(here.part(np.array([1])).gradient(weight[:, 1:2], None), expected[1:2])
    mean, slope = GP.mean_with_gradient(X)
    assert np.array_equal(mean, here.mean[0]) and np.array_equal(slope, here.gradient(np.ones((1, 3)), None))


def test_nothing_moves_it() -> None:
    table, here = GP.posterior(X), GP.posterior_with_gradient(X)
    assert not GP.covariance(table, table).any() and not here.cross(table)[0].any()
    assert (table.var > 0.0).all() and np.sqrt(table.var).max() < 1e-9 * GP.scale
    assert GP.repeated(4).posterior(X).mean.shape == (4, 3)


def test_its_paths_are_the_function() -> None:
    rng = np.random.default_rng(0)
    features = fourier_features(GP.hyper.l, 16, rng)
    paths = draw(GP, features, 5, rng)
    assert np.array_equal(paths.values_on(Grid.of(GP, features, X)), np.tile(GP.posterior(X).mean, (5, 1)))
    value, slope = paths.part(np.array([3])).values_with_gradient(X[:1], np.array([0]))
    assert value[0] == GP.posterior(X).mean[0, 0] and np.array_equal(slope, 2.0 * X[:1])


def test_on_another_scale_values_and_slopes_go_together() -> None:
    bent = BentFunction(square, Bend(0.5, 0.1))
    x, h = X[:2], 1e-6
    value, slope = bent(x)
    assert np.array_equal(value, Bend(0.5, 0.1).of(square(x)[0])) and (value < 0.0).tolist() == [True, False]
    for i in range(2):
        step = h * np.eye(2)[i]
        assert np.allclose((bent(x + step)[0] - bent(x - step)[0]) / (2.0 * h), slope[:, i], rtol=1e-6)
    assert np.isnan(bent(X)[0]).tolist() == [False, False, True]  # not computable stays so
