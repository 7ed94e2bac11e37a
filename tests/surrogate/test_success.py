"""Where a function can be computed: against quadrature, over random regions, and what it must never do."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from processes import dataset, slope
from reference.slow_success import by_quadrature
from scipy.special import ndtr

from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.data.dataset import Dataset
from taut.surrogate import success
from taut.surrogate.settings import SuccessSettings
from taut.surrogate.success import (
    SuccessHyper,
    SuccessModel,
    Successes,
    alike,
    fit_successes,
    hyperparameters,
    nearest,
    selected,
    success_model,
)

SETTINGS = SuccessSettings()
GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 15)] * 2), axis=-1).reshape(-1, 2)


def model(X: Array, failed: Array) -> SuccessModel:
    return success_model(X, failed, hyperparameters(X, failed, SETTINGS), SETTINGS)


def split(points: Array, fails: Callable[[Array], Array]) -> tuple[Array, Array]:
    bad = fails(points)
    return points[~bad], points[bad]


def known(X: Array, failed: Array) -> Dataset:
    """An objective that failed at some points, and a constraint that never did."""
    data = dataset([X, X], [X[:, 0], X[:, 1]])
    return replace(data, failed=(failed, failed[:0]))


def test_a_function_that_never_failed_has_no_model() -> None:
    points = sobol(8, 2, np.random.default_rng(0))
    assert fit_successes(known(points, points[:0]), SETTINGS, {}) is None
    found = fit_successes(known(points[:6], points[6:]), SETTINGS, {})
    assert found is not None and found.of_function == (0, -1) and len(found.models) == 1
    assert found.of((0, 1)) == [0] and found.of((1,)) == []
    assert np.array_equal(found.log(GRID), found.models[0].log(GRID))
    rows = np.arange(3)
    assert found.member([((1,), rows), ((0, 1), rows + 3)], 6).tolist() == [[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]


def failing(*failed: list[int]) -> Dataset:
    """Functions at ten points, which failed at those of the given positions."""
    points = sobol(10, 2, np.random.default_rng(3))
    X = [np.delete(points, rows, axis=0) for rows in failed]
    data = dataset(X, [x[:, 0] for x in X])
    return replace(data, failed=tuple(points[rows] for rows in failed))


def test_functions_that_fail_together_have_one_model_and_count_once() -> None:
    together = failing([1, 4], [1, 4], [1, 4, 7], [])
    assert alike(together) == [[0, 1], [2]]  # at the eighth point the third failed and the others did not
    found = fit_successes(together, SETTINGS, {})
    alone = fit_successes(failing([1, 4]), SETTINGS, {})
    assert found is not None and alone is not None and found.of_function == (0, 0, 1, -1)
    assert np.array_equal(found.models[0].log(GRID), alone.models[0].log(GRID))
    assert found.of((0, 1)) == [0] and found.of((1, 2, 3)) == [0, 1]


def test_functions_that_never_failed_at_a_common_place_have_models_of_their_own() -> None:
    apart = failing([1], [4])
    one, two = (np.delete(apart.X[k], [0, 1, 2, 3], axis=0) for k in (0, 1))
    assert alike(apart) == [[0], [1]]  # each succeeded where the other failed
    assert alike(replace(apart, X=(one[:0], two[:0]))) == [[0], [1]]


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


def region(rng: np.random.Generator, d: int) -> Callable[[Array], Array]:
    """A half-space or a ball: between a twentieth and a half of the cube."""
    share, ball = rng.uniform(0.05, 0.5), rng.random() < 0.5
    w, centre = rng.normal(size=d), rng.random(d)

    def height(x: Array) -> Array:
        return -np.linalg.norm(x - centre, axis=1) if ball else x @ w

    limit = np.quantile(height(rng.random((500, d))), 1.0 - share)
    return lambda x: height(x) > limit


def test_probabilities_are_calibrated_over_random_regions() -> None:
    """Of 80 regions, 8 to 40 points each: the share of successes is the mean probability within 0.07, bin by bin."""
    q, ok = [], []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        d, n = int(rng.integers(1, 4)), int(rng.integers(8, 41))
        fails = region(rng, d)
        X, failed = split(rng.random((n, d)), fails)
        if len(failed):
            x = rng.random((100, d))
            q.append(model(X, failed).probability(x))
            ok.append(~fails(x))
    found, true = np.concatenate(q), np.concatenate(ok)
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.75), (0.75, 0.9), (0.9, 0.97), (0.97, 1.01)):
        some = (found >= low) & (found < high)
        assert some.sum() > 200
        assert abs(true[some].mean() - found[some].mean()) < 0.07, (low, high)


def test_failures_by_chance_are_expected_as_often_as_they_happen() -> None:
    """Of 30 shares between a twentieth and a half, 20 to 40 points each: within 0.05 in the mean."""
    gap = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        share = rng.uniform(0.05, 0.5)
        X, failed = split(rng.random((int(rng.integers(20, 41)), 2)), lambda x: rng.random(len(x)) < share)  # noqa: B023
        if len(failed):
            gap.append(float(model(X, failed).probability(GRID).mean()) - (1.0 - share))
    assert abs(np.mean(gap)) < 0.05 and np.std(gap) < 0.15


def test_the_cache_changes_nothing_and_saves_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    points = sobol(40, 2, np.random.default_rng(4))
    X, failed = split(points, lambda x: x[:, 1] < 0.3)
    searches, found = [0], hyperparameters

    def counted(*given: object) -> SuccessHyper:
        searches[0] += 1
        return found(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(success, "hyperparameters", counted)
    cache: dict[str, object] = {}
    for n in range(16, 25):
        warm, cold = (fit_successes(known(X[:n], failed), SETTINGS, each) for each in (cache, {}))
        assert warm is not None and cold is not None and np.array_equal(warm.log(GRID), cold.log(GRID))
        again = fit_successes(known(X[:n], failed), SETTINGS, cache)
        assert again is not None and again.models[0] is warm.models[0]
    assert searches[0] - 9 <= 3  # nine without a cache; with it only when a quarter has come in


def test_a_search_is_short_whatever_the_number_of_points(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, propagate = [], success.propagate

    def counted(labels: success.Labels, *given: object) -> object:
        sizes.append(len(labels.t))
        return propagate(labels, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(success, "propagate", counted)
    points = np.random.default_rng(5).random((1000, 3))
    X, failed = split(points, lambda x: x.sum(axis=1) > 2.0)
    model(X, failed)
    assert max(sizes) == SETTINGS.most and len(sizes) <= SETTINGS.evaluations + 2


def test_repeats_are_one_and_their_order_does_not_matter() -> None:
    points = sobol(16, 2, np.random.default_rng(6))
    X, failed = split(points, lambda x: x[:, 0] > 0.7)
    one, two = model(X, failed), model(np.vstack([X[::-1], X[:3]]), np.vstack([failed, failed]))
    assert two.score(GRID) == pytest.approx(one.score(GRID), abs=1e-3)


def test_of_very_many_points_those_are_kept_that_say_where_a_region_ends() -> None:
    points = np.random.default_rng(7).random((500, 2))
    X, failed = split(points, lambda x: np.hypot(*(x - 0.2).T) < 0.12)
    some, all_failed = selected(X, failed, 100)
    assert {*map(tuple, all_failed)} == {*map(tuple, failed)} and len(some) == 100 - len(failed)
    distance = nearest(X, failed)[1]
    closest = X[np.argsort(distance)[:20]]
    assert all((some == each).all(axis=1).any() for each in closest)
    assert some[:, 0].max() > 0.95 and some[:, 1].max() > 0.95
    assert [len(part) for part in selected(failed, X, 100)] == [len(failed), 100 - len(failed)]
    few = selected(X[:10], failed[:5], 100)
    assert np.array_equal(few[0], X[:10]) and np.array_equal(few[1], failed[:5])


def test_nearest_is_that_of_all_differences() -> None:
    rng = np.random.default_rng(8)
    x, to = rng.random((7, 3)), rng.random((5, 3))
    squares = np.square(x[:, None, :] - to).sum(axis=2)
    which, distance = nearest(x, to)
    assert np.array_equal(which, squares.argmin(axis=1)) and distance == pytest.approx(squares.min(axis=1))
