"""Sample paths against the posterior they are drawn from."""

import numpy as np
import pytest
from processes import process, random_process, slope

from taut.surrogate.kernels import matern52
from taut.surrogate.paths import draw, fourier_features


def test_features_approximate_the_correlation() -> None:
    length = np.array([0.3, 0.5])
    points = np.array([[0.2, 0.3], [0.45, 0.1]])
    cosines = np.cos(fourier_features(length, 400_000, np.random.default_rng(0)).angles(points))
    products = 2.0 * cosines[0] * cosines[1]
    assert matern52(points[:1], points[1:], length)[0, 0] == pytest.approx(0.568441, abs=1e-6)
    assert products.mean() == pytest.approx(0.568441, abs=4.0 * products.std() / np.sqrt(len(products)))


@pytest.mark.parametrize("n, rho", [(0, 1e-6), (6, 1e-12), (6, 0.1)])
def test_many_paths_have_the_posterior_mean_and_covariance(n: int, rho: float) -> None:
    """4,000 paths over 40 sets of features; the standard error of a covariance is about 2 % of the variances."""
    gp = random_process(1, n, 2, rho=rho) if n else process(np.empty((0, 2)), np.empty(0))
    rng = np.random.default_rng(2)
    x = np.vstack([rng.random((7, 2)), gp.X[:2]])
    values = np.vstack([draw(gp, fourier_features(gp.hyper.l, 1000, rng), 100, rng).values(x) for _ in range(40)])
    here = gp.posterior(x)
    size = np.sqrt(gp.amplitude)
    assert values.mean(axis=0) == pytest.approx(here.mean[0], abs=0.08 * size)
    assert np.cov(values.T) == pytest.approx(gp.covariance(here, here), abs=0.1 * size**2)


def test_paths_run_through_noise_free_data() -> None:
    gp = random_process(3, 30, 2, rho=1e-12)
    rng = np.random.default_rng(4)
    values = draw(gp, fourier_features(gp.hyper.l, 1000, rng), 20, rng).values(gp.X)
    assert values == pytest.approx(np.repeat(gp.y.T, 20, axis=0), abs=1e-4 * gp.scale)


def test_gradient_and_single_values() -> None:
    gp = random_process(5, 8, 3)
    rng = np.random.default_rng(6)
    paths = draw(gp, fourier_features(gp.hyper.l, 300, rng), 4, rng)
    x, rows = rng.random((5, 3)), np.array([0, 3, 1, 1, 2])
    value, gradient = paths.values_with_gradient(x, rows)
    assert value == pytest.approx(paths.values(x)[rows, np.arange(5)], rel=1e-12)
    expected = slope(lambda u: paths.values(u)[rows, np.arange(5)], x)
    assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert paths.part(rows[:2]).values(x) == pytest.approx(paths.values(x)[rows[:2]])
    assert paths.with_part(np.array([1]), paths.part(np.array([2]))).values(x)[1] == pytest.approx(paths.values(x)[2])
