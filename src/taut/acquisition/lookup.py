"""Look-ups of the upper envelope of lines a + b T: which line is best at every look-up point.

Neighbours on the envelope meet between their look-up points, so the lines found form an exact envelope of themselves.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from taut.acquisition.scenarios import envelope_points
from taut.base.arrays import Array, Ints
from taut.base.blocks import UPDATE_BLOCK
from taut.base.normal import partial_expectation, student_cdf


@lru_cache(maxsize=64)
def look_up_points(nu: float, scores: tuple[float, ...], refine: int) -> tuple[Array, Array, Array]:
    """Look-up points t of the envelope, and the distribution and partial expectation half-way between them."""
    t = envelope_points(nu, scores, refine)
    middle = 0.5 * (t[1:] + t[:-1])
    return t, student_cdf(middle, nu), partial_expectation(middle, nu)


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


def take_row(values: Array, index: Ints) -> Array:
    """values [q, n] at index [q, C, m]; [q, C, m]."""
    q, n = values.shape
    taken: Array = np.take(values, index + (np.arange(q) * n)[:, None, None])
    return taken


def take_each(values: Array, index: Ints) -> Array:
    """values [q, C, n] at index [q, C, m]; [q, C, m]."""
    q, C, n = values.shape
    taken: Array = np.take(values, index + (np.arange(q * C) * n).reshape(q, C, 1))
    return taken
