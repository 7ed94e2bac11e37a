"""Relevance of constraints: sampling against the posterior, the share by hand, verdicts on a solved problem."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from processes import AT_MOST_ZERO, dataset, process, random_process
from states import chosen

from taut.acquisition.feasibility import Bounds
from taut.acquisition.utility import Utility, penalty
from taut.base.quasirandom import sobol
from taut.bench.problems import problem as bench_problem
from taut.policy.context import Context
from taut.policy.relevance import Shares, dropped_share, sample, shares
from taut.policy.search.optimum import Optimum, recommend
from taut.policy.settings import OptimumSettings
from taut.surrogate.model import fit_surrogate


def test_samples_have_the_posterior_mean_and_covariance() -> None:
    gp = random_process(1, 5, 2)
    x = np.random.default_rng(2).random((6, 2))
    draws = sample(gp, x, 40_000, np.random.default_rng(3))
    table = gp.posterior(x)
    size = table.var.max()
    assert draws.shape == (40_000, 6)
    assert draws.mean(axis=0) == pytest.approx(table.mean[0], abs=5.0 * np.sqrt(size / 40_000))
    assert np.cov(draws.T) == pytest.approx(gp.covariance(table, table), abs=0.03 * size)


def test_samples_are_student_t_where_the_variance_was_integrated_out() -> None:
    """Variance nu/(nu - 2) times that of the normal, and one scale for all points of a sample."""
    gp = random_process(1, 5, 2, nu=8.0)
    x = np.random.default_rng(2).random((4, 2))
    draws = sample(gp, x, 60_000, np.random.default_rng(3))
    table = gp.posterior(x)
    assert np.cov(draws.T) == pytest.approx(8.0 / 6.0 * gp.covariance(table, table), abs=0.05 * table.var.max())


def test_samples_at_known_and_repeated_places_are_the_same_value() -> None:
    gp = random_process(4, 5, 2, rho=1e-10)
    x = np.vstack([gp.X[:2], [[0.3, 0.3]], [[0.3, 0.3]]])
    draws = sample(gp, x, 50, np.random.default_rng(5))
    assert draws[:, :2] == pytest.approx(np.tile(gp.y[:2, 0], (50, 1)), abs=1e-3)
    assert draws[:, 2] == pytest.approx(draws[:, 3], abs=1e-5)


def utility(K: int, bounds: Bounds = AT_MOST_ZERO) -> Utility:
    gp = random_process(6, 4, 1)
    return Utility((gp,) * (K + 1), (bounds,) * K, -9.0)


def judged(belief: Utility, optimum: Optimum, known: np.ndarray) -> list[Shares]:
    """The judgement on a belief made by hand."""
    context = SimpleNamespace(
        successes=None,
        utility=belief,
        optimum=optimum,
        best_observed=lambda most: known[np.argsort(-belief.log_value(known), kind="stable")[:most]],
        settings=chosen(),
        generator=lambda stage: np.random.default_rng(0),
    )
    return shares(cast(Context, context))


def test_share_by_hand() -> None:
    """Three points, four samples, two constraints; ok = -1, violated = +1.

    1: both hold everywhere                          -> nothing rises
    2: c1 alone forbids the best point               -> c1 matters
    3: both forbid the best point                    -> dropping one of them changes nothing
    4: c1 forbids the best, c2 the second best point -> c1 matters (3), c2 matters not (the best stays forbidden,
       but the second best, 2, becomes free and beats 1): both matter
    """
    f = np.array([[3.0, 2.0, 1.0]] * 4)
    c1 = np.array([[-1, -1, -1], [1, -1, -1], [1, -1, -1], [1, -1, -1]], dtype=float)
    c2 = np.array([[-1, -1, -1], [-1, -1, -1], [1, -1, -1], [-1, 1, -1]], dtype=float)
    rising, telling = dropped_share(utility(2), [f, c1, c2])
    assert rising == pytest.approx([2.0 / 4.0, 1.0 / 4.0])
    assert telling == pytest.approx([1.0, 1.0])


def test_a_constraint_that_alone_forbids_everything_matters() -> None:
    f = np.array([[3.0, 2.0], [3.0, 2.0]])
    c1 = np.array([[1.0, 1.0], [1.0, 1.0]])
    c2 = np.array([[-1.0, -1.0], [1.0, 1.0]])  # in the second sample both forbid everything: no answer either way
    rising, telling = dropped_share(utility(2), [f, c1, c2])
    assert rising == pytest.approx([1.0, 0.0])
    assert telling == pytest.approx([0.5, 0.0])


def test_both_ends_of_an_interval_count() -> None:
    f = np.array([[3.0, 2.0, 1.0]] * 3)
    c = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [-5.0, 0.0, 0.0]])
    assert dropped_share(utility(1, Bounds(-1.0, 1.0)), [f, c])[0] == pytest.approx([2.0 / 3.0])


@pytest.mark.parametrize(
    "distance, least, most", [(0.0, 0.99, 1.0), (0.005, 0.99, 1.0), (0.02, 0.0, 0.01), (0.3, 0.0, 1e-9)]
)
def test_binds_near_the_boundary_only(distance: float, least: float, most: float) -> None:
    """A well-known straight slope: binding within 1 % of the range of the parameter."""
    X = np.linspace(0.0, 1.0, 12)[:, None]
    c = process(X, 3.0 * (X[:, 0] - 0.4), length=0.8, rho=1e-10)
    belief = Utility((random_process(7, 5, 1), c), (AT_MOST_ZERO,), -9.0)
    optimum = Optimum(np.array([0.4 - distance]), 0.0, np.array([[0.4 - distance]]), np.eye(1), True)
    (one,) = judged(belief, optimum, X)
    assert least <= one.binds <= most


def solved(seed: int) -> list[Shares]:
    """Test Function 2 after 40 space-filling points, 24 of them near the optimum, and every function known there."""
    bench = bench_problem("test_function_2")
    rng = np.random.default_rng(seed)
    best = np.array(list(bench.solution.values()))
    U = np.vstack([sobol(16, 2, rng), np.clip(best + 0.15 * (2.0 * sobol(24, 2, rng) - 1.0), 0.0, 1.0)])
    values = [bench.evaluate(dict(zip(bench.solution, row, strict=True))) for row in U]
    names = ("f", "c1", "c2", "c3")
    data = dataset([U] * 4, [np.array([each[name] for each in values]) for name in names])
    processes = fit_surrogate(data, chosen(rho=1e-8, warp=False).model, {}, {}).processes
    raw = sobol(256, 2, rng)
    M = penalty(processes[0], raw, processes[0].posterior(raw).mean[0])
    belief = Utility(processes, (AT_MOST_ZERO,) * 3, M)
    optimum = recommend(belief, belief.raw_samples(np.vstack([U, raw])), OptimumSettings(starts=12))
    assert np.abs(optimum.x - best).max() < 0.02
    return judged(belief, optimum, U)


def test_shares_on_a_solved_problem() -> None:
    """c1 and c3 are active at the optimum, c2 cuts off a third of the domain but nothing that matters."""
    c1, c2, c3 = solved(8)
    assert c1.binds > 0.9 and c3.binds > 0.9 and c2.binds < 0.1
    assert c1.matters >= 0.9 and c3.matters >= 0.9 and c2.matters <= 0.1


def test_without_constraints_there_is_nothing_to_judge() -> None:
    belief = utility(0)
    optimum = Optimum(np.array([0.5]), 0.0, np.array([[0.5]]), np.eye(1), True)
    assert judged(belief, optimum, np.empty((0, 1))) == []


def test_little_data_leave_the_verdict_open() -> None:
    gp = random_process(9, 3, 2)
    uncertain = process(np.array([[0.2, 0.2], [0.8, 0.7]]), np.array([-0.2, 0.2]))
    belief = Utility((gp, uncertain), (AT_MOST_ZERO,), float(gp.y.min()) - 1.0)
    seen = belief.raw_samples(np.vstack([gp.X, sobol(128, 2, np.random.default_rng(1))]))
    optimum = recommend(belief, seen, OptimumSettings(starts=8))
    (one,) = judged(belief, optimum, gp.X)
    assert 0.1 < one.matters < 0.9
