"""Look-ups of the upper envelope of lines a + b T: which line is best at every look-up point.

Neighbours on the envelope meet between their look-up points, so the lines found form an exact envelope of themselves.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from taut.acquisition.scenarios import envelope_points
from taut.base.arrays import Array, Ints
from taut.base.blocks import UPDATE_BLOCK
from taut.base.normal import partial_expectation, student_cdf, student_pieces


@lru_cache(maxsize=64)
def look_up_points(nu: float, scores: tuple[float, ...], refine: int) -> tuple[Array, Array]:
    """Look-up points t [m] of the envelope; distribution F and -H half-way between them and at both ends [2, m + 1].

    H: partial expectation. What lies between two of them is the difference of their columns.
    """
    t = envelope_points(nu, scores, refine)
    middle = 0.5 * (t[1:] + t[:-1])
    ends = np.zeros((2, len(t) + 1))
    ends[0, -1] = 1.0
    ends[:, 1:-1] = student_cdf(middle, nu), -partial_expectation(middle, nu)
    return t, ends


def look_up(excess: Array, scale: Array | None, W: Array, nodes: Array, index: Ints) -> None:
    """argmax of a + t b = (excess + t scale) W at every node t, into index [q, C, m + 1].

    excess, scale: [q, N + 1]; W: [q, C, N + 1]. All nodes at once if that is little, otherwise some rows at a time.
    """
    if scale is not None and W.size * len(nodes) <= UPDATE_BLOCK:
        heights = nodes[:, None] * scale[:, None, :]
        heights += excess[:, None, :]
        lines = heights[:, None, :, :] * W[:, :, None, :]
        lines.argmax(axis=3, out=index[:, :, :-1])
        return
    rows = max(UPDATE_BLOCK // W[0].size, 1)
    for first in range(0, len(W), rows):
        part = slice(first, first + rows)
        line = np.empty_like(W[part])
        for m, t in enumerate(nodes):
            height = excess[part] if scale is None else excess[part] + t * scale[part]
            np.multiply(height[:, None, :], W[part], out=line)
            line.argmax(axis=2, out=index[part, :, m])


def pieces(index: Ints, a: Array, b: Array, points: tuple[Array, Array], nu: float) -> Array:
    """Probability and partial expectation of T ~ t_nu on the piece of each looked-up line; [2, q, C, m].

    index, a, b: the lines a + b T that are best at the look-up points [q, C, m]. Neighbours meet between their points;
    between equal lines any point will do.
    """
    nodes, ends = points
    found = np.empty((2, *index.shape[:2], len(nodes) + 1))
    found[:] = ends[:, None, None, :]
    jump = b[:, :, 1:] - b[:, :, :-1]
    real = ((index[:, :, 1:] != index[:, :, :-1]) & (jump > 0.0)).ravel().nonzero()[0]
    if len(real):
        line, m = np.divmod(real, len(nodes) - 1)
        meet = (a[:, :, :-1] - a[:, :, 1:]).take(real) / jump.take(real)
        meet = np.minimum(np.maximum(meet, nodes.take(m)), nodes.take(m + 1))
        place = line * (len(nodes) + 1) + m + 1
        F, H = student_pieces(meet, nu)
        found[0].put(place, F)
        found[1].put(place, -H)
    between: Array = found[:, :, :, 1:] - found[:, :, :, :-1]
    return between


def flat_index(index: Ints, n: int) -> Ints:
    """Where index [q, C, m] points in an array [q, n] that is read as one row; [q, C, m]."""
    q = len(index)
    return index if q == 1 else index + (np.arange(q) * n)[:, None, None]


def take_each(values: Array, index: Ints) -> Array:
    """values [q, C, n] at index [q, C, m]; [q, C, m]."""
    q, C, n = values.shape
    taken: Array = values.take(index + (np.arange(q * C) * n).reshape(q, C, 1))
    return taken
