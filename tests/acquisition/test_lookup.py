"""Look-ups of the envelope against plain loops."""

import numpy as np
import pytest

from taut.acquisition import lookup
from taut.acquisition.lookup import look_up, look_up_points, take_each, take_row

RNG = np.random.default_rng(0)
EXCESS, SCALE, W = RNG.random((3, 7)), RNG.normal(size=(3, 7)), RNG.random((3, 4, 7))


def slow(nodes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    lines = (EXCESS[:, None, :] + nodes[None, :, None] * scale[:, None, :])[:, None] * W[:, :, None, :]
    return lines.argmax(axis=3)


@pytest.mark.parametrize("block", [1, 10**6])
@pytest.mark.parametrize("with_scale", [True, False])
def test_the_best_line_at_every_node(monkeypatch: pytest.MonkeyPatch, block: int, with_scale: bool) -> None:
    monkeypatch.setattr(lookup, "UPDATE_BLOCK", block)
    nodes, index = np.array([-1.0, 0.0, 2.0]), np.zeros((3, 4, 4), dtype=np.intp)
    look_up(EXCESS, SCALE if with_scale else None, W, nodes, index)
    assert np.array_equal(index[:, :, :-1], slow(nodes, SCALE if with_scale else np.zeros_like(SCALE)))


def test_taking() -> None:
    index = RNG.integers(0, 7, (3, 4, 2))
    assert take_row(EXCESS, index)[2, 1, 0] == EXCESS[2, index[2, 1, 0]]
    assert np.array_equal(take_each(W, index), np.take_along_axis(W, index, axis=2))


def test_points_rise_and_distributions_are_of_their_middles() -> None:
    t, below, partial = look_up_points(5.0, (1.0, 2.0), 1)
    assert (np.diff(t) > 0.0).all() and len(below) == len(partial) == len(t) - 1 and (np.diff(below) > 0.0).all()
