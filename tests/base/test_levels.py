"""Admissible values as places in columns: there and back, nearest ones by a slow search, steps to others."""

import numpy as np
import pytest

from taut.base.levels import OPTION_DISTANCE, Counted, Levels, Options, Ordered

KINDS = [
    Ordered(0, 4, (0.0, 0.1, 0.7, 1.0)),
    Ordered(2, 2, (0.0, 1.0)),
    Counted(0, 12),
    Counted(0, 10**9),
    Options(0, 2),
    Options(1, 3),
    Options(0, 7),
]


@pytest.mark.parametrize("levels", KINDS)
def test_the_nearest_level_of_a_place_is_its_own(levels: Levels) -> None:
    index = np.unique(np.linspace(0, levels.count - 1, 20).astype(int))
    places = levels.places(index)
    assert places.shape == (len(index), levels.width)
    assert (places >= 0.0).all() and (places <= 1.0).all()
    assert np.array_equal(levels.nearest(places), index)
    assert levels.columns == slice(levels.first, levels.first + levels.width)


@pytest.mark.parametrize("levels", [each for each in KINDS if each.count < 100])
def test_no_level_is_nearer_than_the_nearest(levels: Levels) -> None:
    x = np.random.default_rng(0).random((200, levels.width))
    table = levels.places(np.arange(levels.count))
    distance = np.linalg.norm(x[:, None, :] - table, axis=2)
    chosen = distance[np.arange(len(x)), levels.nearest(x)]
    assert chosen == pytest.approx(distance.min(axis=1))


@pytest.mark.parametrize("count", [2, 3, 6])
def test_options_are_as_far_from_each_other(count: int) -> None:
    table = Options(0, count).places(np.arange(count))
    distance = np.linalg.norm(table[:, None, :] - table, axis=2)
    assert distance == pytest.approx(OPTION_DISTANCE * (1.0 - np.eye(count)))


@pytest.mark.parametrize("levels", KINDS)
def test_moves_lead_to_other_levels_and_never_out(levels: Levels) -> None:
    index = np.arange(min(levels.count, 12))
    to = levels.moves(index)
    assert (to >= 0).all() and (to < levels.count).all()
    for here, others in zip(index, to, strict=True):
        if isinstance(levels, Options):
            assert sorted(others) == [i for i in range(levels.count) if i != here]
        else:
            assert {max(here - 1, 0), min(here + 1, levels.count - 1)} <= set(others) | {here}
