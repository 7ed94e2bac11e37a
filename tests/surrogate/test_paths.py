"""Sample paths against the posterior they are drawn from, and their constrained maxima against brute force."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process, random_process, slope

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.policy.search.path_optima import optima
from taut.surrogate.kernels import matern52
from taut.surrogate.paths import Grid, draw, fourier_features


def test_waves_approximate_the_correlation() -> None:
    length = np.array([0.3, 0.5])
    points = np.array([[0.2, 0.3], [0.45, 0.1]])
    cosines = np.cos(fourier_features(length, 400_000, np.random.default_rng(0)).angles(points))
    products = 2.0 * cosines[0] * cosines[1]
    assert matern52(points[:1], points[1:], length)[0, 0] == pytest.approx(0.568441, abs=1e-6)
    assert products.mean() == pytest.approx(0.568441, abs=4.0 * products.std() / np.sqrt(len(products)))


@pytest.mark.parametrize("n, rho", [(0, 1e-6), (6, 1e-12), (6, 0.1)])
def test_many_paths_have_the_posterior_mean_and_covariance(n: int, rho: float) -> None:
    """4,000 paths over 40 sets of waves; the standard error of a covariance is about 2 % of the variances."""
    gp = random_process(1, n, 2, rho=rho) if n else process(np.empty((0, 2)), np.empty(0))
    rng = np.random.default_rng(2)
    x = np.vstack([rng.random((7, 2)), gp.X[:2]])
    values = np.vstack([draw(gp, fourier_features(gp.hyper.l, 1000, rng), 100, rng).values(x) for _ in range(40)])
    table = gp.posterior(x)
    size = np.sqrt(gp.amplitude)
    assert values.mean(axis=0) == pytest.approx(table.mean[0], abs=0.08 * size)
    assert np.cov(values.T) == pytest.approx(gp.covariance(table, table), abs=0.1 * size**2)


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


GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 131)] * 2), axis=-1).reshape(-1, 2)


def brute_force(seed: int, K: int, bounds: Bounds, count: int) -> Array:
    """Maxima on a fine grid of the same paths that `optima` draws; [count]."""
    processes = problem(seed, 2, K, n=8)
    rng = np.random.default_rng(seed)
    features = [fourier_features(gp.hyper.l, 1000, rng) for gp in processes]
    paths = [draw(gp, each, count, rng) for gp, each in zip(processes, features, strict=True)]
    f, *c = (p.values_on(Grid.of(p.gp, p.fourier, GRID)) for p in paths)
    ok = np.all([(v >= bounds.lower) & (v <= bounds.upper) for v in c], axis=0) if K else np.ones(f.shape, dtype=bool)
    best: Array = np.where(ok, f, -np.inf).max(axis=1)
    return best


@pytest.mark.parametrize(
    "seed, K, bounds", [(1, 0, AT_MOST_ZERO), (2, 1, AT_MOST_ZERO), (3, 2, AT_MOST_ZERO), (4, 1, Bounds(-0.4, 0.6))]
)
def test_maxima_are_those_of_brute_force(seed: int, K: int, bounds: Bounds) -> None:
    """As good as a fine grid, up to what it can resolve, and feasible; one in ten may miss a narrow corner."""
    count = 10
    value = brute_force(seed, K, bounds, count)
    processes = problem(seed, 2, K, n=8)
    points = sobol(1024, 2, np.random.default_rng(0))
    found = optima(processes, (bounds,) * K, points, count, np.random.default_rng(seed), redraws=0)
    assert (np.isneginf(found.value) <= np.isneginf(value)).all()
    ok = np.isfinite(value)
    assert ok.sum() >= 8
    short = (value[ok] - found.value[ok]) / processes[0].scale
    assert (short > 1e-3).sum() <= 1 and short.max() < 0.05
    rng = np.random.default_rng(seed)
    features = [fourier_features(gp.hyper.l, 1000, rng) for gp in processes]
    for k, (gp, each) in enumerate(zip(processes, features, strict=True)):
        paths = draw(gp, each, count, rng)
        here = paths.values_with_gradient(found.x[ok], np.flatnonzero(ok))[0]
        if k == 0:
            assert here == pytest.approx(found.value[ok], rel=1e-9)
        else:
            slack = 3e-8 * gp.scale
            assert (here <= bounds.upper + slack).all() and (here >= bounds.lower - slack).all()


def test_draws_without_a_feasible_point_are_redrawn_or_kept_as_such() -> None:
    gp, c, *_ = problem(7, 2, 1)
    table = c.posterior(GRID)
    rare = Bounds(-np.inf, float((table.mean[0] - 2.6 * np.sqrt(table.var)).min()))
    points = sobol(256, 2, np.random.default_rng(1))
    kept = optima((gp, c), (rare,), points, 20, np.random.default_rng(2), redraws=0)
    again = optima((gp, c), (rare,), points, 20, np.random.default_rng(2))
    assert kept.redrawn == 0 and again.redrawn > 0
    assert 0 < kept.found.sum() < 20
    assert kept.found.sum() < again.found.sum()
    never = optima((gp, c), (Bounds(-np.inf, -1e6),), points, 3, np.random.default_rng(2))
    assert not never.found.any() and never.redrawn == 30
