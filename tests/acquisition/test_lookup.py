"""Look-ups of the envelope against plain loops."""

import numpy as np
import pytest

from taut.acquisition import lookup
from taut.acquisition.lookup import flat_index, look_up, look_up_points, pieces, take_each
from taut.base.normal import partial_expectation, student_cdf

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


def test_pieces_between_neighbours_that_meet() -> None:
    """Against one line after the other; some neighbours are the same line, some fall."""
    points = look_up_points(5.0, (0.0, 0.7, 1.5), 1)
    t, index = points[0], RNG.integers(0, 3, (2, 3, 5))
    a, b = RNG.normal(size=(2, 3, 5)), RNG.normal(size=(2, 3, 5))
    P, E = pieces(index, a, b, points, 5.0)
    for at in np.ndindex(2, 3):
        ends = [-1e9]
        for m in range(4):
            rise = b[at][m + 1] - b[at][m]
            meet = (a[at][m] - a[at][m + 1]) / rise
            real = index[at][m] != index[at][m + 1] and rise > 0.0
            ends.append(float(np.clip(meet, t[m], t[m + 1])) if real else 0.5 * (t[m] + t[m + 1]))
        whole = np.array([*ends, 1e9])
        assert P[at] == pytest.approx(np.diff(student_cdf(whole, 5.0)), abs=1e-12)
        assert E[at] == pytest.approx(-np.diff(partial_expectation(whole, 5.0)), abs=1e-12)


@pytest.mark.parametrize("q", [1, 3])
def test_taking(q: int) -> None:
    index = RNG.integers(0, 7, (q, 4, 2))
    expected = np.take_along_axis(EXCESS[:q, None, :], index.reshape(q, 1, 8), axis=2).reshape(q, 4, 2)
    assert np.array_equal(EXCESS[:q].take(flat_index(index, 7)), expected)
    assert np.array_equal(take_each(W[:q], index), np.take_along_axis(W[:q], index, axis=2))


def test_points_rise_and_distributions_are_of_their_middles() -> None:
    t, ends = look_up_points(5.0, (1.0, 2.0), 1)
    middle = 0.5 * (t[1:] + t[:-1])
    assert (np.diff(t) > 0.0).all()
    assert np.array_equal(ends[0], [0.0, *student_cdf(middle, 5.0), 1.0])
    assert np.array_equal(ends[1], [0.0, *-partial_expectation(middle, 5.0), 0.0])
