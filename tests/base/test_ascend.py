"""Batched ascent: known maxima inside, on faces and in corners, many rows, bad scores, tiny scales; the metric."""

import numpy as np
import pytest
from scipy.optimize import minimize

from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, ascend, curvature

LONG = AscentOptions(calls=200, tolerance=1e-14)


class Quadratic:
    """-(x - c)' Q (x - c)/2, one centre per row; counts calls."""

    def __init__(self, centres: Array, Q: Array) -> None:
        self.centres, self.Q, self.calls = centres, Q, 0

    def __call__(self, x: Array, rows: Ints) -> tuple[Array, Array]:
        self.calls += 1
        step = x - self.centres[rows]
        pull = step @ self.Q
        return -0.5 * np.einsum("qi,qi->q", step, pull), -pull


def starts(q: int, d: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).random((q, d))


def test_maximum_inside() -> None:
    Q = np.array([[3.0, 1.0], [1.0, 2.0]])
    found = ascend(Quadratic(np.full((5, 2), 0.4), Q), starts(5, 2), LONG)
    assert found.x == pytest.approx(np.full((5, 2), 0.4), abs=1e-6)
    assert found.value == pytest.approx(np.zeros(5), abs=1e-12)
    assert found.failed == 0


@pytest.mark.parametrize("centre", [(1.4, 0.5, 0.3), (-0.3, 1.2, 0.5), (2.0, -1.0, 1.5)])
def test_active_bounds(centre: tuple[float, ...]) -> None:
    """A correlated quadratic whose free maximum lies outside: compare with SciPy's bounded minimiser."""
    Q = np.array([[2.0, 0.8, 0.3], [0.8, 1.5, -0.5], [0.3, -0.5, 1.0]])
    score = Quadratic(np.tile(centre, (6, 1)), Q)
    exact = minimize(lambda x: -score(x[None, :], np.array([0]))[0][0], np.full(3, 0.5), bounds=[(0, 1)] * 3, tol=1e-14)
    found = ascend(score, starts(6, 3), LONG)
    assert found.x == pytest.approx(np.tile(exact.x, (6, 1)), abs=1e-4)
    assert found.value == pytest.approx(np.full(6, -exact.fun), abs=1e-7)
    assert (found.x >= 0.0).all() and (found.x <= 1.0).all()


def test_every_row_has_its_own_score() -> None:
    centres = starts(40, 4, seed=1)
    found = ascend(Quadratic(centres, np.diag([1.0, 10.0, 0.5, 3.0])), starts(40, 4, seed=2), LONG)
    assert found.x == pytest.approx(centres, abs=1e-5)


def test_rows_do_not_disturb_each_other() -> None:
    centres, x0, Q = starts(6, 2, seed=3), starts(6, 2, seed=4), np.diag([1.0, 30.0])
    together = ascend(Quadratic(centres, Q), x0, AscentOptions()).x
    alone = [ascend(Quadratic(centres[i : i + 1], Q), x0[i : i + 1], AscentOptions()).x[0] for i in range(6)]
    assert together == pytest.approx(np.array(alone), abs=1e-12)


def rosenbrock(x: Array, rows: Ints) -> tuple[Array, Array]:
    """A curved valley with its maximum 0 at (0.75, 0.75), after a map of the cube to [-2, 2]^2."""
    u, v = 4.0 * x[:, 0] - 2.0, 4.0 * x[:, 1] - 2.0
    value = -((1.0 - u) ** 2 + 30.0 * (v - u * u) ** 2)
    by_u = 2.0 * (1.0 - u) + 120.0 * u * (v - u * u)
    return value, 4.0 * np.column_stack([by_u, -60.0 * (v - u * u)])


def test_curved_valley() -> None:
    found = ascend(rosenbrock, starts(8, 2, seed=5), LONG)
    assert np.median(found.value) > -1e-8
    assert found.x[found.value > -1e-8] == pytest.approx(0.75, abs=1e-3)


def test_values_never_fall() -> None:
    x0 = starts(10, 2, seed=6)
    for calls in (0, 1, 3, 10):
        found = ascend(rosenbrock, x0, AscentOptions(calls=calls))
        assert (found.value >= rosenbrock(x0, np.arange(10))[0]).all()
        assert found.value == pytest.approx(rosenbrock(found.x, np.arange(10))[0], rel=1e-12)


def test_no_steps_give_back_the_starts() -> None:
    x0 = np.array([[0.2, 1.7], [-0.5, 0.5]])
    found = ascend(rosenbrock, x0, AscentOptions(calls=0))
    assert np.array_equal(found.x, [[0.2, 1.0], [0.0, 0.5]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_that_start_without_a_finite_score_stay_and_are_counted(bad: float) -> None:
    score = Quadratic(np.full((3, 2), 0.5), np.eye(2))

    def broken(x: Array, rows: Ints) -> tuple[Array, Array]:
        value, gradient = score(x, rows)
        return np.where(rows == 1, bad, value), gradient

    x0 = starts(3, 2, seed=7)
    found = ascend(broken, x0, LONG)
    assert found.failed == 1 and np.array_equal(found.x[1], x0[1])
    assert found.x[[0, 2]] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_a_step_into_a_region_without_score_is_shortened(bad: float) -> None:
    """The score is undefined beyond x = 0.6; the maximum of the rest is at the edge of that region or before it."""

    def cliff(x: Array, rows: Ints) -> tuple[Array, Array]:
        out = x[:, 0] > 0.6
        value = -((x - 0.55) ** 2).sum(axis=1)
        return np.where(out, bad, value), np.where(out[:, None], np.nan, -2.0 * (x - 0.55))

    found = ascend(cliff, np.array([[0.05, 0.9]]), AscentOptions(calls=60, tolerance=1e-14, radius=0.9))
    assert found.x[0] == pytest.approx([0.55, 0.55], abs=1e-5)


def test_a_maximum_of_tiny_scale_is_found_with_its_metric() -> None:
    """Semi-axes 1e-6 and 1e-3, rotated: hopeless from steepest ascent, easy with the inverse Hessian."""
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    metric = turn @ np.diag([1e-12, 1e-6]) @ turn.T
    centres = np.full((3, 2), 0.37)
    x0 = centres + np.array([[2e-6, 1e-6], [-5e-4, 3e-4], [0.0, 1e-7]])
    score = Quadratic(centres, np.linalg.inv(metric))
    found = ascend(score, x0, AscentOptions(calls=20, tolerance=1e-10), metric)
    assert found.value == pytest.approx(np.zeros(3), abs=1e-6)
    assert score.calls <= 8
    each = ascend(Quadratic(centres, np.linalg.inv(metric)), x0, AscentOptions(calls=20), np.tile(metric, (3, 1, 1)))
    assert each.value == pytest.approx(np.zeros(3), abs=1e-6)


def test_a_start_at_the_maximum_stays() -> None:
    score = Quadratic(np.full((1, 3), 0.5), np.eye(3))
    found = ascend(score, np.full((1, 3), 0.5), AscentOptions())
    assert np.array_equal(found.x, np.full((1, 3), 0.5)) and score.calls == 1


def test_a_flat_score_ends_at_once() -> None:
    calls = []

    def flat(x: Array, rows: Ints) -> tuple[Array, Array]:
        calls.append(len(x))
        return np.zeros(len(x)), np.zeros_like(x)

    x0 = starts(4, 2, seed=8)
    assert np.array_equal(ascend(flat, x0, LONG).x, x0) and len(calls) <= 3


def test_a_score_too_small_for_squares_is_harmless() -> None:
    """Gradients near 1e-170, whose squares underflow: no warning, no NaN."""
    score = Quadratic(np.full((2, 2), 0.5), 1e-170 * np.eye(2))
    found = ascend(score, starts(2, 2, seed=9), AscentOptions(tolerance=0.0))
    assert np.isfinite(found.x).all() and found.failed == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_far_below_the_best_one_are_given_up(bad: float) -> None:
    """Also where the score of some start is no number: it is not the best one."""
    heights = np.array([0.0, -1.0, -9.0, bad])

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        value, gradient = Quadratic(np.full((4, 2), 0.7), np.eye(2))(x, rows)
        return value + heights[rows], gradient

    found = ascend(score, np.full((4, 2), 0.2), AscentOptions(calls=60, tolerance=1e-12, behind=5.0))
    assert found.x[:2] == pytest.approx(np.full((2, 2), 0.7), abs=1e-6)
    assert np.array_equal(found.x[2:], np.full((2, 2), 0.2)) and found.failed == 1


def test_rows_next_to_a_better_one_are_given_up() -> None:
    """Six rows in two basins: one of each goes on to its end, the others stop on the way."""
    centres = np.array([[0.2, 0.2], [0.8, 0.7]])[[0, 0, 0, 1, 1, 1]]
    x0 = centres + 0.03 * np.random.default_rng(1).normal(size=(6, 2))
    score = Quadratic(centres, np.diag([1.0, 4.0]))
    found = ascend(score, x0, AscentOptions(calls=60, tolerance=1e-14, apart=0.1))
    best = [int(np.argmax(found.value[:3])), 3 + int(np.argmax(found.value[3:]))]
    assert found.x[best] == pytest.approx(centres[best], abs=1e-6)
    assert np.count_nonzero(np.abs(found.value) < 1e-12) == 2
    assert (found.value >= score(x0, np.arange(6))[0]).all()


def test_rows_of_different_kinds_do_not_meet() -> None:
    centres = np.full((4, 2), 0.4)
    x0 = centres + 0.02 * np.random.default_rng(2).normal(size=(4, 2))
    options = AscentOptions(calls=60, tolerance=1e-14, apart=0.2)
    found = ascend(Quadratic(centres, np.eye(2)), x0, options, kinds=np.array([0, 1, 2, 3]))
    assert found.x == pytest.approx(centres, abs=1e-6)


def test_an_ascent_hands_on_the_curvature_it_has_learnt() -> None:
    Q = np.array([[30.0, 4.0], [4.0, 2.0]])
    found = ascend(Quadratic(np.full((3, 2), 0.5), Q), starts(3, 2, seed=10), LONG)
    assert found.metric == pytest.approx(np.tile(np.linalg.inv(Q), (3, 1, 1)), abs=0.05)


def test_a_smooth_score_is_not_climbed_for_less_than_the_tolerance() -> None:
    """Rows whose tangent promises less than the tolerance end without another call; others go on."""
    centres, Q = np.full((2, 2), 0.5), np.diag([1.0, 4.0])
    x0 = np.array([[0.5, 0.5 + 1e-7], [0.2, 0.3]])
    metric = np.linalg.inv(Q) * np.array([1.0, 0.7])  # not exact, so that more than one step is needed
    for smooth, most in ((True, 5), (False, 20)):
        score = Quadratic(centres, Q)
        found = ascend(score, x0, AscentOptions(calls=20, tolerance=1e-9, smooth=smooth), metric)
        assert found.value == pytest.approx(np.zeros(2), abs=1e-8) and score.calls <= most


def test_metric_is_the_inverse_hessian_at_a_maximum() -> None:
    Q, x = np.array([[40.0, 10.0], [10.0, 9.0]]), np.array([[0.3, 0.6]])
    assert curvature(Quadratic(x, Q), x)[0] == pytest.approx(np.linalg.inv(Q), rel=1e-6)


@pytest.mark.parametrize("x", [(0.5, 0.5), (0.0, 1.0)])
@pytest.mark.parametrize("Q", [np.diag([50.0, -50.0]), np.zeros((2, 2))])
def test_metric_is_positive_and_bounded_even_at_a_saddle_or_a_bound(x: tuple[float, float], Q: Array) -> None:
    values = np.linalg.eigvalsh(curvature(Quadratic(np.full((1, 2), 0.5), Q), np.array([x]))[0])
    assert (values >= 1e-14 * 0.99).all() and (values <= 0.25 * 1.01).all()
