"""Inner sets and candidates: against the posteriors they are made of, and parts against the whole."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, surrogate

from taut.acquisition.feasibility import log_probability
from taut.acquisition.lookahead import CandidatePosterior, InnerSet
from taut.surrogate.gp import GP
from taut.surrogate.model import with_pending

K = 2
A, X = np.random.default_rng(1).random((20, 2)), np.random.default_rng(2).random((6, 2))


def processes() -> tuple[GP, ...]:
    """With four fantasies of pending outcomes."""
    pending = (np.array([[0.3, 0.8]]), np.empty((0, 2)), np.array([[0.5, 0.1]]))
    return with_pending(surrogate(*problem(3, 2, K)), pending, 4, 1)


def inner() -> InnerSet:
    return InnerSet.of(processes(), (AT_MOST_ZERO,) * K, -8.0, A)


def test_the_baseline_is_the_best_inner_point_of_every_fantasy() -> None:
    each = inner()
    f, *c = (gp.posterior(A) for gp in each.processes)
    G = f.mean + 8.0
    for here in c:
        G = G * np.exp(log_probability(AT_MOST_ZERO, here.mean, np.sqrt(here.var)))
    assert each.fantasies == 4 and np.array_equal(each.base, G.argmax(axis=1))


def test_extended_and_reduced_sets_are_those_made_at_once() -> None:
    more = inner().extended(X)
    assert np.array_equal(more.points, np.vstack([A, X]))
    less = more.reduced(np.arange(20, 26))
    for gp, found in zip(more.processes, less.posteriors, strict=True):
        expected = gp.posterior(X)
        assert found.mean == pytest.approx(expected.mean, rel=1e-12)
        assert found.var == pytest.approx(expected.var, rel=1e-9)


@pytest.mark.parametrize("gradients", [True, False])
def test_sigma_tilde_is_the_covariance_per_deviation_of_the_outcome(gradients: bool) -> None:
    at = CandidatePosterior(inner(), X, gradients)
    for k, gp in enumerate(at.inner.processes):
        own = gp.posterior(X)
        root = np.sqrt(own.var + gp.noise)
        s = at.sigma_tilde(k).s
        assert s[:, :-1] == pytest.approx(gp.covariance(own, gp.posterior(A)) / root[:, None], rel=1e-9, abs=1e-12)
        assert s[:, -1] == pytest.approx(own.var / root, rel=1e-9)


def test_some_of_the_candidates_have_what_all_have() -> None:
    whole, rows = CandidatePosterior(inner(), X), np.array([4, 1])
    fresh = CandidatePosterior(inner(), X[rows])
    for part in (whole.part(rows), whole.part(rows, {0: fresh.sigma_tilde(0)})):
        assert part.excess(2) == pytest.approx(fresh.excess(2), rel=1e-9)
        assert part.total_log_pf == pytest.approx(fresh.total_log_pf, rel=1e-6)
        for k in range(K + 1):
            assert part.sigma_tilde(k).s == pytest.approx(fresh.sigma_tilde(k).s, rel=1e-9)
            for mine, expected in zip(part.moments(k, 1), fresh.moments(k, 1), strict=True):
                assert mine == pytest.approx(expected, rel=1e-9)


def test_updates_of_a_part_are_taken_from_the_whole_unless_their_scores_are_the_candidates_own() -> None:
    z, residual, rows = np.array([[-1.0, 0.5]]), np.array([0.1, 0.2]), np.array([2, 5])
    whole = CandidatePosterior(inner(), X)
    expected = whole.updated(1, 0, "alone", z, residual)
    found = whole.part(rows).updated(1, 0, "alone", 99.0 * z, residual)
    assert np.array_equal(found.columns, expected.columns) and np.array_equal(found.p, expected.p[rows])
    whole.updated(1, 0, "all_feasible", z, residual)
    own = whole.part(rows).updated(1, 0, "all_feasible", 2.0 * z, residual)
    again = CandidatePosterior(inner(), X[rows]).updated(1, 0, "all_feasible", 2.0 * z, residual)
    assert own.p == pytest.approx(again.p, rel=1e-9, abs=1e-14)


def test_constraints_that_always_hold_are_left_out() -> None:
    at, first = CandidatePosterior(inner(), X), inner()
    only = InnerSet(first.processes, first.bounds, first.M, A, first.posteriors, frozenset({2}))
    assert only.uncertain == [1]
    assert only.total_log_pf == pytest.approx(first.log_pf[0])
    less = at.without([2], only)
    assert less.total_log_pf == pytest.approx(at.log_pf[1])
    assert less.sigma_tilde(1).s == pytest.approx(at.sigma_tilde(1).s)
