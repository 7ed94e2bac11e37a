"""The best points that are not next to each other, against a plain greedy loop."""

import numpy as np
import pytest

from taut.base.arrays import Array, Flags
from taut.base.distinct import ApartSettings, Close, apart, best_apart, distinct, within

METRIC = np.array([[40.0, 10.0], [10.0, 9.0]])


def by_metric(step: Array) -> Flags:
    """Inside an ellipsoid."""
    return np.einsum("i...,ij,j...->...", step, METRIC, step) < 0.25


def greedy(points: Array, value: Array, count: int, close: Close) -> list[int]:
    chosen: list[int] = []
    for i in sorted(range(len(points)), key=lambda i: -value[i]):
        if len(chosen) < count and not any(close(points[i] - points[j]) for j in chosen):
            chosen.append(i)
    return chosen


@pytest.mark.parametrize("close", [within(0.1), within(0.0), within(2.0), by_metric])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_best_first_and_none_close_to_a_better_one(close: Close, count: int) -> None:
    rng = np.random.default_rng(count)
    points, value = rng.random((40, 2)), rng.normal(size=40)
    points[7] = points[3]
    assert apart(points, value, count, close).tolist() == greedy(points, value, count, close)


def test_a_crowd_of_good_points_does_not_hide_the_next_ones() -> None:
    """More than the first look takes in: thirty of the best are one place."""
    points = np.vstack([np.full((30, 2), 0.5), [[0.1, 0.1], [0.9, 0.9]]])
    value = -np.arange(32.0)
    assert apart(points, value, 3, within(0.02)).tolist() == [0, 30, 31]
    assert best_apart(points, value, 3).tolist() == [0, 30, 31]
    assert best_apart(points, value, 3, ApartSettings(among=10)).tolist() == [0]


def test_values_that_are_no_numbers_are_left_out() -> None:
    points, value = np.linspace(0.0, 1.0, 4)[:, None], np.array([np.nan, 1.0, -np.inf, 2.0])
    assert apart(points, value, 4, within(0.01)).tolist() == [3, 1]
    assert distinct(points, value, 0.01).tolist() == [3, 1]


def test_of_no_points_none_is_chosen() -> None:
    assert len(apart(np.empty((0, 2)), np.empty(0), 3, within(0.1))) == 0


def test_starts_and_maxima_are_never_empty() -> None:
    points, nothing = np.zeros((3, 2)), np.full(3, -np.inf)
    assert apart(points, nothing, 2, within(0.1)).tolist() == []
    assert best_apart(points, nothing, 2).tolist() == [0]
    assert len(distinct(points, nothing, 0.1)) == 1


def test_distinct_keeps_all_that_are_further_apart_than_the_distance() -> None:
    points = np.array([[0.0, 0.0], [0.0, 0.05], [0.0, 0.11], [0.0, 0.0]])
    assert distinct(points, np.array([1.0, 2.0, 0.5, 3.0]), 0.05).tolist() == [3, 2]
