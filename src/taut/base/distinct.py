"""The best points that are not next to each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.base.knob import NEVER_TUNED, knob

# close(step [d, ...]) -> [...]: whether two points with this difference, coordinates first, count as one.
Close = Callable[[Array], Flags]


@dataclass(frozen=True)
class ApartSettings:
    """What `best_apart` looks at."""

    distance: float = knob(0.02, "max-norm in the unit cube up to which points are neighbours", NEVER_TUNED)
    among: int = knob(20, "times the number of points asked for: the best points looked at", NEVER_TUNED)


BEST_APART = ApartSettings()


def within(distance: float) -> Close:
    """At most this far apart in the max-norm."""
    return lambda step: np.abs(step).max(axis=0) <= distance


def apart(points: Array, value: Array, count: int, close: Close) -> Ints:
    """Positions of the best points [q, d], at most `count`, best first, none close to a better one.

    value: [q]; a point whose value is not finite is never chosen.
    """
    return _chosen(points, _ranked(value), count, close)


def best_apart(points: Array, value: Array, count: int, settings: ApartSettings = BEST_APART) -> Ints:
    """The same for starts of a search, among few more points than asked for; never empty."""
    among = _ranked(value)[: settings.among * count]
    chosen = _chosen(points, among, count, within(settings.distance))
    return chosen if len(chosen) else np.zeros(1, dtype=np.intp)


def distinct(points: Array, value: Array, distance: float) -> Ints:
    """All points best first, without those within a distance (max-norm) of a better one; never empty."""
    chosen = apart(points, value, len(points), within(distance))
    return chosen if len(chosen) else np.argsort(-value, kind="stable")[:1]


def _ranked(value: Array) -> Ints:
    order = np.argsort(-value, kind="stable")
    return order[np.isfinite(value[order])]


def _chosen(points: Array, ranked: Ints, count: int, close: Close) -> Ints:
    chosen: list[int] = []
    for some in (ranked[: 4 * count], ranked):  # the first are usually enough
        chosen = _first_apart(points[some].T, count, close)
        if len(chosen) == count or len(some) == len(ranked):
            break
    return some[chosen]


def _first_apart(columns: Array, count: int, close: Close) -> list[int]:
    """The first columns, at most `count`, that are not close to one chosen before; columns: [d, q]."""
    free = np.ones(columns.shape[1], dtype=bool)
    near = close(columns[:, :, None] - columns[:, None, :])
    chosen: list[int] = []
    count = min(count, len(free))
    while len(chosen) < count and free[first := int(free.argmax())]:
        chosen.append(first)
        free[near[first]] = False
    return chosen
