"""From successes and failures to models: calibrated over random regions, shared where there is one cause, and cheap."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from processes import dataset
from regions import GRID, SETTINGS, failing, model, split

import taut
from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.data.dataset import Dataset
from taut.data.rows import Observation
from taut.surrogate import success_fit
from taut.surrogate.settings import SuccessSettings
from taut.surrogate.success import Nearest
from taut.surrogate.success_fit import SuccessHyper, alike, fit_successes, hyperparameters, selected


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

    monkeypatch.setattr(success_fit, "hyperparameters", counted)
    cache: dict[str, object] = {}
    for n in range(16, 25):
        warm, cold = (fit_successes(known(X[:n], failed), SETTINGS, each) for each in (cache, {}))
        assert warm is not None and cold is not None and np.array_equal(warm.log(GRID), cold.log(GRID))
        again = fit_successes(known(X[:n], failed), SETTINGS, cache)
        assert again is not None and again.models[0] is warm.models[0]
    assert searches[0] - 9 <= 3  # nine without a cache; with it only when a quarter has come in


def test_a_search_is_short_whatever_the_number_of_points(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, propagate = [], success_fit.propagate

    def counted(labels: success_fit.Labels, *given: object) -> object:
        sizes.append(len(labels.t))
        return propagate(labels, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(success_fit, "propagate", counted)
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
    step = Nearest(failed, np.ones(2)).step(X)
    distance = np.vecdot(step, step)
    closest = X[np.argsort(distance)[:20]]
    assert all((some == each).all(axis=1).any() for each in closest)
    assert some[:, 0].max() > 0.95 and some[:, 1].max() > 0.95
    assert [len(part) for part in selected(failed, X, 100)] == [len(failed), 100 - len(failed)]
    few = selected(X[:10], failed[:5], 100)
    assert np.array_equal(few[0], X[:10]) and np.array_equal(few[1], failed[:5])


def test_what_is_kept_changes_nothing_even_if_failures_are_repeated() -> None:
    """A failure at a known place adds no point, and yet more of the points count as settled."""
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    rng, told, cache, few = np.random.default_rng(0), [], {}, SuccessSettings(every_until=4)
    places = [float(u) for u in rng.random(16)]
    for i in range(30):
        u = places[i] if i < 16 else places[int(rng.integers(16))]
        told.append(Observation("f", {"x": u}, None if u > 0.5 else u))
        data = Dataset.from_rows(problem, [], told)
        kept, fresh = (fit_successes(data, few, each) for each in (cache, {}))
        if kept is None or fresh is None:
            assert kept is fresh
            continue
        one, two = (each.models[0].latent.hyper for each in (kept, fresh))
        assert (one.a, one.m, one.l.tolist()) == (two.a, two.m, two.l.tolist()), i
