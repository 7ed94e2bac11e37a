"""Constrained maxima of sample paths against brute force."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem
from regions import half

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.policy.search.path_optima import optima
from taut.policy.settings import PathSettings
from taut.surrogate.paths import Grid, draw, fourier_features
from taut.surrogate.success import Successes

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
    found = optima(processes, (bounds,) * K, points, PathSettings(paths=count, redraws=0), np.random.default_rng(seed))
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
    prior = c.posterior(GRID)
    rare = Bounds(-np.inf, float((prior.mean[0] - 2.6 * np.sqrt(prior.var)).min()))
    points = sobol(256, 2, np.random.default_rng(1))
    kept = optima((gp, c), (rare,), points, PathSettings(paths=20, redraws=0), np.random.default_rng(2))
    again = optima((gp, c), (rare,), points, PathSettings(paths=20), np.random.default_rng(2))
    assert kept.redrawn == 0 and again.redrawn > 0
    assert 0 < kept.found.sum() < 20
    assert kept.found.sum() < again.found.sum()
    never = optima((gp, c), (Bounds(-np.inf, -1e6),), points, PathSettings(paths=3), np.random.default_rng(2))
    assert not never.found.any() and never.redrawn == 30


def test_maxima_lie_where_functions_can_be_computed() -> None:
    one, points = half(2, edge=0.5), sobol(512, 2, np.random.default_rng(0))
    found = optima(
        problem(2, 2, 1, n=8),
        (AT_MOST_ZERO,),
        points,
        PathSettings(paths=6, redraws=0),
        np.random.default_rng(2),
        Successes((one,), (0, -1)),
    )
    assert found.found.sum() >= 4 and one.score(found.x[found.found]).min() >= -1e-7
