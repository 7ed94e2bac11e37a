"""Ascents with discrete columns: every point looked at is admissible, and small problems end at the best point."""

import numpy as np
import pytest

from taut.base.alternate import HELD, ascend_free, free_curvature
from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, curvature
from taut.base.domain import Domain
from taut.base.levels import Options, Ordered

MIXED = Domain(5, (Ordered(1, 5, (0.0, 0.2, 0.5, 0.8, 1.0)), Options(2, 3)))
GOAL = np.array([0.3, 0.8, 0.0, 0.36, 0.0])
FREE = np.array([True, False, True])


def bowl(x: Array, rows: Ints) -> tuple[Array, Array]:
    assert MIXED.contains(x).all()
    return -((x - GOAL) ** 2).sum(axis=1), -2.0 * (x - GOAL)


def test_every_start_of_a_bowl_ends_at_its_best_admissible_point() -> None:
    starts = np.random.default_rng(0).random((12, 5))
    found = MIXED.ascend(bowl, starts, AscentOptions(rounds=10))
    everything = MIXED.across(GOAL[None, :])
    best = everything[np.argmin(((everything - GOAL) ** 2).sum(axis=1))]
    assert found.x == pytest.approx(np.tile(best, (12, 1)), abs=1e-3)
    assert found.value == pytest.approx(bowl(found.x, np.arange(12))[0])


def test_without_rounds_discrete_columns_stay() -> None:
    starts = MIXED.repair(np.random.default_rng(1).random((6, 5)))
    found = MIXED.ascend(bowl, starts, AscentOptions(rounds=0))
    assert np.array_equal(found.x[:, 1:], starts[:, 1:])
    assert found.x[:, 0] == pytest.approx(GOAL[0], abs=1e-3)


def saddle(x: Array, rows: Ints) -> tuple[Array, Array]:
    """Columns that pull at each other."""
    A = np.array([[3.0, 1.0, 1.5], [1.0, 2.0, 0.5], [1.5, 0.5, 4.0]])
    return -0.5 * np.einsum("qi,ij,qj->q", x - 0.4, A, x - 0.4), -(x - 0.4) @ A


def test_held_columns_neither_move_nor_steer() -> None:
    x = np.array([[0.9, 1.0, 0.1], [0.2, 0.0, 0.7]])
    found = ascend_free(saddle, x, FREE, AscentOptions(), curvature(saddle, x))
    assert np.array_equal(found.x[:, 1], x[:, 1])
    assert saddle(found.x, np.arange(2))[1][:, FREE] == pytest.approx(0.0, abs=1e-3)
    still = ascend_free(saddle, x, np.zeros(3, dtype=bool), AscentOptions(), None)
    assert np.array_equal(still.x, x) and np.array_equal(still.value, saddle(x, np.arange(2))[0])


def pair(u: Array, rows: Ints) -> tuple[Array, Array]:
    value, gradient = saddle(np.column_stack([u[:, 0], np.full(len(u), 0.4), u[:, 1]]), rows)
    return value, gradient[:, FREE]


def test_the_curvature_of_free_columns_is_that_with_the_others_fixed() -> None:
    x = np.full((1, 3), 0.4)
    metric = free_curvature(saddle, x, FREE)[0]
    part = metric[np.ix_([0, 2], [0, 2])]
    assert part == pytest.approx(curvature(pair, np.full((1, 2), 0.4))[0], rel=1e-6)
    assert metric[1].tolist() == [0.0, HELD, 0.0]
    assert np.array_equal(free_curvature(saddle, x, np.zeros(3, dtype=bool))[0], HELD * np.eye(3))
