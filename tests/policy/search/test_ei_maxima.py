"""Maxima of constrained expected improvement: the global one, and narrow ones next to the recommendation."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process

from taut.acquisition.improvement import Improvement
from taut.acquisition.utility import Utility
from taut.base.ascend import AscentOptions, ascend
from taut.base.quasirandom import sobol
from taut.policy.search.ei_maxima import maxima
from taut.policy.search.inner import ellipsoid_samples
from taut.policy.search.optimum import quick_optimum


@pytest.mark.parametrize("seed", range(4))
def test_a_narrow_maximum_next_to_the_recommendation_is_found(seed: int) -> None:
    """Many values near a boundary make a spot of expected improvement that no raw sample leads to."""
    rng = np.random.default_rng(seed)
    X = np.vstack([sobol(24, 2, rng), [0.31, 0.5] + 1e-3 * rng.standard_normal((8, 2))])
    rows = (np.sin(3.0 * X[:, 0]) + 0.2 * X[:, 1], X[:, 0] + 0.3 * X[:, 1] ** 2 - 0.4)
    each = Utility(tuple(process(X, y, length=0.5, rho=1e-10) for y in rows), (AT_MOST_ZERO,), -9.0)
    score = Improvement(each, float(rows[0][rows[1] <= 0.0].max()))
    cube = each.raw_samples(sobol(512, 2, rng))
    x_r = quick_optimum(each, cube)
    assert each.log_value(x_r[None, :])[0] >= cube.log_value.max() - 1e-9
    short = AscentOptions(calls=4, tolerance=1e-4)
    x, value = maxima(score, cube, ellipsoid_samples(x_r, 1e-4 * np.eye(2), 32, rng), x_r, 16, short, AscentOptions())
    start = np.vstack([x_r, x_r + 1e-3 * rng.standard_normal((40, 2))])
    long = ascend(lambda u, rows: score.value_with_gradient(u), start, AscentOptions(calls=200, tolerance=1e-12))
    assert value[0] > long.value.max() - 0.05


@pytest.mark.parametrize("seed", range(4))
def test_maxima_hold_the_global_one(seed: int) -> None:
    each = Utility(problem(20 + seed, 2, 1), (AT_MOST_ZERO,), -9.0)
    score = Improvement(each, float(np.median(each.processes[0].y)))
    rng = np.random.default_rng(seed)
    x, value = maxima(
        score, each.raw_samples(sobol(256, 2, rng)), rng.random((16, 2)), np.full(2, 0.5), 12, AscentOptions(60, 1e-6)
    )
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 101)] * 2), axis=-1).reshape(-1, 2)
    assert value[0] >= score.value_with_gradient(grid)[0].max() - 1e-6
    assert (np.diff(value) <= 0.0).all() and value == pytest.approx(score.value_with_gradient(x)[0], rel=1e-9)
