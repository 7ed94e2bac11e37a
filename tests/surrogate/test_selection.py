"""The values a model is built on where there are very many: what is kept, that it is stable, and that it is honest."""

from dataclasses import replace

import numpy as np
import pytest
from processes import dataset

from taut.base.arrays import Array
from taut.data.dataset import Dataset
from taut.surrogate.gp import condition
from taut.surrogate.model import fit_surrogate
from taut.surrogate.selection import Part, Places, farthest, nearness, rough_selection
from taut.surrogate.settings import ModelSettings

FEW = ModelSettings(most_values=60)
BLOCK = 3  # recent_share of them


def data(n: int, seed: int = 0, d: int = 2) -> Dataset:
    X = np.random.default_rng(seed).random((n, d))
    return dataset([X], [np.sin(5.0 * X[:, 0]) + X.sum(axis=1)])


def part(given: Dataset, settings: ModelSettings = FEW) -> Part:
    (found,) = rough_selection(given, settings, {}).parts
    assert found is not None
    return found


def slow_farthest(x: Array, count: int) -> list[int]:
    chosen = [min(range(len(x)), key=lambda i: float(np.sum((x[i] - 0.5) ** 2)))]
    while len(chosen) < count:
        chosen.append(max(range(len(x)), key=lambda i: min(float(np.sum((x[i] - x[j]) ** 2)) for j in chosen)))
    return chosen


@pytest.mark.parametrize("n", [60, 61])
def test_up_to_the_limit_everything_is_used(n: int) -> None:
    found = rough_selection(data(n), FEW, {})
    assert found.partial == (n > 60) and (found.note(data(n)) != "") == (n > 60)


def test_repeats_count_as_one_place_and_stay_together() -> None:
    few, many = data(30), data(61)
    repeated = replace(few, X=(np.repeat(few.X[0], 5, axis=0),), y=(np.repeat(few.y[0], 5),))
    assert not rough_selection(repeated, FEW, {}).partial  # 150 values at 30 places
    twice = replace(many, X=(np.vstack([many.X[0]] * 2),), y=(np.append(many.y[0], many.y[0]),))
    rows = set(part(twice).rows.tolist())
    assert all((i in rows) == (i + 61 in rows) for i in range(61)) and len(rows) < 122


@pytest.mark.parametrize("d", [1, 2, 5])
def test_each_is_the_farthest_from_those_before_it(d: int) -> None:
    x = np.random.default_rng(d).random((40, d))
    assert farthest(x, 12).tolist() == slow_farthest(x, 12)
    assert farthest(x, 5).tolist() == farthest(x, 12)[:5].tolist()
    assert sorted(farthest(x, 100)) == list(range(40))


def test_the_nearest_of_every_focus_come_first() -> None:
    rng = np.random.default_rng(3)
    x, foci = rng.random((50, 2)), rng.random((3, 2))
    order = nearness(x, foci, np.ones(3), len(x)).tolist()
    by_focus = [np.argsort(np.sum((x - focus) ** 2, axis=1)).tolist() for focus in foci]
    rank = [min(each.index(i) for each in by_focus) for i in range(50)]
    assert [rank[i] for i in order] == sorted(rank)
    heavy = nearness(x, foci, np.array([1.0, 1e-3, 1e-3]), len(x))[:10]
    assert set(heavy[:10].tolist()) == set(by_focus[0][:10])


def test_extremes_and_the_last_values_are_always_kept() -> None:
    for seed in range(5):
        given = data(200, seed)
        rows = part(given).rows
        y = given.y[0]
        assert {int(y.argmin()), int(y.argmax()), *range(200 - BLOCK, 200)} <= set(rows.tolist())
        assert len(rows) < 60


def test_some_are_next_to_another() -> None:
    """Values far from each other say nothing about noise: without companions no two are as close as any in the data."""
    given = data(400)

    def closest(settings: ModelSettings) -> Array:
        x = given.X[0][part(given, settings).rows[:-6]]
        distance = np.linalg.norm(x[:, None] - x, axis=2) + 9.0 * np.eye(len(x))
        return np.sort(distance.min(axis=1))

    alone = replace(FEW, companion_share=1e-9)
    assert np.median(closest(FEW)[:12]) < 0.5 * np.median(closest(alone)[:12])


def test_the_same_values_stay_while_a_block_comes_in() -> None:
    """Even if the new ones are far from all others; at the end of the block they join the spread ones."""
    whole = data(300)
    x = 0.25 + 0.5 * whole.X[0]
    x[240:242] = [[0.0, 0.0], [1.0, 1.0]]
    chosen = [set(part(replace(whole, X=(x[:n],), y=(whole.y[0][:n],))).rows.tolist()) for n in (240, 241, 242, 270)]
    assert chosen[0] <= chosen[1] <= chosen[2] and len(chosen[2]) == len(chosen[0]) + 2
    assert {240, 241} <= chosen[3]


def test_the_cache_changes_nothing() -> None:
    whole, cache = data(300), {}  # type: ignore[var-annotated]
    for n in (200, 201, 202, 250, 251):
        given = replace(whole, X=(whole.X[0][:n],), y=(whole.y[0][:n],))
        (warm,), (cold,) = rough_selection(given, FEW, cache).parts, rough_selection(given, FEW, {}).parts
        assert warm is not None and cold is not None and np.array_equal(warm.rows, cold.rows)
        (again,) = rough_selection(given, FEW, cache).parts
        assert again is not None and again.places is warm.places  # nothing is computed twice


def test_failures_are_no_rows() -> None:
    given = data(200)
    more = replace(given, failed=(np.random.default_rng(5).random((100, 2)),))
    assert np.array_equal(part(more).rows, part(given).rows)


def test_near_values_fill_up_to_the_limit() -> None:
    given, focus = data(500), np.array([[0.3, 0.7]])
    rough = part(given)
    full = rough.with_near(focus, np.ones(1), np.ones(2), 60)
    assert len(full.rows) == 60 and set(rough.rows.tolist()) <= set(full.rows.tolist())
    free = 60 - len(rough.rows)
    nearest = np.argsort(np.sum((given.X[0] - focus) ** 2, axis=1))
    assert set(nearest[:free].tolist()) <= set(full.rows.tolist())
    less = rough.with_near(focus, np.ones(1), np.ones(2), 50)
    assert set(less.rows.tolist()) <= set(full.rows.tolist()) and len(less.rows) == 50


@pytest.mark.parametrize("noise", [None, 0.2])
def test_a_selection_is_never_more_certain_than_everything(noise: float | None) -> None:
    """For the same hyperparameters."""
    given = dataset(list(data(150).X), list(data(150).y), noise=noise)
    (gp,) = fit_surrogate(given, ModelSettings(), {}, {}).processes
    rows = part(given).with_near(np.array([[0.4, 0.4]]), np.ones(1), np.ones(2), 60).rows
    some = condition(gp.X[rows], gp.y[rows], gp.hyper, gp.offset, gp.scale)
    x = np.random.default_rng(7).random((300, 2))
    assert (some.posterior(x).var >= gp.posterior(x).var - 1e-12 * gp.amplitude).all()
    assert np.median(some.posterior(x).var / gp.posterior(x).var) > 1.1


def test_a_model_of_a_selection_keeps_scale_and_schedule_of_everything() -> None:
    given = data(200)
    selection = rough_selection(given, FEW, {})
    found = fit_surrogate(given, FEW, {}, {}, selection)
    assert len(found.processes[0].X) == len(part(given).rows) and found.memory["f"]["n"] == 200
    assert found.processes[0].scale == pytest.approx(given.y[0].std())
    again = fit_surrogate(
        given, FEW, found.memory, {}, selection.with_near(given.X[0][:1], np.ones(1), [np.ones(2)], 60)
    )
    assert again.memory == found.memory and len(again.processes[0].X) == 60  # nothing is fitted again


def test_a_fit_is_not_reused_when_only_values_left_out_have_changed() -> None:
    given, cache = data(200), {}  # type: ignore[var-annotated]
    selection = rough_selection(given, FEW, {})
    fit_surrogate(given, FEW, {}, cache, selection)
    y = given.y[0].copy()
    left_out = np.setdiff1d(np.arange(200), part(given).rows)[:50]
    y[left_out] = y.mean()
    other = replace(given, y=(y,))
    warm, cold = (fit_surrogate(other, FEW, {}, each, selection).processes[0] for each in (cache, {}))
    assert warm.scale == cold.scale == pytest.approx(y.std()) != pytest.approx(given.y[0].std())


def test_the_note_groups_functions_and_leaves_out_what_is_too_long() -> None:
    names = [f"c{k}" for k in range(1, 8)]
    rng = np.random.default_rng(0)
    X = [rng.random((70, 2))] * 8
    given = dataset(X, [x[:, 0] for x in X])
    words = rough_selection(given, FEW, {}).note(given)
    assert words.startswith("models use") and f"of 70 values of f, {', '.join(names[:4])} and 3 more" in words


def test_places_come_in_order_of_first_appearance() -> None:
    points = np.array([[0.9, 0.1], [0.2, 0.3], [0.9, 0.1], [0.1, 0.1], [0.2, 0.3]])
    places = Places.of(points)
    assert places.x.tolist() == [[0.9, 0.1], [0.2, 0.3], [0.1, 0.1]] and places.of_row.tolist() == [0, 1, 0, 2, 1]
    assert places.flags(np.array([2, 3])).tolist() == [True, False, True]


def test_looking_for_the_first_few_finds_the_same_as_looking_at_all() -> None:
    rng = np.random.default_rng(7)
    for most in (1, 5, 40, 100):
        x, foci, weights = rng.random((60, 3)), rng.random((4, 3)), np.array([1.0, 1.0, 0.3, 0.05])
        assert nearness(x, foci, weights, most)[:most].tolist() == nearness(x, foci, weights, 60)[:most].tolist()
