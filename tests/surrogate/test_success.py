"""Where a function can be computed: the formula against quadrature and differences, and what it must never do."""

import numpy as np
import pytest
from processes import slope
from reference.slow_success import by_quadrature
from regions import GRID, SETTINGS, model, split
from scipy.special import ndtr

from taut.base.quasirandom import sobol
from taut.surrogate.success import Nearest, Successes
from taut.surrogate.success_fit import SuccessHyper, success_model


@pytest.mark.parametrize("n, m", [(1, 1), (2, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("a", [1.0, 16.0])
def test_probabilities_are_those_of_quadrature(n: int, m: int, a: float) -> None:
    """Of EP: in the middle of the scale it is a few thousandths off."""
    rng = np.random.default_rng(10 * n + m)
    X, failed, l = rng.random((n, 2)), rng.random((m, 2)), np.array([0.5, 0.8])
    found = success_model(X, failed, SuccessHyper(l, a, 0.9), SETTINGS)
    labels = np.append(np.ones(n), -np.ones(m))
    _, expected = by_quadrature(np.vstack([X, failed]), labels, l, a, 0.9, GRID, 100 if n + m < 3 else 40)
    assert ndtr(found.score(GRID)) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_gradients_are_those_of_differences(d: int) -> None:
    rng = np.random.default_rng(d)
    points = rng.random((20, d))
    X, failed = split(points, lambda x: x[:, 0] > 0.6)
    one = model(X, failed)
    x = np.vstack([rng.random((20, d)), failed[:2] + 6e-4, X[:2], X[:2] + 5e-4])
    ones, none = np.ones(len(x)), np.zeros(len(x))
    pairs = [
        (one.score, one.score_with_gradient(x)),
        (one.log, one.log_with_gradient(x, ones)),
        (one.log_after, one.log_with_gradient(x, none, ones)),
    ]
    for value, (here, gradient) in pairs:
        assert here == pytest.approx(value(x), abs=1e-9)
        assert gradient == pytest.approx(slope(value, x, h=1e-7), rel=1e-3, abs=1e-4)
    both, (weight, after) = Successes((one, one), (0, -1, 1)), rng.random((2, 2, len(x)))
    here, gradient = both.log_with_gradient(x, weight, after)
    assert here == pytest.approx((weight * both.logs(x) + after * both.logs_after(x)).sum(axis=0), abs=1e-9)
    parts = [one.log_with_gradient(x, weight[k], after[k])[1] for k in (0, 1)]
    assert gradient == pytest.approx(sum(parts))
    assert both.log_with_gradient(x)[0] == pytest.approx(both.log(x), abs=1e-9)


def test_a_function_that_always_failed_is_doubtful_near_its_failures_and_less_so_far_away() -> None:
    failed = np.array([[0.1, 0.1], [0.2, 0.1], [0.1, 0.3]])
    one = model(failed[:0], failed)
    q = one.probability(np.array([[0.15, 0.15], [0.5, 0.5], [1.0, 1.0]]))
    assert (np.diff(q) > 0.03).all() and q[0] < 0.1 and 0.2 < q[2] < 0.9


def test_failures_by_chance_forbid_no_neighbourhood() -> None:
    """One in ten anywhere: away from the failed places themselves all of the cube is about as good."""
    rng = np.random.default_rng(1)
    points = sobol(128, 2, rng)
    X, failed = split(points, lambda x: rng.random(len(x)) < 0.1)
    one = model(X, failed)
    q = one.probability(GRID)
    assert np.quantile(q, 0.05) > 0.7 and 0.8 < q.mean() < 0.97
    assert one.probability(failed).max() < 1e-6 and one.probability(failed + 0.01).min() > 0.5


def test_a_failure_among_many_successes_is_forgiven_by_more_of_them() -> None:
    failed, rng = np.array([[0.5, 0.5]]), np.random.default_rng(2)
    x = np.array([[0.55, 0.5]])
    q = [float(model(sobol(n, 2, rng), failed).probability(x)[0]) for n in (8, 64)]
    around = np.vstack([sobol(64, 2, rng), failed + 0.05 * np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, -1.0]])])
    q.append(float(model(around, failed).probability(x)[0]))
    assert q[0] < q[1] < q[2] and q[2] > 0.85


def test_next_to_a_success_nothing_is_left_of_the_doubt_about_a_region() -> None:
    X, failed = split(sobol(32, 2, np.random.default_rng(9)), lambda x: x[:, 0] > 0.6)
    one = model(X, failed)
    edge = X[np.argsort(-X[:, 0])[:4]]
    there, beside, away = (1.0 - one.probability(edge + step) for step in (0.0, 0.02, 0.1))
    assert there.max() < 0.05 and (there < beside).all() and beside.mean() < 0.5 * away.mean()
    assert one.log_after(edge) == pytest.approx(one.log(edge), abs=1e-9)
    past = failed[np.argsort(failed[:, 0])[:1]] + 0.02  # a failure is nearer than any success
    assert one.probability(past)[0] < float(ndtr(one.score(past))[0])
    assert one.log(past)[0] < one.log_after(past)[0]


def test_what_is_nearly_certain_counts_as_certain() -> None:
    X, failed = split(sobol(64, 2, np.random.default_rng(3)), lambda x: x[:, 0] > 0.6)
    one = model(X, failed)
    q, log_q = one.probability(GRID), one.log(GRID)
    assert np.array_equal(log_q == 0.0, q >= SETTINGS.sure) and (log_q == 0.0).any()
    rest = log_q < 0.0
    assert np.exp(log_q[rest]) == pytest.approx(q[rest] / SETTINGS.sure)


def test_the_edge_of_a_region_is_found_between_successes_and_failures() -> None:
    X, failed = split(sobol(64, 2, np.random.default_rng(3)), lambda x: x[:, 0] > 0.6)
    one = model(X, failed)
    right = (one.score(GRID) < 0.0) == (GRID[:, 0] > 0.6)
    assert right.mean() > 0.95
    assert one.probability(np.array([[0.1, 0.5], [0.95, 0.5]])) == pytest.approx([1.0, 0.0], abs=0.02)


def test_the_nearest_point_is_that_of_all_differences() -> None:
    rng = np.random.default_rng(8)
    x, to, l = rng.random((7, 3)), rng.random((5, 3)), np.array([0.3, 1.0, 2.0])
    every = (x[:, None, :] - to) / l
    which = np.square(every).sum(axis=2).argmin(axis=1)
    assert Nearest(to, l).step(x) == pytest.approx(every[np.arange(7), which], abs=1e-12)
    assert (Nearest(to[:0], l).step(x) > 1e3).all()
