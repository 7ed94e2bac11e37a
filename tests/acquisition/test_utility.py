"""The utility of a recommendation: G by its definition, optimistic and raw values, the penalty against dense grids."""

from dataclasses import replace

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process, random_process, slope
from regions import half
from scipy import stats

from taut.acquisition.feasibility import Bounds
from taut.acquisition.settings import UtilitySettings
from taut.acquisition.utility import EVERY_FUNCTION, Utility, moments, penalty
from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.surrogate.success import Successes

TWO_SIDED = Bounds(-1.5, 0.5)


def grid(d: int, size: int) -> Array:
    axes = [np.linspace(0.0, 1.0, size)] * d
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)


def definition(utility: Utility, x: Array) -> Array:
    """G = mu_0 PF + M (1 - PF), term by term."""
    p = np.ones(len(x))
    for gp, bounds in zip(utility.processes[1:], utility.bounds, strict=True):
        here = gp.posterior(x)
        sd = np.sqrt(here.var)
        p *= stats.norm.cdf(bounds.upper, here.mean[0], sd) - stats.norm.cdf(bounds.lower, here.mean[0], sd)
    return utility.processes[0].posterior(x).mean[0] * p + utility.M * (1.0 - p)


def utility_of(seed: int, d: int, K: int, bounds: Bounds = AT_MOST_ZERO) -> Utility:
    processes = problem(seed, d, K)
    raw = sobol(256, d, np.random.default_rng(seed))
    return Utility(processes, (bounds,) * K, penalty(processes[0], raw, processes[0].posterior(raw).mean[0]))


@pytest.mark.parametrize("d, K, bounds", [(1, 0, AT_MOST_ZERO), (2, 1, AT_MOST_ZERO), (2, 3, TWO_SIDED)])
def test_log_value_is_the_log_of_G_minus_M(d: int, K: int, bounds: Bounds) -> None:
    utility = utility_of(1, d, K, bounds)
    x = np.random.default_rng(2).random((50, d))
    G = definition(utility, x)
    assert np.exp(utility.log_value(x)) + utility.M == pytest.approx(G, abs=1e-8 * utility.processes[0].scale)
    value, gradient = utility.log_value_with_gradient(x)
    assert value == pytest.approx(utility.log_value(x), abs=1e-9)
    expected = slope(utility.log_value, x, h=1e-6)
    assert gradient == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max())
    expected = slope(utility.log_feasibility, x, h=1e-6)
    assert utility.log_feasibility_with_gradient(x)[1] == pytest.approx(
        expected, rel=1e-4, abs=1e-5 * np.abs(expected).max()
    )


def test_without_constraints_G_is_the_mean_whatever_M() -> None:
    gp = random_process(3, 6, 2)
    utility, x = Utility((gp,), (), -50.0), np.random.default_rng(4).random((9, 2))
    assert np.exp(utility.log_value(x)) + utility.M == pytest.approx(gp.posterior(x).mean[0], rel=1e-12)
    assert np.array_equal(utility.log_feasibility(x), np.zeros(9))


def test_below_the_penalty_the_log_value_stays_finite_and_flat() -> None:
    gp = random_process(3, 6, 2)
    utility = Utility((gp,), (), float(gp.y.max()) + 100.0)
    value, gradient = utility.log_value_with_gradient(np.array([[0.5, 0.5]]))
    assert np.isfinite(value).all() and np.array_equal(gradient, np.zeros((1, 2)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2])
def test_penalty_is_the_smallest_mean_and_no_more_than_the_smallest_value(seed: int, d: int) -> None:
    gp = random_process(seed, 7, d)
    raw = np.vstack([sobol(256, d, np.random.default_rng(seed)), gp.X])
    M = penalty(gp, raw, gp.posterior(raw).mean[0])
    lowest = gp.posterior(grid(d, 2001 if d == 1 else 121)).mean.min()
    assert M <= gp.y.min()
    assert M <= lowest + 1e-6 * gp.scale
    assert M >= min(lowest, gp.y.min()) - 1e-3 * gp.scale


def test_penalty_without_data_is_the_prior_mean() -> None:
    gp = process(np.empty((0, 2)), np.empty(0))
    raw = sobol(16, 2, np.random.default_rng(1))
    assert penalty(gp, raw, gp.posterior(raw).mean[0]) == pytest.approx(0.7 + 2.5 * 0.2)


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
def test_optimistic_values_move_the_means_of_some_functions(bounds: Bounds) -> None:
    """By definition: means 1.5 standard deviations better, those of a constraint towards its inside."""
    utility, x = utility_of(1, 2, 2, bounds), np.random.default_rng(3).random((12, 2))
    samples = utility.raw_samples(x)
    for which in (0, 1, 2, EVERY_FUNCTION):
        moved = [which in (k, EVERY_FUNCTION) for k in range(3)]
        f, *c = (gp.posterior(x) for gp in utility.processes)
        expected = utility.log_mean_excess(f.mean[0] + 1.5 * moved[0] * np.sqrt(f.var))
        for here, shifted in zip(c, moved[1:], strict=True):
            sd = np.sqrt(here.var)
            nearer_below = np.abs(here.mean[0] - bounds.lower) < np.abs(bounds.upper - here.mean[0])
            mean = here.mean[0] + 1.5 * shifted * sd * np.where(nearer_below, 1.0, -1.0)
            expected = expected + np.log(
                stats.norm.cdf(bounds.upper, mean, sd) - stats.norm.cdf(bounds.lower, mean, sd)
            )
        assert samples.log_optimistic(which) == pytest.approx(expected, rel=1e-6, abs=1e-6)
        rows = np.full(len(x), which)
        value, gradient = utility.log_optimistic_with_gradient(x, rows)
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)
        differences = slope(lambda u, rows=rows: utility.log_optimistic_with_gradient(u, rows)[0], x, h=1e-6)
        assert gradient == pytest.approx(differences, rel=1e-4, abs=1e-5 * np.abs(differences).max())


def test_with_many_values_only_a_shortlist_of_raw_samples_is_kept() -> None:
    """The best by their means, and the best observed ones, which have the incumbent."""
    all_of_them = utility_of(4, 2, 1)
    raw = np.vstack([all_of_them.processes[0].X, sobol(64, 2, np.random.default_rng(5))])
    observed = np.arange(len(raw)) < 6
    few = UtilitySettings(cheap=1, shortlist=8, shortlist_observed=2)
    short = Utility(all_of_them.processes, all_of_them.bounds, all_of_them.M, few)
    whole, part = (each.raw_samples(raw, observed=observed) for each in (all_of_them, short))
    assert len(whole.x) == 70 and 8 <= len(part.x) <= 10 and np.count_nonzero(part.observed) >= 2
    assert part.log_value.max() == pytest.approx(whole.log_value.max(), abs=0.5)
    assert moments(short.processes[0], raw, few).sd is None
    assert moments(short.processes[0], raw).sd == pytest.approx(whole.sd, rel=1e-6)


def with_failures(utility: Utility, d: int) -> Utility:
    """The objective fails where the first parameter is large, the first constraint elsewhere."""
    return replace(utility, successes=Successes((half(d), half(d, seed=1, edge=0.8)), (0, 1, *[-1] * 2)))


@pytest.mark.parametrize("d", [1, 2])
def test_G_counts_how_probably_everything_can_be_computed(d: int) -> None:
    plain = utility_of(1, d, 3)
    utility, x = with_failures(plain, d), np.random.default_rng(2).random((40, d))
    assert utility.successes is not None
    doubt = utility.successes.logs(x).sum(axis=0)
    assert doubt.min() < -1.0
    assert utility.log_value(x) == pytest.approx(plain.log_value(x) + doubt)
    assert utility.log_feasibility(x) == pytest.approx(plain.log_feasibility(x) + doubt)
    samples, before = utility.raw_samples(x), plain.raw_samples(x)
    assert samples.log_value == pytest.approx(before.log_value + doubt)
    assert samples.log_feasibility == pytest.approx(before.log_feasibility + doubt)
    for k in (EVERY_FUNCTION, 0, 1):
        assert samples.log_optimistic(k) == pytest.approx(before.log_optimistic(k) + doubt)
    for value, gradient in (
        (utility.log_value, utility.log_value_with_gradient(x)[1]),
        (utility.log_feasibility, utility.log_feasibility_with_gradient(x)[1]),
    ):
        assert gradient == pytest.approx(slope(value, x, h=1e-7), rel=1e-3, abs=1e-4)
    which = np.zeros(len(x), dtype=np.intp)
    shifted = utility.log_optimistic_with_gradient(x, which)
    unshifted = plain.log_optimistic_with_gradient(x, which)
    assert shifted[0] == pytest.approx(unshifted[0] + doubt)
    assert shifted[1] - unshifted[1] == pytest.approx(utility.successes.log_with_gradient(x)[1], abs=1e-8)
