"""The best points that are not next to each other."""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array, Ints


def best_apart(points: Array, value: Array, count: int) -> Ints:
    """Indices of the best points, skipping those next to a better one (0.02 in the max-norm), topped up by rank."""
    order = np.argsort(-value, kind="stable")
    order = order[np.isfinite(value[order])][: 20 * count]
    for some in (order[: 4 * count], order):  # the first are usually enough
        chosen = _apart(points[some], count, 0.02)
        if len(chosen) == count or len(some) == len(order):
            break
    return some[chosen] if len(chosen) else np.zeros(1, dtype=np.intp)


def _apart(points: Array, count: int, distance: float) -> list[int]:
    """The first points, at most `count`, that are further than this (max-norm) from all chosen before."""
    close = np.abs(points.T[:, :, None] - points.T[:, None, :]).max(axis=0) <= distance
    free = np.ones(len(points), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < count and free.any():
        chosen.append(int(free.argmax()))
        free &= ~close[chosen[-1]]
    return chosen


def distinct(points: Array, value: Array, apart: float) -> Ints:
    """Positions best first, without points within `apart` (max-norm) of a better one."""
    order = np.argsort(-value, kind="stable")
    sound = order[np.isfinite(value[order])]
    return sound[_apart(points[sound], len(sound), apart)] if len(sound) else order[:1]
