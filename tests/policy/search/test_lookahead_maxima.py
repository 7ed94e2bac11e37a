"""Moved maxima: the ascents' score against its definition and differences, and what the added points are worth."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process, random_process, slope, surrogate
from reference.slow_kg import Outcomes, SlowKG

from taut.acquisition.feasibility import Bounds
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.lookahead import InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.acquisition.utility import Utility
from taut.base.quasirandom import sobol
from taut.policy.search.lookahead_maxima import LookAheadScore, _Rows, lookahead_maxima, top_scenarios
from taut.policy.search.optimum import Optimum, OptimumOptions, recommend
from taut.surrogate.gp import GP
from taut.surrogate.model import with_pending

TWO_SIDED = Bounds(-1.5, 0.6)
SETS = [(0,), (1,), (0, 1), (1, 2), (0, 1, 2)]


def belief(
    seed: int, bounds: Bounds = AT_MOST_ZERO, size: int = 40, processes: tuple[GP, ...] | None = None
) -> tuple[LookAhead, Optimum]:
    """A look-ahead on a coarse inner set around the recommendation of a random problem with two constraints."""
    processes = processes or problem(seed, 2, 2, nu=5.0)
    M = float(processes[0].y.min()) - 1.0
    utility = Utility(processes, (bounds,) * 2, M)
    optimum = recommend(
        utility,
        utility.raw_samples(np.vstack([processes[0].X, sobol(256, 2, np.random.default_rng(seed))])),
        OptimumOptions(12),
    )
    points = np.vstack([optimum.x, sobol(size, 2, np.random.default_rng(seed + 1))])
    return LookAhead(InnerSet.of(processes, (bounds,) * 2, M, points), ScenarioOptions(), 3), optimum


def best_candidate(ahead: LookAhead, S: tuple[int, ...], seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).random((40, 2))
    return x[[np.argmax(ahead.value(S, ahead.candidates(x)))]]


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("seed, bounds", [(1, AT_MOST_ZERO), (2, AT_MOST_ZERO), (3, TWO_SIDED)])
def test_moved_maxima_never_lower_the_value(S: tuple[int, ...], seed: int, bounds: Bounds) -> None:
    """Up to the rounding of the recommendation itself: a moved maximum may coincide with a slightly better x_r."""
    ahead, optimum = belief(seed, bounds)
    x = best_candidate(ahead, S, seed)
    extra = lookahead_maxima(ahead, [(S, x[0])], optimum)[0]
    assert 0 < len(extra) <= 32 and extra.min() >= 0.0 and extra.max() <= 1.0
    before = ahead.value(S, ahead.candidates(x), refine=3)[0]
    more = ahead.extended(extra, ahead.options)
    after = more.value(S, more.candidates(x), refine=3)[0]
    assert before > 0.0
    assert after >= before * (1.0 - 1e-3) - 1e-9 * ahead.inner.processes[0].scale


def test_moved_maxima_close_the_gap_to_a_dense_inner_set() -> None:
    """Forty coarse points miss much of the value; with the moved maxima nearly all of it is found."""
    S = (0, 1)
    coarse, optimum = belief(1)
    dense, _ = belief(1, size=4000)
    x = best_candidate(coarse, S, 5)
    full = dense.value(S, dense.candidates(x), refine=3)[0]
    sharp = coarse.extended(lookahead_maxima(coarse, [(S, x[0])], optimum)[0], coarse.options)
    found = sharp.value(S, sharp.candidates(x), refine=3)[0]
    assert coarse.value(S, coarse.candidates(x), refine=3)[0] < 0.9 * full
    assert found > 0.93 * full


def rows(S: tuple[int, ...], seed: int, draws: int = 1) -> _Rows:
    rng = np.random.default_rng(seed)
    seen = np.isin(np.arange(3), S) & np.ones((6, 1), dtype=bool)
    z = np.where(seen, rng.normal(size=(6, 3)), 0.0)
    return _Rows(
        rng.random((6, 2)), np.zeros(6, dtype=int), rng.integers(0, draws, 6), z, seen, 0.3 * rng.random((6, 3))
    )


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
def test_future_score_is_the_log_of_the_updated_value(S: tuple[int, ...], bounds: Bounds) -> None:
    """Against conditioning from scratch: G+ - M at each row's x' after its own outcomes."""
    ahead, _ = belief(6, bounds)
    x, each = np.array([[0.35, 0.6]]), rows(S, 7)
    score = LookAheadScore(ahead.inner, x, each)
    found = score(each.start, np.arange(6))[0]
    floor = 1e-9 * ahead.inner.processes[0].scale
    for i in range(6):
        slow = SlowKG(ahead.inner.processes, ahead.inner.bounds, ahead.inner.M, each.start[i : i + 1])
        members = [k for k in S if k > 0]
        outcome = Outcomes(each.z[i : i + 1, members], np.ones(1), each.residual[i : i + 1, members])
        expected = future(slow, S, x[0], outcome, each.z[i, 0])
        if expected > 1e3 * floor:
            assert found[i] == pytest.approx(np.log(expected), abs=1e-6)


def future(slow: SlowKG, S: tuple[int, ...], x: np.ndarray, z: Outcomes, t: float) -> float:
    """G+ - M at the single inner point."""
    mean, product = slow.after(S, x, z, Outcomes(np.array([[t]]), np.ones(1)))
    return float((mean[0, 0] - slow.M) * product[0, 0])


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
def test_gradient_of_the_future_score(S: tuple[int, ...], bounds: Bounds) -> None:
    ahead, _ = belief(8, bounds)
    each = rows(S, 9)
    score = LookAheadScore(ahead.inner, np.array([[0.7, 0.2]]), each)
    everyone = np.arange(6)
    expected = slope(lambda u: score(u, everyone)[0], each.start, h=1e-6)
    assert score(each.start, everyone)[1] == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max())
    some = np.array([4, 1])  # the ascent asks for the rows still under way
    assert score(each.start[some], some)[0] == pytest.approx(score(each.start, everyone)[0][some], rel=1e-12)


def test_rows_of_different_draws_see_their_own_means() -> None:
    processes = problem(10, 2, 2)
    pending = (np.array([[0.5, 0.5]]), np.array([[0.1, 0.9]]), np.empty((0, 2)))
    fantasies = with_pending(surrogate(*processes), pending, 4, 1)
    inner = InnerSet.of(fantasies, (AT_MOST_ZERO,) * 2, -9.0, np.random.default_rng(2).random((10, 2)))
    ahead = LookAhead(inner, ScenarioOptions(), 3)
    each = rows((0, 2), 11, draws=4)
    score = LookAheadScore(ahead.inner, np.array([[0.7, 0.2]]), each)
    expected = slope(lambda u: score(u, np.arange(6))[0], each.start, h=1e-6)
    assert len(set(each.j)) > 1
    assert score(each.start, np.arange(6))[1] == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max())
    alone, optimum = belief(10, processes=processes)
    assert len(lookahead_maxima(ahead, [((0, 2), np.array([0.7, 0.2]))], optimum, limit=9)[0]) == 9
    assert alone.inner.fantasies == 1 and ahead.inner.fantasies == 4


def test_the_most_important_scenarios_are_kept() -> None:
    ahead, _ = belief(12)
    at = ahead.candidates(best_candidate(ahead, (0, 1), 12))
    many, few = top_scenarios(ahead, (0, 1), at, 1000), top_scenarios(ahead, (0, 1), at, 5)
    assert len(many.z) > 32 and np.array_equal(few.start, many.start[:5]) and np.array_equal(few.z, many.z[:5])


@pytest.mark.parametrize("S", [(0,), (1,), (0, 1)])
def test_without_any_feasible_place_there_is_nothing_to_move_to(S: tuple[int, ...]) -> None:
    """A constraint violated by hundreds of standard deviations: probabilities underflow, and nothing breaks."""
    X = np.random.default_rng(13).random((6, 2))
    forbidden = process(X, 1e4 + X[:, 0])
    f = random_process(14, 6, 2)
    utility = Utility((f, forbidden), (AT_MOST_ZERO,), -9.0)
    optimum = recommend(
        utility, utility.raw_samples(np.vstack([X, sobol(64, 2, np.random.default_rng(15))])), OptimumOptions(4)
    )
    inner = InnerSet.of((f, forbidden), (AT_MOST_ZERO,), -9.0, np.vstack([optimum.x, X]))
    ahead = LookAhead(inner, ScenarioOptions(), 3)
    extra = lookahead_maxima(ahead, [(S, np.array([0.4, 0.4]))], optimum)[0]
    assert extra.shape[1] == 2 and np.isfinite(extra).all()
