"""The recommendation against dense grids, quick and precise, without a feasible region, next to sharp constraints."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process, random_process

from taut.acquisition.feasibility import Bounds
from taut.acquisition.utility import Utility, penalty
from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.base.levels import Ordered
from taut.base.quasirandom import sobol
from taut.policy.search.optimum import Optimum, recommend
from taut.policy.settings import OptimumSettings
from taut.surrogate.gp import GP

TWO_SIDED = Bounds(-1.5, 0.5)
OPTIONS = OptimumSettings(starts=12)


def grid(d: int, size: int) -> Array:
    axes = [np.linspace(0.0, 1.0, size)] * d
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)


def utility_of(seed: int, d: int, K: int, bounds: Bounds = AT_MOST_ZERO) -> Utility:
    processes = problem(seed, d, K)
    raw = sobol(256, d, np.random.default_rng(seed))
    return Utility(processes, (bounds,) * K, penalty(processes[0], raw, processes[0].posterior(raw).mean[0]))


def recommended(utility: Utility, raw: np.ndarray) -> Optimum:
    """From the data of the objective and raw points."""
    return recommend(utility, utility.raw_samples(np.vstack([utility.processes[0].X, raw])), OPTIONS)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "d, K, bounds", [(1, 1, AT_MOST_ZERO), (2, 2, AT_MOST_ZERO), (2, 1, TWO_SIDED), (2, 0, TWO_SIDED)]
)
def test_recommendation_is_the_global_maximum(seed: int, d: int, K: int, bounds: Bounds) -> None:
    utility = utility_of(seed, d, K, bounds)
    raw = sobol(256, d, np.random.default_rng(seed + 50))
    optimum = recommended(utility, raw)
    x = grid(d, 2001 if d == 1 else 121)
    value = np.exp(utility.log_value(optimum.x[None, :])[0])
    assert value >= np.exp(utility.log_value(x)).max() * (1.0 - 1e-9)
    assert optimum.feasible and (optimum.x >= 0.0).all() and (optimum.x <= 1.0).all()
    assert optimum.log_value == pytest.approx(np.log(value), abs=1e-9)


def test_local_maxima_are_distinct_and_best_first() -> None:
    utility = utility_of(5, 2, 1)
    optimum = recommended(utility, sobol(256, 2, np.random.default_rng(6)))
    values = utility.log_value(optimum.maxima)
    assert np.array_equal(optimum.maxima[0], optimum.x) and (np.diff(values) <= 1e-12).all()
    apart = np.abs(optimum.maxima[:, None, :] - optimum.maxima[None, :, :]).max(axis=2)
    assert (apart[np.triu_indices(len(apart), 1)] > 1e-4).all()


def infeasible() -> Utility:
    """A constraint that is violated by at least twenty standard deviations, least so near (0.8, 0.3)."""
    X = grid(2, 4)
    height = 30.0 + 20.0 * ((X - [0.8, 0.3]) ** 2).sum(axis=1)
    constraint = process(X, height, length=1.0)
    return Utility((random_process(7, 6, 2), constraint), (AT_MOST_ZERO,), -10.0)


def test_without_a_feasible_region_the_most_feasible_point_is_taken_and_flagged() -> None:
    utility = infeasible()
    optimum = recommended(utility, sobol(256, 2, np.random.default_rng(8)))
    best = utility.log_feasibility(grid(2, 101)).max()
    assert not optimum.feasible
    assert best < np.log(1e-6)
    assert utility.log_feasibility(optimum.x[None, :])[0] >= best - 1e-6 * abs(best)


@pytest.mark.parametrize("z, flag", [(4.7, True), (4.8, False)])
def test_the_flag_goes_up_at_a_probability_of_one_in_a_million(z: float, flag: bool) -> None:
    """Phi(-4.7534) = 1e-6; the constraint's process is the prior everywhere."""
    constraint = process(np.empty((0, 1)), np.empty(0))
    raw = sobol(64, 1, np.random.default_rng(9))
    prior = constraint.posterior(raw)
    bounds = Bounds(-np.inf, float(prior.mean[0, 0] - z * np.sqrt(prior.var[0])))
    utility = Utility((random_process(7, 6, 1), constraint), (bounds,), -9.0)
    assert recommend(utility, utility.raw_samples(raw), OPTIONS).feasible is flag


@pytest.mark.parametrize("cloud", [0.02, 0.05, 0.1])
def test_next_to_a_well_known_constraint_a_quick_search_is_as_good_as_a_precise_one(cloud: float) -> None:
    """The best point is several standard deviations from the bound, and a late evaluation is worth little."""
    rng = np.random.default_rng(1)
    X = np.vstack([grid(2, 7), np.clip(0.5 + cloud * rng.normal(size=(24, 2)), 0.0, 1.0)])
    objective = process(X, X[:, 0] - 2.0 * (X[:, 1] - 0.4) ** 2, length=0.6, rho=1e-12)
    wall = process(X, X[:, 0] + 0.1 * np.sin(6.0 * X[:, 1]) - 0.52, length=1.0, rho=1e-12)
    utility = Utility((objective, wall), (AT_MOST_ZERO,), -20.0)
    seen = utility.raw_samples(np.vstack([X, sobol(256, 2, rng)]))
    quick, precise = (recommend(utility, seen, OPTIONS, precise) for precise in (False, True))
    assert quick.log_value == pytest.approx(precise.log_value, abs=1e-7)
    axes = [np.sqrt(np.linalg.eigvalsh(optimum.metric)) for optimum in (quick, precise)]
    assert axes[0] == pytest.approx(axes[1], rel=0.1)


def single(gp: GP) -> Utility:
    return Utility((gp,), (), -100.0)


def test_known_good_points_are_used_as_starts() -> None:
    """A maximum too narrow for the raw points is found through the data point that sits on it."""
    X = np.vstack([grid(2, 5), [[0.613, 0.387]]])
    gp = process(X, np.append(np.zeros(25), 5.0), length=0.02, m=-0.2)
    optimum = recommended(single(gp), sobol(32, 2, np.random.default_rng(2)))
    assert np.abs(optimum.x - [0.613, 0.387]).max() < 1e-3


def test_another_level_is_tried_with_the_other_columns_moved_along() -> None:
    """A wall x1 <= 0.2 + 0.6 x0: along it the objective x1 - 0.7 x0 grows towards x0 = 0.

    From (0.5, 0.5) the level below is infeasible as long as x1 stays, and the level above is worse.
    """
    X = grid(2, 7)
    objective = process(X, X[:, 1] - 0.7 * X[:, 0], length=1.0)
    wall = process(X, X[:, 1] - 0.2 - 0.6 * X[:, 0], length=1.0)
    levels = Domain(2, (Ordered(0, 5, (0.0, 0.25, 0.5, 0.75, 1.0)),))
    utility = Utility((objective, wall), (AT_MOST_ZERO,), -1.0, within=levels)
    start = utility.raw_samples(np.array([[0.5, 0.5]]))
    stayed = recommend(utility, start, OptimumSettings(beside_rounds=0))
    assert stayed.x == pytest.approx([0.5, 0.5], abs=0.02)
    found = recommend(utility, start, OptimumSettings())
    assert found.x == pytest.approx([0.0, 0.2], abs=0.02) and found.log_value > stayed.log_value
    assert levels.contains(found.maxima).all()
