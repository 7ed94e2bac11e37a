"""Look-ahead maxima: the ascents' score against its definition and differences, and what the added points are worth."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, draw, problem, process, random_process, slope
from reference.dense_gp import DenseGP
from states import believing

from taut.acquisition.feasibility import Bounds, probability
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.lookahead import InnerSet
from taut.base.quasirandom import sobol
from taut.policy.context import Context
from taut.policy.menu import Set
from taut.policy.search.lookahead_maxima import LookAheadScore, lookahead_maxima, top_scenarios
from taut.surrogate.gp import GP
from taut.surrogate.model import with_pending

TWO_SIDED = Bounds(-1.5, 0.6)
SETS = [(0,), (1,), (0, 1), (1, 2), (0, 1, 2)]


def looking(made: Context, points: np.ndarray, processes: tuple[GP, ...] | None = None) -> LookAhead:
    inner = InnerSet.of(processes or made.fantasies, made.bounds, made.utility.M, points)
    return LookAhead(inner, made.settings.scenarios, 3)


def belief(seed: int, bounds: Bounds = AT_MOST_ZERO, size: int = 40) -> tuple[LookAhead, Context]:
    """A look-ahead on a coarse inner set around the recommendation of a random problem with two constraints."""
    made = believing(problem(seed, 2, 2, nu=5.0), bounds)
    return looking(made, np.vstack([made.optimum.x, sobol(size, 2, np.random.default_rng(seed + 1))])), made


def best_candidate(ahead: LookAhead, S: Set, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).random((40, 2))
    return x[[np.argmax(ahead.value(S, ahead.candidates(x)))]]


def values(ahead: LookAhead, S: Set, x: np.ndarray) -> float:
    return float(ahead.value(S, ahead.candidates(x), refine=3)[0])


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("seed, bounds", [(1, AT_MOST_ZERO), (2, AT_MOST_ZERO), (3, TWO_SIDED)])
def test_they_never_lower_the_value(S: Set, seed: int, bounds: Bounds) -> None:
    """Up to the rounding of the recommendation itself: one of them may coincide with a slightly better x_r."""
    ahead, made = belief(seed, bounds)
    x = best_candidate(ahead, S, seed)
    extra = lookahead_maxima(ahead, [(S, x[0])], made)[0]
    assert 0 < len(extra) <= made.settings.climb.ascents and extra.min() >= 0.0 and extra.max() <= 1.0
    before, after = values(ahead, S, x), values(ahead.extended(extra, ahead.options), S, x)
    assert before > 0.0
    assert after >= before * (1.0 - 1e-3) - 1e-9 * ahead.inner.processes[0].scale


def test_they_close_the_gap_to_a_dense_inner_set() -> None:
    """Forty coarse points miss much of the value; with the look-ahead maxima nearly all of it is found."""
    S = (0, 1)
    coarse, made = belief(1)
    dense, _ = belief(1, size=4000)
    x = best_candidate(coarse, S, 5)
    full = values(dense, S, x)
    sharp = coarse.extended(lookahead_maxima(coarse, [(S, x[0])], made)[0], coarse.options)
    assert values(coarse, S, x) < 0.9 * full
    assert values(sharp, S, x) > 0.93 * full


def test_finalists_do_not_influence_each_other() -> None:
    ahead, made = belief(1)
    finalists = [((0, 1), np.array([0.3, 0.4])), ((2,), np.array([0.8, 0.1])), ((0,), np.array([0.3, 0.4]))]
    together = lookahead_maxima(ahead, finalists, made)
    for each, found in zip(finalists, together, strict=True):
        assert found == pytest.approx(lookahead_maxima(ahead, [each], made)[0], abs=1e-6)
    assert lookahead_maxima(ahead, [], made) == []


def after(gp: GP, x: np.ndarray, z: float) -> DenseGP:
    """The belief after z standard deviations of news at x [d], from scratch."""
    old, at = DenseGP.like(gp), x[None, :]
    y = old.mean(at) + np.sqrt(old.variance(at)[0] + old.noise) * z
    return old.given(at, y)


def slow_score(ahead: LookAhead, x: np.ndarray, z: np.ndarray, residual: np.ndarray, S: Set, at: np.ndarray) -> float:
    """(mu_0+ - M) prod PF_k+ at x' (at [1, d]) after the outcomes z [K + 1] of S at x [d]; part of a doubt stays."""
    inner = ahead.inner
    now = [DenseGP.like(gp) for gp in inner.processes]
    then = [after(gp, x, z[k]) if k in S else now[k] for k, gp in enumerate(inner.processes)]
    product = float(then[0].mean(at)[0, 0]) - inner.M
    for k, b in enumerate(inner.bounds, start=1):
        var = then[k].variance(at) + residual[k] * (now[k].variance(at) - then[k].variance(at))
        product *= float(probability(b, then[k].mean(at)[0], np.sqrt(var))[0])
    return product


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
def test_the_score_is_the_log_of_the_updated_value(S: Set, bounds: Bounds) -> None:
    """Against conditioning from scratch: G+ - M at x' after each row's own outcomes."""
    ahead, _ = belief(6, bounds)
    x = best_candidate(ahead, S, 6)
    rows = top_scenarios(ahead, S, ahead.candidates(x), 6)
    at = np.random.default_rng(7).random((len(rows.z), 2))
    found = LookAheadScore(ahead.inner, x, rows)(at, np.arange(len(at)))[0]
    sure = 0
    for i in range(len(at)):
        expected = slow_score(ahead, x[0], rows.z[i], rows.residual[i], S, at[i : i + 1])
        if expected > 1e-6 * ahead.inner.processes[0].scale:
            assert found[i] == pytest.approx(np.log(expected), abs=1e-6)
            sure += 1
    assert sure >= 2


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
def test_gradient_of_the_score(S: Set, bounds: Bounds) -> None:
    ahead, _ = belief(8, bounds)
    x = best_candidate(ahead, S, 8)
    rows = top_scenarios(ahead, S, ahead.candidates(x), 6)
    score, everyone = LookAheadScore(ahead.inner, x, rows), np.arange(len(rows.z))
    at = np.random.default_rng(9).random((len(everyone), 2))
    expected = slope(lambda u: score(u, everyone)[0], at, h=1e-6)
    assert score(at, everyone)[1] == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max())
    some = everyone[[-1, 0]]  # the ascent asks for the rows still under way
    assert score(at[some], some)[0] == pytest.approx(score(at, everyone)[0][some], rel=1e-12)


def test_rows_of_different_fantasies_see_their_own_means() -> None:
    made = believing(problem(10, 2, 2), AT_MOST_ZERO)
    pending = (np.array([[0.5, 0.5]]), np.array([[0.1, 0.9]]), np.empty((0, 2)))
    fantasies = with_pending(made.surrogate, pending, 4, 1)
    ahead = looking(made, np.random.default_rng(2).random((10, 2)), fantasies)
    x, S = np.array([[0.7, 0.2]]), (0, 2)
    rows = top_scenarios(ahead, S, ahead.candidates(x), 9)
    assert ahead.inner.fantasies == 4 and len(set(rows.j)) > 1
    score, everyone = LookAheadScore(ahead.inner, x, rows), np.arange(len(rows.z))
    at = np.random.default_rng(3).random((len(everyone), 2))
    expected = slope(lambda u: score(u, everyone)[0], at, h=1e-6)
    assert score(at, everyone)[1] == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max())
    for j in set(rows.j):
        mine = np.flatnonzero(rows.j == j)
        alone = looking(made, ahead.inner.points, tuple(draw(gp, int(j)) for gp in fantasies))
        one = rows.part(mine)._replace(j=np.zeros(len(mine), dtype=np.intp))
        again = LookAheadScore(alone.inner, x, one)(at[mine], np.arange(len(mine)))[0]
        assert score(at, everyone)[0][mine] == pytest.approx(again, abs=1e-9)


def test_the_most_important_scenarios_are_kept() -> None:
    ahead, _ = belief(12)
    at = ahead.candidates(best_candidate(ahead, (0, 1), 12))
    many, few = top_scenarios(ahead, (0, 1), at, 1000), top_scenarios(ahead, (0, 1), at, 5)
    assert len(many.z) > 32 and np.array_equal(few.start, many.start[:5]) and np.array_equal(few.z, many.z[:5])


@pytest.mark.parametrize("S", [(0,), (1,), (0, 1)])
def test_without_any_feasible_place_there_is_nothing_to_move_to(S: Set) -> None:
    """A constraint violated by hundreds of standard deviations: probabilities underflow, and nothing breaks."""
    X = np.random.default_rng(13).random((6, 2))
    made = believing((random_process(14, 6, 2), process(X, 1e4 + X[:, 0])), AT_MOST_ZERO)
    ahead = looking(made, np.vstack([made.optimum.x, X]))
    extra = lookahead_maxima(ahead, [(S, np.array([0.4, 0.4]))], made)[0]
    assert extra.shape[1] == 2 and np.isfinite(extra).all()
