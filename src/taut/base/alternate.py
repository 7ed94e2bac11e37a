"""Ascents where some columns may only hold admissible values: the others are climbed, and neighbours are tried.

A row climbs its continuous columns, then looks at every point that differs in one discrete parameter, moves to the best
if that is better, climbs again from there, and so on; no point that is not admissible is ever looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.base.ascend import Ascent, AscentOptions, Score, Walls, ascend, curvature

# neighbours(x [q, d]) -> points [m, d] and the row of x that each is next to [m].
Neighbours = Callable[[Array], tuple[Array, Ints]]

HELD = 1e-14  # square of the semi-axis along a column that is held: the smallest that a curvature has


def ascend_free(
    score: Score,
    x: Array,
    free: Flags,
    options: AscentOptions,
    metric: Array | None,
    kinds: Ints | None = None,
    walls: Walls | None = None,
) -> Ascent:
    """Ascents from x [q, d] on the free columns [d] alone."""
    if not free.any():
        value, _ = score(x, np.arange(len(x)))
        return Ascent(x, value, np.tile(HELD * np.eye(len(free)), (len(x), 1, 1)), int((~np.isfinite(value)).sum()))
    if metric is not None:
        metric = metric * (free[:, None] & free) + HELD * np.diag(~free)

    def held(at: Array, rows: Ints) -> tuple[Array, Array]:
        value, gradient = score(at, rows)
        return value, gradient * free

    return ascend(held, x, options, metric, kinds, walls)


def alternate(
    score: Score,
    x: Array,
    free: Flags,
    neighbours: Neighbours,
    options: AscentOptions,
    metric: Array | None = None,
    kinds: Ints | None = None,
    walls: Walls | None = None,
) -> Ascent:
    """Ascents from admissible x [q, d]; after each at most options.rounds rounds of neighbour steps."""
    found = ascend_free(score, x, free, options, metric, kinds, walls)
    ends, heights, learnt = found.x.copy(), found.value.copy(), found.metric.copy()
    going = np.flatnonzero(np.isfinite(heights))
    for _ in range(options.rounds):
        going = _worthwhile(going, heights, options.behind)
        if not len(going):
            break
        better, step = _stepped(score, ends[going], heights[going] + options.tolerance, going, neighbours)
        going = going[better]
        if not len(going):
            break
        part = _rows_of(score, going)
        again = ascend_free(part, step, free, replace(options, rounds=0), learnt[going], None, walls)
        ends[going], heights[going], learnt[going] = again.x, again.value, again.metric
    return Ascent(ends, heights, learnt, found.failed)


def _worthwhile(going: Ints, heights: Array, behind: float) -> Ints:
    """Those that are not far behind the best."""
    best = np.max(heights[np.isfinite(heights)], initial=-np.inf)
    return going[heights[going] >= best - behind] if np.isfinite(behind) else going


def _rows_of(score: Score, rows: Ints) -> Score:
    return lambda x, some: score(x, rows[some])


def _stepped(score: Score, x: Array, least: Array, rows: Ints, neighbours: Neighbours) -> tuple[Flags, Array]:
    """Which points x [q, d] have a neighbour that is higher than `least` [q], and the highest of each of those."""
    points, owner = neighbours(x)
    best = np.full(len(x), -1, dtype=np.intp)
    if len(points):
        value = score(points, rows[owner])[0]
        value = np.where(np.isfinite(value), value, -np.inf)
        order = np.lexsort((-value, owner))
        first = order[np.unique(owner[order], return_index=True)[1]]
        good = first[value[first] > least[owner[first]]]
        best[owner[good]] = good
    better: Flags = best >= 0
    return better, points[best[better]]


def free_curvature(score: Score, x: Array, free: Flags) -> Array:
    """Inverse Hessian of -score at x [q, d] in the free columns, as small as it can be along the others; [q, d, d]."""
    metric = np.tile(HELD * np.eye(x.shape[1]), (len(x), 1, 1))
    if not free.any():
        return metric

    def reduced(u: Array, rows: Ints) -> tuple[Array, Array]:
        at = x[rows].copy()
        at[:, free] = u
        value, gradient = score(at, rows)
        return value, gradient[:, free]

    columns = np.flatnonzero(free)
    metric[:, columns[:, None], columns] = curvature(reduced, x[:, free])
    return metric
