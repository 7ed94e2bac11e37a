"""Maxima of constrained expected improvement: the global one, and narrow ones next to the recommendation."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process
from states import believing, context, known, under_way

from taut.acquisition.improvement import Improvement
from taut.acquisition.incumbent import incumbent
from taut.base.ascend import AscentOptions, ascend
from taut.base.quasirandom import sobol
from taut.policy.context import Context
from taut.policy.search.ei_maxima import Maxima, ei_maxima


def score_of(made: Context) -> Improvement:
    return Improvement(made.utility, incumbent(made.raw_samples, made.dataset))


def maxima(made: Context, finish: AscentOptions | None = None) -> Maxima:
    x_r = made.quick_optimum
    return ei_maxima(made, (x_r, made.shape(x_r)), 16, AscentOptions(calls=4, tolerance=1e-4), finish)


@pytest.mark.parametrize("seed", range(4))
def test_a_narrow_maximum_next_to_the_recommendation_is_found(seed: int) -> None:
    """Many values near a boundary make a spot of expected improvement that no raw sample leads to."""
    rng = np.random.default_rng(seed)
    X = np.vstack([sobol(24, 2, rng), [0.31, 0.5] + 1e-3 * rng.standard_normal((8, 2))])
    rows = (np.sin(3.0 * X[:, 0]) + 0.2 * X[:, 1], X[:, 0] + 0.3 * X[:, 1] ** 2 - 0.4)
    made = believing([process(X, y, length=0.5, rho=1e-10) for y in rows], AT_MOST_ZERO)
    found, score, x_r = maxima(made, AscentOptions()), score_of(made), made.quick_optimum
    start = np.vstack([x_r, x_r + 1e-3 * rng.standard_normal((40, 2))])
    long = ascend(lambda u, rows: score.value_with_gradient(u), start, AscentOptions(calls=200, tolerance=1e-12))
    assert found.known and found.value[0] > long.value.max() - 0.05


@pytest.mark.parametrize("seed", range(4))
def test_maxima_hold_the_global_one_and_are_distinct(seed: int) -> None:
    made = believing(problem(20 + seed, 2, 1), AT_MOST_ZERO)
    found, score = maxima(made, AscentOptions(60, 1e-6)), score_of(made)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 101)] * 2), axis=-1).reshape(-1, 2)
    assert found.value[0] >= score.value_with_gradient(grid)[0].max() - 1e-6
    assert (np.diff(found.value) <= 0.0).all()
    assert found.value == pytest.approx(score.value_with_gradient(found.x)[0], rel=1e-9)
    apart = np.abs(found.x[:, None, :] - found.x).max(axis=2)
    assert (apart[np.triu_indices(len(apart), 1)] > 1e-3).all()


def test_what_is_next_to_work_under_way_comes_last() -> None:
    request = known("test_function_2", 10)
    best = maxima(context(request)).x[0]
    busy = context(under_way(request, "f", best))
    found = maxima(busy)
    near = np.abs(found.x - best).max(axis=1) < busy.settings.pending.near
    assert not near[0] and (np.diff(near.astype(int)) >= 0).all()
