"""Information about the location of the optimum against rejection sampling, known numbers, and its gradient."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, slope
from reference.slow_entropy import rejected, sequential
from scipy import stats

from taut.acquisition.entropy import Entropy
from taut.acquisition.feasibility import Bounds
from taut.acquisition.propagation import condition
from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.policy.search.path_optima import optima
from taut.policy.settings import PathSettings
from taut.surrogate.gp import GP
from taut.surrogate.gp import condition as fitted
from taut.surrogate.hyper import Hyper

BAND = Bounds(-1.2, 0.4)
PROBLEMS = 15
X = np.linspace(0.01, 0.99, 20)[:, None]


def moments(mean: float, var: float, low: float, high: float) -> tuple[float, float, float]:
    """Probability, mean and mean square of N(mean, var) between two bounds."""
    sd = np.sqrt(var)
    cut = stats.truncnorm((low - mean) / sd, (high - mean) / sd, loc=mean, scale=sd)
    p = stats.norm.cdf(high, mean, sd) - stats.norm.cdf(low, mean, sd)
    return float(p), float(cut.mean()), float(cut.var() + cut.mean() ** 2)


def variance_without(mean: float, var: float, p: float, first: float, second: float) -> float:
    """Variance of N(mean, var) given that an event of probability p, with these moments, does not happen."""
    left = (mean - p * first) / (1.0 - p)
    return float((mean**2 + var - p * second) / (1.0 - p) - left**2)


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, BAND])
@pytest.mark.parametrize("seed", [0, 2, 3, 6])  # in others the event is so rare that SciPy cannot truncate it
def test_the_factor_at_the_candidate_has_exact_moments(seed: int, bounds: Bounds) -> None:
    """Without sites: NOT (both constraints hold at x and f(x) > f(x*)), by moments of truncated normals."""
    processes, rng = problem(seed, 2, 2), np.random.default_rng(seed)
    x, star, both = rng.random((1, 2)), rng.random((1, 2)), (bounds, bounds)
    given = condition(processes, both, star, np.empty((0, 2)))
    none = tuple(replace(each, Gm=0.0 * each.Gm, e=0.0 * each.e) for each in given.functions)
    found = [float(v[0, 0]) for v in Entropy(processes, both, replace(given, functions=none)).conditional(x)]

    here = processes[0].posterior(np.vstack([x, star]))
    V, m = processes[0].covariance(here, here), here.mean[0]
    d_mean, d_var = m[0] - m[1], V[0, 0] + V[1, 1] - 2.0 * V[0, 1]
    above, d_first, d_second = moments(d_mean, d_var, 0.0, np.inf)
    ends = [gp.posterior(x) for gp in processes[1:]]
    cuts = [moments(c.mean[0, 0], c.var[0], bounds.lower, bounds.upper) for c in ends]
    p, slope = above * cuts[0][0] * cuts[1][0], (V[0, 0] - V[0, 1]) / d_var
    # f(x) = m + slope (d - m_d) + a rest that is independent of d
    first = m[0] + slope * (d_first - d_mean)
    second = slope**2 * (d_second - d_first**2) + first**2 + V[0, 0] - slope**2 * d_var
    expected = [variance_without(m[0], V[0, 0], p, first, second)]
    expected += [variance_without(c.mean[0, 0], c.var[0], p, *cut[1:]) for c, cut in zip(ends, cuts, strict=True)]
    assert found == pytest.approx(expected, rel=1e-6)


def random_problem(seed: int) -> tuple[tuple[GP, ...], Bounds]:
    """One dimension, three values of every function at points of its own; 0, 1 or 2 constraints."""
    rng = np.random.default_rng(501 + seed)
    processes = []
    for k in range(seed % 3 + 1):
        points = (rng.permutation(6)[:3, None] + rng.random((3, 1))) / 6.0
        values = rng.normal(size=(3, 1))
        hyper = Hyper(np.array([rng.uniform(0.12, 0.3)]), 1.0, 1e-6, 0.0 if k == 0 else -0.3, np.inf)
        processes.append(fitted(points, values, hyper, 0.0, 1.0))
    return tuple(processes), AT_MOST_ZERO if seed % 4 else BAND


@cache
def compared(seed: int) -> tuple[Array, Array, Array, Array]:
    """alpha by EP and by 60,000 draws [K + 1, q], ten maximisers; then all conditional variances [K + 1, J, q]."""
    processes, bounds = random_problem(seed)
    rng = np.random.default_rng(seed + 1)
    each = (bounds,) * (len(processes) - 1)
    found = optima(processes, each, sobol(256, 1, rng), PathSettings(), rng)
    maximisers, points = found.x[found.found], np.vstack([gp.X for gp in processes])
    score = Entropy(processes, each, condition(processes, each, maximisers, points))
    before, after = rejected(processes, bounds, maximisers, points, X, 60_000, rng)
    noise = np.array([gp.noise for gp in processes])[:, None]
    truth = 0.5 * (np.log(before + noise) - np.log(after + noise[:, None]).mean(axis=1))
    return score.at(X), np.maximum(truth, 0.0), np.array(score.conditional(X)), after


@pytest.mark.parametrize("k", range(3))
def test_information_ranks_as_rejection_sampling_does(k: int) -> None:
    """Objective and constraints of 15 random problems: all candidates together, and each problem that tells enough.

    Functions with less than 0.1 nats anywhere are left to the pooled ranks: sampling cannot order their candidates.
    """
    pairs = [compared(seed)[:2] for seed in range(PROBLEMS) if seed % 3 >= k]
    pooled = [np.concatenate([pair[i][k] for pair in pairs]) for i in (0, 1)]
    assert stats.spearmanr(*pooled)[0] >= 0.95
    single = [stats.spearmanr(mine[k], truth[k])[0] for mine, truth in pairs if truth[k].max() >= 0.1]
    assert len(single) >= 4
    assert np.median(single) >= 0.95 and min(single) >= 0.9


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_conditional_variances_are_those_of_rejection_sampling(seed: int) -> None:
    """Typically within 3 %; next to a maximiser EP may be further off."""
    _, _, mine, truth = compared(seed)
    error = np.abs(mine / truth - 1.0)
    assert np.median(error) < 0.03
    assert np.quantile(error, 0.9) < 0.25


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_without_constraints_it_is_predictive_entropy_search(seed: int) -> None:
    """Conditional variances against sequential EP with explicit inverses, site by site."""
    (gp,), _ = random_problem(seed)
    rng = np.random.default_rng(seed)
    maximisers, x = optima((gp,), (), sobol(256, 1, rng), PathSettings(paths=3), rng).x, X[::4] + 0.007
    score = Entropy((gp,), (), condition((gp,), (), maximisers, gp.X))
    assert score.given.failed == 0
    mine = score.conditional(x)[0]
    for j, star in enumerate(maximisers):
        assert mine[j] == pytest.approx(sequential(gp, star, gp.X, x), rel=2e-3)


@pytest.mark.parametrize("seed", [0, 3, 6, 9, 12])
def test_predictive_entropy_search_in_nats(seed: int) -> None:
    """alpha itself against rejection sampling; EP is least exact next to the maximisers."""
    mine, truth, *_ = compared(seed)
    assert mine.shape == (1, len(X))
    assert np.abs(mine - truth).max() < 0.2 and np.abs(mine - truth).mean() < 0.04


def entropy(seed: int, K: int, bounds: Bounds = AT_MOST_ZERO, n: int = 7) -> Entropy:
    processes = problem(seed, 2, K, n=n)
    rng = np.random.default_rng(seed)
    each = (bounds,) * K
    found = optima(processes, each, sobol(512, 2, rng), PathSettings(paths=6), rng)
    points = np.vstack([gp.X for gp in processes])
    return Entropy(processes, each, condition(processes, each, found.x[found.found], points))


@pytest.mark.parametrize("K, bounds", [(0, AT_MOST_ZERO), (1, AT_MOST_ZERO), (3, AT_MOST_ZERO), (2, Bounds(-2.0, 0.8))])
def test_gradient_for_mixed_sets(K: int, bounds: Bounds) -> None:
    score = entropy(3, K, bounds)
    rng = np.random.default_rng(4)
    x = rng.random((8, 2))
    member = (rng.random((K + 1, 8)) < 0.5).astype(float)
    member[0] = np.maximum(member[0], member[1:].sum(axis=0) == 0.0)
    value, gradient = score.value_with_gradient(x, member)
    parts = score.at(x)
    assert value == pytest.approx((member * parts).sum(axis=0), rel=1e-9)
    expected = slope(lambda u: score.value_with_gradient(u, member)[0], x)
    assert gradient == pytest.approx(expected, rel=1e-4, abs=1e-6 * np.abs(expected).max() + 1e-9)


def test_known_points_tell_nothing() -> None:
    score = entropy(5, 2)
    for k, gp in enumerate(score.processes):
        assert score.at(gp.X)[k] == pytest.approx(0.0, abs=1e-2)


def test_negative_values_are_clamped_and_counted() -> None:
    """The factor h may widen a constraint where it says little."""
    score = entropy(3, 3)
    parts = score.at(np.random.default_rng(6).random((200, 2)))
    assert (parts >= 0.0).all()
    assert score.looked == 800 and score.clamped == (parts == 0.0).sum() > 0


def test_a_constraint_that_always_holds_changes_nothing() -> None:
    processes = problem(8, 2, 1)
    rng = np.random.default_rng(9)
    maximisers, x = rng.random((4, 2)), rng.random((6, 2))
    alone = Entropy(processes[:1], (), condition(processes[:1], (), maximisers, processes[0].X))
    sure = (Bounds(-np.inf, 1e6),)
    both = Entropy(processes, sure, condition(processes, sure, maximisers, processes[0].X))
    assert both.at(x)[0] == pytest.approx(alone.at(x)[0], rel=1e-6, abs=1e-9)
    assert both.at(x)[1] == pytest.approx(0.0, abs=1e-9)
