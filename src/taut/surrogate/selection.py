"""Which of very many values of a function its model is built on.

A model of n values takes n^3 operations and n^2 numbers. Beyond `most_values` different points it is built on a
selection: for fixed hyperparameters a process given some of the values is never more certain than one given all, and
it is exact where it counts if all values near there are among them.

| part | which | why |
| --- | --- | --- |
| spread | farthest-point order: each is the farthest from those before it | knows the whole cube, rules out the rest |
| companions | the nearest other value of some of them | shows noise, which values far from each other cannot |
| extremes | the smallest and the largest value | scale and penalty rest on them |
| recent | the last ones | what was just asked for must be seen, or it would be asked for again |
| near | the nearest to the recommendation and its rivals | what a decision rests on |

Everything but the last is the rough selection. It depends on places only and stays the same while a block of values
comes in; hyperparameters are fitted to it, and a first model built on it says where to take the near ones.

Rows of a function are its values; a place is chosen with all its repeats.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.base.blocks import MEAN_BLOCK
from taut.data.dataset import Dataset
from taut.surrogate.settings import ModelSettings


@dataclass(frozen=True)
class Places:
    """The different points of one function: x [p, d] in order of first appearance, and the place of every row [n]."""

    x: Array
    of_row: Ints

    @staticmethod
    def of(points: Array) -> Places:
        _, index, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(index, kind="stable")
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        return Places(points[index[order]], rank[inverse.ravel()])

    def flags(self, rows: Ints | Flags) -> Flags:
        """Which places these rows are at; [p]."""
        chosen = np.zeros(len(self.x), dtype=bool)
        chosen[self.of_row[rows]] = True
        return chosen


@dataclass(frozen=True)
class Part:
    """What the model of one function is built on: its places, and which of them are chosen [p]."""

    places: Places
    chosen: Flags

    @cached_property
    def rows(self) -> Ints:
        """All rows at the chosen places, in their order; [m]."""
        return np.flatnonzero(self.chosen[self.places.of_row])

    def with_near(self, foci: Array, weights: Array, l: Array, most: int, share: float = 1.0) -> Part:
        """With the places nearest to any of the foci [m, d]: a share of those that may be added, up to `most` in all.

        l: length-scales [d].
        """
        order = nearness(self.places.x / l, foci / l, weights, most)
        count = round(share * max(most - int(self.chosen.sum()), 0))
        near = order[~self.chosen[order]][:count]
        both = self.chosen.copy()
        both[near] = True
        return Part(self.places, both)


@dataclass(frozen=True)
class Selection:
    """Of every function a part of its rows, or None for all of them."""

    parts: tuple[Part | None, ...]

    @property
    def partial(self) -> bool:
        """Is anything left out?"""
        return any(part is not None for part in self.parts)

    def with_near(
        self, foci: Array, weights: Array, lengths: Sequence[Array], most: int, share: float = 1.0
    ) -> Selection:
        """The same of every part; lengths: [d] of every function."""
        pairs = zip(self.parts, lengths, strict=True)
        return Selection(tuple(part and part.with_near(foci, weights, l, most, share) for part, l in pairs))

    def points(self, dataset: Dataset) -> Array:
        """All points with a value that some model is built on, each once; [m, d]."""
        pairs = zip(dataset.X, self.parts, strict=True)
        values = [X if part is None else X[part.rows] for X, part in pairs]
        return np.unique(np.vstack(values), axis=0)

    def note(self, dataset: Dataset) -> str:
        """What is left out, in words; empty if nothing is."""
        same: dict[str, list[str]] = {}
        for view, part in zip(dataset.functions, self.parts, strict=True):
            if part is not None:
                same.setdefault(f"{len(part.rows):,} of {len(part.places.of_row):,}", []).append(view.name)
        groups = [f"{count} values of {_some(names, 5)}" for count, names in same.items()]
        return f"models use {_some(groups, 3)}" if groups else ""


def _some(words: list[str], most: int) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def rough_selection(dataset: Dataset, settings: ModelSettings, cache: MutableMapping[str, Any]) -> Selection:
    """All rows of functions with few places; of the others all parts but the near ones.

    cache: of this process, by function. It saves work where places did not change or are those of another function; the
    answer is the same without it.
    """
    parts: list[Part | None] = []
    for view, X, y in zip(dataset.functions, dataset.X, dataset.y, strict=True):
        part = None
        if len(y) > settings.most_values:
            by_place = _by_place(X, settings, cache)
            cache[view.name] = by_place
            if len(by_place.places.x) > settings.most_values:
                extremes = by_place.places.flags(np.array([int(y.argmin()), int(y.argmax())]))
                part = Part(by_place.places, by_place.chosen | extremes)
        parts.append(part)
    return Selection(tuple(parts))


@dataclass(frozen=True)
class _ByPlace:
    """What a rough selection takes from the points [n, d] alone."""

    points: Array
    settings: ModelSettings
    places: Places
    chosen: Flags

    def answers(self, points: Array, settings: ModelSettings) -> bool:
        return settings == self.settings and np.array_equal(points, self.points)


def _by_place(points: Array, settings: ModelSettings, cache: MutableMapping[str, Any]) -> _ByPlace:
    for last in cache.values():
        if last.answers(points, settings):
            return cast(_ByPlace, last)
    places = Places.of(points)
    few = len(places.x) <= settings.most_values
    chosen = np.ones(len(places.x), dtype=bool) if few else _spread_and_recent(places, settings)
    return _ByPlace(points, settings, places, chosen)


def _spread_and_recent(places: Places, settings: ModelSettings) -> Flags:
    """The places of a rough selection, but for the extremes; [p]."""
    block = max(int(settings.recent_share * settings.most_values), 1)
    rows = np.arange(len(places.of_row))
    last = len(rows) - len(rows) % block
    settled = rows < last  # the same while a block of rows comes in
    chosen = places.flags(rows >= last - block)
    old = np.flatnonzero(places.flags(settled))
    count = int(settings.spread_share * settings.most_values)
    order = old[farthest(places.x[old], count)]
    accompanied = order[: int(settings.companion_share * count)]
    chosen[order[: count - len(accompanied)]] = True
    chosen[old[_nearest_other(places.x[old], np.searchsorted(old, accompanied))]] = True
    return chosen


def farthest(x: Array, count: int) -> Ints:
    """Positions of `count` points of x [n, d]: the nearest to the centre of the cube, then each time the farthest.

    The first m of them are the same for every count. O(n count).
    """
    columns = np.ascontiguousarray(x.T)
    chosen = [int(np.square(x - 0.5).sum(axis=1).argmin())]
    distance = np.full(len(x), np.inf)
    while len(chosen) < min(count, len(x)):
        step = columns - columns[:, chosen[-1], None]
        np.minimum(distance, np.einsum("dn,dn->n", step, step), out=distance)
        chosen.append(int(distance.argmax()))
    return np.array(chosen[:count], dtype=np.intp)


def _nearest_other(x: Array, of: Ints) -> Ints:
    """Positions of the nearest other point of x [n, d] to some of them [m]; [m]."""
    found, size = [], max(MEAN_BLOCK // len(x), 1)
    for rows in (of[first : first + size] for first in range(0, len(of), size)):
        distance = np.zeros((len(rows), len(x)))
        for column in x.T:
            distance += np.square(column[rows, None] - column)
        distance[np.arange(len(rows)), rows] = np.inf
        found.append(distance.argmin(axis=1))
    return np.concatenate([of[:0], *found])


def nearness(x: Array, foci: Array, weights: Array, most: int) -> Ints:
    """Positions of x [n, d], nearest first: the nearest of every focus [m, d], the second nearest, and so on.

    A focus of weight w [m] gets its first places w times as fast. The first `most` are right, and no more are looked
    for: they are among as many nearest ones of the foci, because the heaviest alone has that many before any other's
    next.
    """
    best, few = np.full(len(x), np.inf), min(most, len(x))
    rank = np.arange(1.0, few + 1.0)
    for focus, weight in zip(foci, weights, strict=True):
        distance = np.square(x - focus).sum(axis=1)
        near = np.sort(np.argpartition(distance, few - 1)[:few])
        order = near[np.argsort(distance[near], kind="stable")]
        best[order] = np.minimum(best[order], rank / weight)
    found = np.flatnonzero(np.isfinite(best))
    return found[np.argsort(best[found], kind="stable")]
