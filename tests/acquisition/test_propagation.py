"""Factors and sites of expectation propagation against sampling; its safeguards."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem
from scipy import stats

from taut.acquisition.feasibility import Bounds
from taut.acquisition.propagation import Propagation, condition, exclusion_factor, scores, site
from taut.acquisition.settings import EP
from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.policy.search.path_optima import optima
from taut.policy.settings import PathSettings

BAND = Bounds(-0.7, 0.4)
COUNT = 400_000


def moments(tau: Array, nu: Array, mean: float, var: float) -> tuple[float, float]:
    """Mean and variance of N(mean, var) times a site."""
    left = 1.0 / (1.0 / var + float(tau[0]))
    return left * (mean / var + float(nu[0])), left


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, BAND])
def test_sites_have_the_moments_of_the_factors(seed: int, bounds: Bounds) -> None:
    """h on a difference and two constraints, and g on a constraint, against 400,000 draws of the cavities."""
    rng = np.random.default_rng(seed)
    mean, var = rng.normal(0.0, 0.6, 3), 0.3 + rng.random(3)
    d, *c = mean[:, None] + np.sqrt(var)[:, None] * rng.standard_normal((3, COUNT))
    inside = [(v >= bounds.lower) & (v <= bounds.upper) for v in c]
    allowed = ~(inside[0] & inside[1] & (d > 0.0))
    one = [scores(bounds, mean[k : k + 1], np.sqrt(var[k : k + 1])) for k in (1, 2)]
    alpha = np.array([-mean[0] / np.sqrt(var[0])])
    h = exclusion_factor(alpha, one[0].log_p + one[1].log_p)
    cases = [(d[allowed], 0, -h.beta, h.beta * (h.beta + alpha))]
    for k, own in enumerate(one, start=1):
        cases.append((c[k - 1][allowed], k, -h.w * own.shift, h.w * own.bend + (h.w * own.shift) ** 2))
        cases.append((c[k - 1][inside[k - 1]], k, own.shift, own.shift**2 - own.bend))
    for drawn, k, move, loss in cases:
        found = moments(*site(mean[k : k + 1], var[k : k + 1], move, loss), mean[k], var[k])
        assert found[0] == pytest.approx(drawn.mean(), abs=6.0 * drawn.std() / np.sqrt(len(drawn)))
        assert found[1] == pytest.approx(drawn.var(), rel=0.015)


def test_factors_in_the_tails() -> None:
    """Certain and impossible constraints, differences many deviations away: a variance never grows from g or d."""
    alpha = np.array([-1e6, -40.0, -3.0, 0.0, 3.0, 40.0, 1e6])
    for log_pf in (0.0, -1e-18, -1e-3, -50.0, -1e6):
        h = exclusion_factor(alpha, np.full(7, log_pf))
        loss = h.beta * (h.beta + alpha)
        assert np.isfinite(h.beta).all() and np.isfinite(h.w).all()
        assert (loss[1:] <= 1.0 + 1e-9).all() and (h.beta >= 0.0).all()
    assert exclusion_factor(np.array([-2.0]), np.zeros(1)).beta == pytest.approx(
        stats.norm.pdf(-2.0) / stats.norm.cdf(-2.0)
    )


def conditioned(seed: int, K: int, n: int = 6, d: int = 2) -> tuple[Propagation, int]:
    processes = problem(seed, d, K, n=n)
    rng = np.random.default_rng(seed)
    bounds = (AT_MOST_ZERO,) * K
    found = optima(processes, bounds, sobol(256, d, rng), PathSettings(paths=6), rng)
    points = np.vstack([gp.X for gp in processes])
    given = condition(processes, bounds, found.x[found.found], points)
    bases = [each.basis for each in given.functions]
    kept = bases[0].posterior.x[found.found.sum() :]
    return Propagation(bases, [gp.posterior(kept) for gp in processes[1:]], bounds, EP), given.failed


@pytest.mark.parametrize("seed, K", [(1, 0), (2, 1), (3, 2), (4, 3)])
def test_converged_sites_do_not_move(seed: int, K: int) -> None:
    task, failed = conditioned(seed, K)
    tau, nu, again = task.solve()
    assert failed == again == 0
    _, change = task.sweep(np.stack([tau, nu]), np.arange(len(tau)))
    assert (change < 1e-3).all()
    assert (tau[~task.live] == 0.0).all() and (nu[~task.live] == 0.0).all()


def test_many_points_are_limited_to_those_that_matter() -> None:
    processes = problem(5, 2, 1)
    rng = np.random.default_rng(0)
    given = condition(processes, (AT_MOST_ZERO,), rng.random((3, 2)), rng.random((400, 2)))
    assert 0 < given.functions[0].basis.A.shape[1] <= EP.points


def test_points_at_the_maximiser_carry_no_factor() -> None:
    processes = problem(6, 2, 1)
    maximisers = processes[0].X[:2]
    given = condition(
        processes, (AT_MOST_ZERO,), maximisers, np.vstack([maximisers, np.random.default_rng(1).random((6, 2))])
    )
    top = given.functions[0]
    same = np.abs(top.basis.posterior.x[None, 2:] - maximisers[:, None, :]).max(axis=2) < 1e-6
    assert same.any() and not top.basis.live[same].any()
    assert top.e[same] == pytest.approx(0.0) and np.isfinite(top.Gm).all()


def test_without_points_only_the_constraints_at_the_maximiser_count() -> None:
    processes = problem(7, 2, 1)
    given = condition(processes, (AT_MOST_ZERO,), np.random.default_rng(2).random((4, 2)), np.empty((0, 2)))
    assert given.failed == 0
    assert given.functions[0].Gm.shape == (4, 0, 0) and given.functions[1].Gm.shape == (4, 1, 1)
