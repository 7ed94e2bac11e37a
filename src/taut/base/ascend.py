"""Batched projected BFGS: many independent ascents in the unit cube, one score call per step for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from taut.base.arrays import Array, Flags, Ints

# score(x [p, d], rows [p]) -> value [p], gradient [p, d]; rows says which ascents the points belong to.
Score = Callable[[Array, Ints], tuple[Array, Array]]

SUFFICIENT = 1e-4
SMALLEST_STEP = 1e-10
BACKTRACKS = 7
STEEPEST = 1e290  # squared slope: beyond this products overflow
FLAT = 1e-150  # curvature along a step: below this squares vanish
DIFFERENCE = 1e-5  # between gradients whose difference is a curvature


class Walls(Protocol):
    """What limits ascents besides the cube."""

    def within(self, old: Array, new: Array) -> Array:
        """Steps from points old [q, d] that end inside, as near to new [q, d] as can be."""

    def along(self, x: Array, step: Array) -> Array:
        """Directions [q, d] at x [q, d] without what leads outside."""


@dataclass(frozen=True)
class AscentOptions:
    """calls: at most so many trial steps of each row; tolerance: a smaller gain ends it (scores are logarithms).

    radius: length of a first step without curvature information;
    behind: after `patience` calls, rows that far below the best one are given up; `shrink` times that at every call;
    apart: from then on, rows this close (max-norm) to a better one of the same kind are given up;
    smooth: a tangent that promises less than the tolerance over the next step ends a row, too. A score that is a
    maximum of many others can gain more than its tangent says;
    growth: the tolerance grows by this factor at every call, so that in the end only rows go on that gain a lot;
    rounds: with discrete parameters, at most so many steps to a neighbour, each with an ascent after it.
    """

    calls: int = 60
    tolerance: float = 1e-7
    radius: float = 0.1
    behind: float = np.inf
    patience: int = 0
    shrink: float = 1.0
    apart: float = 0.0
    smooth: bool = False
    growth: float = 1.0
    rounds: int = 3


@dataclass(frozen=True)
class Ascent:
    """Where each ascent ended: x [q, d], value [q], what it learnt of the inverse Hessian of -score [q, d, d].

    `failed` counts starts with a non-finite score.
    """

    x: Array
    value: Array
    metric: Array
    failed: int


def ascend(
    score: Score,
    x0: Array,
    options: AscentOptions,
    metric: Array | None = None,
    kinds: Ints | None = None,
    walls: Walls | None = None,
) -> Ascent:
    """Maximise from every row of x0 [q, d]. metric: [d, d] or [q, d, d], a guess of the inverse Hessian of -score.

    kinds: which rows climb the same score [q]; without it all do. walls: x0 is inside, and so is every point looked at.

    Quasi-Newton directions on the variables that are not held at a bound, clipped steps, Armijo backtracking by
    quadratic interpolation; a row whose line search fails restarts once from steepest ascent and then stops.
    Rows do not wait for each other: every call of the score holds one trial of each ascent that is still going.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # slopes of 1e200 at a sharp constraint are refused
        state = _State(score, np.minimum(np.maximum(x0, 0.0), 1.0), metric, options, walls)
        for call in range(options.calls):
            if call >= options.patience and options.behind < np.inf:
                state.drop(options.behind * options.shrink ** (call - options.patience))
            if call >= options.patience and options.apart:
                state.merge(kinds)
            if not len(state.rows):
                break
            state.advance()
    state.keep(np.zeros(len(state.rows), dtype=bool))
    return Ascent(state.ends, state.heights, state.metrics, int((~np.isfinite(state.heights)).sum()))


def curvature(score: Score, x: Array) -> Array:
    """Inverse Hessian of -score at each row of x [q, d], from 2 d gradient calls, made positive definite; [q, d, d].

    The squared gradient is added: at a bound the score falls linearly, and 1/|g| is the length that matters there.
    Semi-axes are kept between 1e-7 and 0.5 of the cube.
    """
    q, d = x.shape
    low, high = np.clip(x - DIFFERENCE, 0.0, 1.0), np.clip(x + DIFFERENCE, 0.0, 1.0)
    stencil = np.repeat(x[:, None, :], 2 * d + 1, axis=1)
    for i in range(d):
        stencil[:, 1 + i, i], stencil[:, 1 + d + i, i] = low[:, i], high[:, i]
    _, slopes = score(stencil.reshape(-1, d), np.repeat(np.arange(q), 2 * d + 1))
    gradient = slopes.reshape(q, 2 * d + 1, d)
    H = (gradient[:, 1 : 1 + d] - gradient[:, 1 + d :]) / (high - low)[:, :, None]
    H = 0.5 * (H + H.transpose(0, 2, 1)) + np.einsum("qi,qj->qij", gradient[:, 0], gradient[:, 0])
    values, vectors = np.linalg.eigh(np.where(np.isfinite(H), H, 0.0))
    metric: Array = np.einsum("qij,qj,qkj->qik", vectors, 1.0 / np.clip(np.abs(values), 4.0, 1e14), vectors)
    return metric


class _State:
    """The ascents still going, one row each; finished ones are kept in ends [q, d], heights [q] and metrics [q, d, d].

    rows: their numbers; x, g, value: point, gradient, height; H: metric [p, d, d]; step: what to try next [p, d];
    counts [3, p]: how often it was shortened, how often the row began anew, whether H knows no curvature yet.
    Everything is done for all rows at once. The arrays are small and calls are what costs, so whatever the usual case,
    every row's step accepted inside the cube, does not need is skipped.
    """

    def __init__(
        self, score: Score, x: Array, metric: Array | None, options: AscentOptions, walls: Walls | None = None
    ) -> None:
        self.score, self.options, self.walls = score, options, walls
        self.tolerance = options.tolerance
        q, d = x.shape
        self.ends, self.x = x.copy(), x
        self.rows: Ints = np.arange(q)
        self.value, self.g = score(x, self.rows)
        self.heights = np.array(self.value)  # a copy: finished rows are written into it
        self.H = np.empty((q, d, d))
        self.H[:] = np.eye(d) if metric is None else metric
        self.metrics = np.empty_like(self.H)
        self.step = np.zeros((q, d))
        self.counts = np.zeros((3, q))
        self.counts[2] = metric is None
        self.young, self.tried = metric is None, False  # whether any row may be fresh, or may have shortened its step
        sound = np.isfinite(self.value) & np.isfinite(self.g.sum(axis=1))
        self.keep(sound & self._aim(sound, 0.0))

    @property
    def least(self) -> float:
        """What a tangent has to promise."""
        return self.tolerance if self.options.smooth else 0.0

    def keep(self, going: Flags) -> None:
        """Write the others down as finished."""
        if np.count_nonzero(going) == len(going):
            return
        self.ends[self.rows], self.heights[self.rows], self.metrics[self.rows] = self.x, self.value, self.H
        left = going.nonzero()[0]
        self.rows, self.x, self.g, self.value = self.rows[left], self.x[left], self.g[left], self.value[left]
        self.H, self.step, self.counts = self.H[left], self.step[left], self.counts[:, left]

    def drop(self, behind: float) -> None:
        """Give up rows too far below the best one."""
        best = self.heights.max(initial=-np.inf)
        if not np.isfinite(best):
            best = np.max(self.heights, where=np.isfinite(self.heights), initial=-np.inf)
        self.keep(self.value >= max(best, self.value.max(initial=-np.inf)) - behind)

    def merge(self, kinds: Ints | None) -> None:
        """Give up rows next to a better one, whether that is still going or not: both would end at the same point."""
        if not len(self.rows):
            return
        self.ends[self.rows], self.heights[self.rows] = self.x, self.value
        close = np.abs(self.x.T[:, :, None] - self.ends.T[:, None, :]).max(axis=0) < self.options.apart
        if np.count_nonzero(close) == len(self.rows):  # each to itself only
            return
        if kinds is not None:
            close &= kinds[self.rows][:, None] == kinds
        height = self.value[:, None]
        better = (self.heights > height) | ((self.heights == height) & (np.arange(len(self.ends)) < self.rows[:, None]))
        self.keep(~(close & better).any(axis=1))

    def advance(self) -> None:
        """One trial of every row; accepted ones take their step and aim anew, the others shorten it."""
        trial: Array = self.x + self.step
        np.minimum(np.maximum(trial, 0.0, out=trial), 1.0, out=trial)
        if self.walls is not None:
            trial = self.walls.within(self.x, trial)
        value, g = self.score(trial, self.rows)
        step, gain = trial - self.x, value - self.value
        rise = np.vecdot(step, self.g)
        good = gain > np.maximum(SUFFICIENT * rise, 0.0)
        flat = g.ravel()
        if not flat @ flat + gain @ gain < STEEPEST:  # rare, so looked at closely only then
            good &= np.isfinite(value) & (np.vecdot(g, g) < STEEPEST)
        if np.count_nonzero(good) == len(good):
            self._bend(good, step, self.g - g)
            self.x, self.g, self.value = trial, g, value
            going = self._aim(good, self.least)
            going &= gain >= self.tolerance
        else:
            going = self._backtrack(~good, gain, rise)
            going &= self._accept(good, trial, value, g, gain)
        self.keep(going)
        self.tolerance *= self.options.growth

    def _accept(self, good: Flags, x: Array, value: Array, g: Array, gain: Array) -> Flags:
        """Move the good rows, bend their metric and aim again; which rows go on."""
        if not np.count_nonzero(good):
            return ~good
        self._bend(good, x - self.x, self.g - g)
        column = good[:, None]
        self.x, self.g, self.value = (
            np.where(column, x, self.x),
            np.where(column, g, self.g),
            np.where(good, value, self.value),
        )
        going: Flags = self._aim(good, self.least) & (gain >= self.tolerance) | ~good
        return going

    def _aim(self, which: Flags, least: float) -> Flags:
        """New steps H g on the free variables for some rows, limited to half the cube; whether they promise a gain.

        least: what the tangent has to promise at least.
        """
        g, x = self.g, self.x
        free = None
        if np.count_nonzero(x * (1.0 - x)) < x.size:
            free = ((x > 0.0) | (g > 0.0)) & ((x < 1.0) | (g < 0.0))
            g = g * free
        if self.walls is not None:
            g = self.walls.along(x, g)
        p = np.vecdot(self.H, g[:, None, :])
        if free is not None:
            p *= free
        if self.walls is not None:
            p = self.walls.along(x, p)
        rise = np.vecdot(p, g)
        falls = rise <= 0.0
        if self.young or np.count_nonzero(falls):
            first = (self.counts[2] > 0.0) | falls
            size = np.abs(g).max(axis=1, keepdims=True)
            p = np.where(first[:, None], g * (self.options.radius / np.maximum(size, 1e-300)), p)
            rise = np.vecdot(p, g)
        if np.count_nonzero(np.abs(p) > 0.5):
            p *= np.minimum(1.0, 0.5 / np.maximum(np.abs(p).max(axis=1, keepdims=True), 1e-300))
        if self.tried:
            self.counts[0] *= ~which
            self.tried = bool(np.count_nonzero(self.counts[0]))
        self.step = p if np.count_nonzero(which) == len(which) else np.where(which[:, None], p, self.step)
        promises: Flags = rise > least
        return promises

    def _bend(self, good: Flags, s: Array, y: Array) -> None:
        """BFGS update of H for steps s and changes y of the gradient of -score, where the curvature is positive."""
        sy, yy = np.vecdot(s, y), np.vecdot(y, y)
        ok = sy > 1e-10 * np.sqrt(np.vecdot(s, s) * yy) + FLAT
        ok &= good
        count = np.count_nonzero(ok)
        if not count:
            return
        if count < len(ok):
            sy, yy = np.where(ok, sy, 1.0), np.where(ok, yy, 1.0)
            s, y = np.where(ok[:, None], s, 0.0), np.where(ok[:, None], y, 0.0)
        H = self.H
        if self.young:
            first = ((self.counts[2] > 0.0) & ok)[:, None, None]
            np.copyto(H, (sy / yy)[:, None, None] * np.eye(s.shape[1]), where=first)
            self.counts[2] *= ~ok
            self.young = bool(np.count_nonzero(self.counts[2]))
        Hy = np.vecdot(H, y[:, None, :])
        s = s / sy[:, None]
        left = s * (0.5 * (sy + np.vecdot(y, Hy)))[:, None]
        left -= Hy
        change = left[:, :, None] * s[:, None, :]
        H += change
        H += change.transpose(0, 2, 1)

    def _backtrack(self, bad: Flags, gain: Array, rise: Array) -> Flags:
        """Shorter steps; a row that has tried often enough starts again from steepest ascent, once; who goes on."""
        shorter = _shrink(gain, rise)
        self.step = np.where(bad[:, None], self.step * shorter[:, None], self.step)
        self.counts[0] += bad
        self.tried = True
        over = bad & (shorter * rise <= self.least)
        failed = bad & (over | (self.counts[0] >= BACKTRACKS) | (np.abs(self.step).max(axis=1) <= SMALLEST_STEP))
        if not np.count_nonzero(failed):
            return np.ones(len(bad), dtype=bool)
        again = failed & ~over & (self.counts[1:] == 0.0).all(axis=0)
        self.counts[1:] += again
        self.young = self.young or bool(again.any())
        going: Flags = ~failed | (again & self._aim(again, 0.0))
        return going


def _shrink(gain: Array, rise: Array) -> Array:
    """Quadratic interpolation of the step, kept between 0.05 and 0.5; non-finite trials shrink tenfold."""
    fall = rise - gain
    fall[fall == 0.0] = np.nan
    t = 0.5 * rise / fall
    return np.where(np.isfinite(t - gain), np.minimum(np.maximum(t, 0.05), 0.5), 0.1)
