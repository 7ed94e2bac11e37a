"""Gradients of the Knowledge Gradient against differences, for all sets, fantasies and groups of rows."""

from itertools import combinations

import numpy as np
import pytest
from processes import AT_MOST_ZERO, draw, problem, slope, surrogate
from regions import half

from taut.acquisition.feasibility import Bounds
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.knowledge_gradient import values_with_gradient
from taut.acquisition.lookahead import InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.surrogate.gp import GP
from taut.surrogate.model import with_pending
from taut.surrogate.success import Successes

TWO_SIDED = Bounds(-1.5, 0.4)


def points(seed: int, d: int, count: int = 14) -> np.ndarray:
    return np.random.default_rng(900 + seed).random((count, d))


def look(processes: tuple[GP, ...], bounds: Bounds, vectors: int = 8, A: np.ndarray | None = None) -> LookAhead:
    d, K, M = processes[0].X.shape[1], len(processes) - 1, float(processes[0].y.min()) - 1.0
    inner = InnerSet.of(processes, (bounds,) * K, M, points(0, d) if A is None else A)
    return LookAhead(inner, ScenarioOptions(vectors=vectors), 3)


def with_gradient(ahead: LookAhead, S: tuple[int, ...], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return values_with_gradient(ahead, [(S, np.arange(len(x)))], ahead.candidates(x))


def sets(K: int) -> list[tuple[int, ...]]:
    return [S for size in range(1, K + 2) for S in combinations(range(K + 1), size)]


@pytest.mark.parametrize(
    "seed, d, K, bounds, nu, vectors",
    [
        (12, 1, 1, AT_MOST_ZERO, np.inf, 8),
        (13, 2, 2, AT_MOST_ZERO, 4.0, 8),
        (13, 2, 2, AT_MOST_ZERO, 4.0, 32),  # pairs by their cells
        (14, 3, 1, TWO_SIDED, 9.0, 8),
    ],
)
def test_gradient(seed: int, d: int, K: int, bounds: Bounds, nu: float, vectors: int) -> None:
    ahead = look(problem(seed, d, K, nu=nu), bounds, vectors)
    x = 0.02 + 0.96 * points(seed, d, 12)
    for S in sets(K):
        value, gradient = with_gradient(ahead, S, x)
        assert value == pytest.approx(ahead.value(S, ahead.candidates(x)), rel=1e-12)
        expected = slope(lambda u, S=S: ahead.value(S, ahead.candidates(u)), x, h=1e-6)
        size = np.abs(expected).max()
        assert size > 1e-3
        assert gradient == pytest.approx(expected, rel=1e-4, abs=1e-5 * size), S


@pytest.mark.parametrize("S", [(0,), (1,), (0, 1), (0, 1, 2)])
def test_pending_outcomes_are_averaged_fantasy_by_fantasy(S: tuple[int, ...]) -> None:
    processes = problem(9, 2, 2, nu=6.0)
    rng = np.random.default_rng(10)
    pending = (rng.random((2, 2)), rng.random((1, 2)), np.empty((0, 2)))
    fantasies = with_pending(surrogate(*processes), pending, 8, 1)
    M, x, A = -6.0, rng.random((4, 2)), points(11, 2)
    together, *each = (
        LookAhead(InnerSet.of(some, (AT_MOST_ZERO,) * 2, M, A), ScenarioOptions(), 3)
        for some in (fantasies, *(tuple(draw(gp, j) for gp in fantasies) for j in range(8)))
    )
    assert together.inner.fantasies == 8
    expected = np.mean([one.value(S, one.candidates(x)) for one in each], axis=0)
    gradients = np.mean([with_gradient(one, S, x)[1] for one in each], axis=0)
    value, gradient = with_gradient(together, S, x)
    assert together.value(S, together.candidates(x)) == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert value == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert gradient == pytest.approx(gradients, rel=1e-6, abs=1e-8)


def test_rows_with_sets_of_their_own_do_not_disturb_each_other() -> None:
    """Groups share the posteriors at their candidates and what is pulled back, and nothing else."""
    ahead, x = look(problem(13, 2, 2, nu=4.0), AT_MOST_ZERO), points(5, 2, 9)
    groups = [((0, 1), np.array([0, 4, 8])), ((2,), np.array([1, 2])), ((0, 1, 2), np.array([3, 5, 6, 7]))]
    value, gradient = values_with_gradient(ahead, groups, ahead.candidates(x))
    for S, rows in groups:
        alone = with_gradient(ahead, S, x[rows])
        assert value[rows] == pytest.approx(alone[0], rel=1e-9)
        assert gradient[rows] == pytest.approx(alone[1], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("rows", [([0, 1, 2], [3, 4, 5]), ([0, 2, 4], [1, 3, 5])])
def test_sets_that_share_a_function_everywhere_keep_their_own_rows(rows: tuple[list[int], list[int]]) -> None:
    """Function 0 is observed in all rows: one group's before the other's, and dealt out."""
    ahead, x = look(problem(13, 2, 2, nu=4.0), AT_MOST_ZERO), points(5, 2, 6)
    groups = [((0, 1), np.array(rows[0])), ((0, 2), np.array(rows[1]))]
    value, gradient = values_with_gradient(ahead, groups, ahead.candidates(x))
    for S, mine in groups:
        alone = with_gradient(ahead, S, x[mine])
        assert value[mine] == pytest.approx(alone[0], rel=1e-9)
        assert gradient[mine] == pytest.approx(alone[1], rel=1e-7, abs=1e-9)


def test_gradient_where_functions_have_failed() -> None:
    """Two models of three functions; one set after the other, and all of them dealt out to the rows of one call."""
    processes, rng = problem(13, 2, 2, nu=4.0), np.random.default_rng(5)
    successes = Successes((half(2), half(2, seed=1, edge=0.7)), (0, -1, 1), 2.0)
    M = float(processes[0].y.min()) - 1.0
    inner = InnerSet.of(processes, (AT_MOST_ZERO,) * 2, M, points(0, 2), successes)
    ahead, x = LookAhead(inner, ScenarioOptions(), 3), 0.02 + 0.96 * rng.random((12, 2))
    for S in sets(2):
        value, gradient = with_gradient(ahead, S, x)
        assert value == pytest.approx(ahead.value(S, ahead.candidates(x)), rel=1e-12)
        expected = slope(lambda u, S=S: ahead.value(S, ahead.candidates(u)), x, h=1e-6)
        assert gradient == pytest.approx(expected, rel=1e-4, abs=1e-5 * np.abs(expected).max()), S
    groups = [((0, 2), np.arange(0, 12, 2)), ((1,), np.arange(1, 12, 2))]
    value, gradient = values_with_gradient(ahead, groups, ahead.candidates(x))
    for S, rows in groups:
        alone = with_gradient(ahead, S, x[rows])
        assert value[rows] == pytest.approx(alone[0]) and gradient[rows] == pytest.approx(alone[1])
