"""The inner set: points on ellipsoids, on the lines of receding boundaries and on a ridge, and what they are worth."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem

from taut.acquisition.feasibility import Bounds
from taut.acquisition.utility import Utility, penalty
from taut.base.domain import Domain
from taut.base.quasirandom import sobol
from taut.policy.search.inner import (
    axes,
    boundary_lines,
    ellipsoid_samples,
    inner_points,
    on_ridge,
)
from taut.policy.search.optimum import Optimum, recommend
from taut.policy.settings import InnerSettings, OptimumSettings

TWO_SIDED = Bounds(-1.5, 0.4)
SETTINGS = InnerSettings(size=256)


def belief(seed: int, d: int, K: int, bounds: Bounds = AT_MOST_ZERO) -> tuple[Utility, Optimum]:
    processes = problem(seed, d, K)
    raw = sobol(256, d, np.random.default_rng(seed))
    utility = Utility(processes, (bounds,) * K, penalty(processes[0], raw, processes[0].posterior(raw).mean[0]))
    return utility, recommend(utility, utility.raw_samples(raw), OptimumSettings(starts=12))


def semi_axes(optimum: Optimum, x: np.ndarray) -> np.ndarray:
    step = x - optimum.x
    return np.sqrt(np.einsum("pi,ij,pj->p", step, np.linalg.inv(optimum.metric), step))


def test_points_around_lie_on_ellipsoids_of_the_given_radii() -> None:
    metric = np.array([[4e-4, 1e-4], [1e-4, 1e-4]])
    optimum = Optimum(np.full(2, 0.5), 0.0, np.full((1, 2), 0.5), metric, True)
    radius = semi_axes(optimum, ellipsoid_samples(Domain(2), optimum.centre, 200, np.random.default_rng(1), (0.1, 2.0)))
    assert radius.min() >= 0.1 * (1 - 1e-9) and radius.max() <= 2.0 * (1 + 1e-9)
    assert np.median(radius) == pytest.approx(np.sqrt(0.2), rel=0.1)


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
@pytest.mark.parametrize("seed, K", [(2, 1), (3, 2), (5, 3)])
def test_on_a_line_one_boundary_recedes_and_the_others_stay(seed: int, K: int, bounds: Bounds) -> None:
    """By the slopes at x_r: the mean of one constraint moves by t standard deviations, those of others do not."""
    utility, optimum = belief(seed, 3, K, bounds)
    outward = np.array(SETTINGS.outward)
    points = boundary_lines(utility, optimum, SETTINGS).reshape(-1, len(outward), 3)
    assert 0 < len(points) <= K
    moves = []
    for line in points:
        inside = ((line > 0.0) & (line < 1.0)).all(axis=1)
        assert inside.any()
        step, t = (line - optimum.x)[inside], outward[inside]
        rates = []
        for gp in utility.processes[1:]:
            trace = gp.posterior_with_gradient(optimum.x[None, :])
            slope = trace.gradient(np.ones((1, 1)), None)[0]
            rates.append(np.abs(step @ slope) / np.sqrt(trace.var[0]) / np.abs(t))
        mine = int(np.argmax(np.mean(rates, axis=1)))
        assert np.ptp(rates[mine]) < 1e-6 and 0.0 < rates[mine][0] < 1.0 + 1e-6  # less where a line would be too long
        assert sum(bool(rate.max() < 1e-6 * rates[mine][0]) for rate in rates) >= len(points) - 1
        moves.append(mine)
    assert len(set(moves)) == len(points)


def test_a_certain_constraint_has_no_line() -> None:
    utility, optimum = belief(3, 2, 2)
    loose = Utility(utility.processes, (Bounds(-np.inf, 1e6),) * 2, utility.M)
    assert boundary_lines(loose, optimum, SETTINGS).shape == (0, 2)


def test_axes_reach_from_a_hundredth_to_twice_the_longest_semi_axes() -> None:
    metric = np.diag([1e-8, 1e-4, 4e-4])
    optimum = Optimum(np.full(3, 0.5), 0.0, np.full((1, 3), 0.5), metric, True)
    points = axes(Domain(3), optimum, SETTINGS)
    step = (points - 0.5) / np.sqrt(np.diag(metric))
    assert np.abs(step[:, 0]).max() < 1e-6  # the narrow one is across
    for axis in (1, 2):
        on = step[np.abs(step[:, axis]) > 1e-9][:, axis]
        assert len(on) == len(points) / 2 and np.abs(on).min() < 0.01 and np.abs(on).max() > 2.0
        assert np.sort(on) == pytest.approx(np.sort(-on))
        scales = np.unique(np.abs(on).round(12))
        assert (scales[1:] / scales[:-1] < 2.5).all()  # no scale is left out


def test_only_the_longest_axes_have_points() -> None:
    optimum = Optimum(np.full(3, 0.5), 0.0, np.full((1, 3), 0.5), np.diag([1e-4, 2e-4, 4e-4]), True)
    moved = np.abs(axes(Domain(3), optimum, InnerSettings(size=64, axes=1)) - 0.5).max(axis=0)
    assert moved[2] > 0.01 and moved[:2].max() < 1e-9


def test_a_step_onto_the_ridge_raises_the_gain() -> None:
    """Known walls make a ridge; points beside it climb most of the way back, and along it they stay."""
    utility, optimum = belief(4, 2, 1)
    squares, directions = np.linalg.eigh(optimum.metric)
    narrow = np.diag([1e-4 * squares[-1], squares[-1]])
    ridge = Optimum(optimum.x, optimum.log_value, optimum.maxima, directions @ narrow @ directions.T, optimum.feasible)
    x = ellipsoid_samples(Domain(2), ridge.centre, 64, np.random.default_rng(2), (0.03, 0.5))
    moved = on_ridge(utility, ridge, x, SETTINGS.narrow)
    along = (moved - x) @ directions[:, 1]
    assert np.abs(along).max() < 1e-9 or ((moved == 0.0) | (moved == 1.0)).any()
    assert (utility.log_value(moved) >= utility.log_value(x) - 1e-9).mean() > 0.9
    round_one = Optimum(optimum.x, optimum.log_value, optimum.maxima, 1e-4 * np.eye(2), optimum.feasible)
    assert np.array_equal(on_ridge(utility, round_one, x, SETTINGS.narrow), x)


@pytest.mark.parametrize("size", [3, 20, 48, 204, 1024])
@pytest.mark.parametrize("d, K", [(1, 1), (2, 3), (6, 4)])
def test_the_set_has_its_size_and_stays_in_the_cube(size: int, d: int, K: int) -> None:
    utility, optimum = belief(7, d, K)
    known = np.full((2, d), 0.3)
    points = inner_points(utility, optimum, known, InnerSettings(size=size), np.random.default_rng(3))
    fixed = 1 + len(optimum.maxima[1:12]) + 2
    assert len(points) in range(min(size, 16), size + 17 + fixed) and points.shape[1] == d
    assert (points >= 0.0).all() and (points <= 1.0).all() and np.array_equal(points[0], optimum.x)
    assert (np.abs(points - 0.3).max(axis=1) == 0.0).sum() == 2
