"""Batched projected BFGS: many independent ascents in the unit cube, one score call per step for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.arrays import Array, Flags, Ints

# score(x [p, d], rows [p]) -> value [p], gradient [p, d]; rows says which ascents the points belong to.
Score = Callable[[Array, Ints], tuple[Array, Array]]

SUFFICIENT = 1e-4
SMALLEST_STEP = 1e-10
BACKTRACKS = 7


@dataclass(frozen=True)
class AscentOptions:
    """iterations: at most so many steps; tolerance: a smaller gain ends the ascent (scores are logarithms).

    radius: length of a first step without curvature information; calls: at most so many scores of each row;
    behind: after `patience` calls, rows that far below the best one are given up; `shrink` times that at every call;
    apart: from then on, rows this close (max-norm) to a better one of the same kind are given up.
    """

    iterations: int = 40
    tolerance: float = 1e-7
    radius: float = 0.1
    calls: int = 10_000
    behind: float = np.inf
    patience: int = 0
    shrink: float = 1.0
    apart: float = 0.0


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
    score: Score, x0: Array, options: AscentOptions, metric: Array | None = None, kinds: Ints | None = None
) -> Ascent:
    """Maximise from every row of x0 [q, d]. metric: [d, d] or [q, d, d], a guess of the inverse Hessian of -score.

    kinds: which rows climb the same score [q]; without it all do.

    Quasi-Newton directions on the variables that are not held at a bound, clipped steps, Armijo backtracking by
    quadratic interpolation; a row whose line search fails restarts once from steepest ascent and then stops.
    Rows do not wait for each other: every call of the score holds one trial of each ascent that is still going.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # slopes of 1e200 next to a wall: such steps are refused
        state = _State(score, np.minimum(np.maximum(x0, 0.0), 1.0), metric, options)
        for call in range(options.calls if options.iterations else 0):
            if call >= options.patience and options.behind < np.inf:
                state.drop(options.behind * options.shrink ** (call - options.patience))
            if call >= options.patience and options.apart:
                state.merge(kinds)
            if not len(state.rows):
                break
            state.advance()
    state.keep(np.zeros(len(state.rows), dtype=bool))
    return Ascent(state.ends, state.heights, state.metrics, int((~np.isfinite(state.heights)).sum()))


def curvature(score: Score, x: Array, step: float = 1e-5) -> Array:
    """Inverse Hessian of -score at each row of x [q, d], from 2 d gradient calls, made positive definite; [q, d, d].

    The squared gradient is added: at a bound the score falls linearly, and 1/|g| is the length that matters there.
    Semi-axes are kept between 1e-7 and 0.5 of the cube.
    """
    q, d = x.shape
    low, high = np.clip(x - step, 0.0, 1.0), np.clip(x + step, 0.0, 1.0)
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

    rows: their numbers; x, g: place and gradient; value; H: metric [p, d, d]; p, t: direction and length of the line
    search; steps, trials, resets: counts; fresh: 1 where H knows no curvature yet. Everything is done for all rows at
    once, with masks. The arrays are small and calls are what costs, so all of these are views of one table, which is
    thinned out in one go, and what the usual case does not need is skipped.
    """

    def __init__(self, score: Score, x: Array, metric: Array | None, options: AscentOptions) -> None:
        self.score, self.options = score, options
        q, d = x.shape
        self.ends = x.copy()
        self.rows: Ints = np.arange(q)
        self.heights, g = score(x, self.rows)
        self.heights = np.array(self.heights)  # a copy: finished rows are written into it
        self.best = float(np.max(self.heights, where=np.isfinite(self.heights), initial=-np.inf))
        self.metrics = np.empty((q, d, d))
        self._name(np.zeros((q, d * d + 3 * d + 6)), d)
        self.x[:], self.value[:], self.g[:] = x, self.heights, g
        self.H[:] = np.eye(d) if metric is None else metric
        self.fresh[:] = metric is None
        self.young = metric is None  # whether any row may be fresh
        sound = np.isfinite(self.heights) & np.isfinite(g.sum(axis=1))
        self.keep(sound & self._aim(sound))

    def _name(self, table: Array, d: int) -> None:
        """Name the columns of the table."""
        self.table, n = table, d * d
        self.H = table[:, :n].reshape(len(table), d, d)
        self.x, self.g, self.p = table[:, n : n + d], table[:, n + d : n + 2 * d], table[:, n + 2 * d : n + 3 * d]
        self.value, self.t, self.fresh, self.steps, self.trials, self.resets = table[:, n + 3 * d :].T

    def keep(self, going: Flags) -> None:
        """Write the others down as finished."""
        if np.count_nonzero(going) == len(going):
            return
        self.ends[self.rows], self.heights[self.rows], self.metrics[self.rows] = self.x, self.value, self.H
        self.rows = self.rows[going]
        self._name(self.table[going], self.x.shape[1])

    def drop(self, behind: float) -> None:
        """Give up rows too far below the best one."""
        self.keep(self.value >= self.best - behind)

    def merge(self, kinds: Ints | None) -> None:
        """Give up rows next to a better one, whether that is still going or not: both would end at the same place."""
        if not len(self.rows):
            return
        self.ends[self.rows], self.heights[self.rows] = self.x, self.value
        close = np.abs(self.x[:, None, :] - self.ends).max(axis=2) < self.options.apart
        if kinds is not None:
            close &= kinds[self.rows][:, None] == kinds
        height = self.value[:, None]
        better = (self.heights > height) | ((self.heights == height) & (np.arange(len(self.ends)) < self.rows[:, None]))
        self.keep(~(close & better).any(axis=1))

    def advance(self) -> None:
        """One trial of every row; accepted ones take their step and aim anew, the others shorten it."""
        trial = self.t[:, None] * self.p
        trial += self.x
        np.minimum(np.maximum(trial, 0.0, out=trial), 1.0, out=trial)
        value, g = self.score(trial, self.rows)
        step = trial - self.x
        rise = np.vecdot(step, self.g)
        gain = value - self.value
        good = gain > np.maximum(SUFFICIENT * rise, 0.0)
        flat = g.ravel()
        if not math.isfinite(float(flat @ flat) + float(gain @ gain)):  # rare, so looked at closely only then
            good &= np.isfinite(value + g.sum(axis=1))
        count = np.count_nonzero(good)
        if count == len(good):
            self.keep(self._accept(good, trial, value, g, step, gain))
            return
        going = self._backtrack(~good, gain, rise)
        if count:
            going &= self._accept(good, trial, value, g, step, gain)
        self.keep(going)

    def _accept(self, good: Flags, x: Array, value: Array, g: Array, step: Array, gain: Array) -> Flags:
        """Move the good rows, bend their metric and aim again; which rows go on."""
        self._bend(good, step, self.g - g)
        column = good[:, None]
        np.copyto(self.x, x, where=column)
        np.copyto(self.g, g, where=column)
        np.copyto(self.value, value, where=good)
        self.best = max(self.best, float(np.maximum.reduce(self.value)))
        self.steps += good
        done = good & ((gain < self.options.tolerance) | (self.steps >= self.options.iterations))
        going: Flags = ~done & (self._aim(good) | ~good)
        return going

    def _aim(self, which: Flags) -> Flags:
        """New directions H g on the free variables, limited to half the cube; whether they rise."""
        g, x = self.g, self.x
        free = None
        if np.count_nonzero(x * (1.0 - x) > 0.0) < x.size:
            free = ((x > 0.0) | (g > 0.0)) & ((x < 1.0) | (g < 0.0))
            g = g * free
        p = np.vecdot(self.H, g[:, None, :])
        if free is not None:
            p *= free
        slope = np.vecdot(p, g)
        falls = slope <= 0.0
        if self.young or np.count_nonzero(falls):
            first = (self.fresh > 0.0) | falls
            size = np.abs(g).max(axis=1, keepdims=True)
            p = np.where(first[:, None], g * (self.options.radius / np.maximum(size, 1e-300)), p)
            slope = np.vecdot(p, g)
        if np.count_nonzero(np.abs(p) > 0.5):
            p *= np.minimum(1.0, 0.5 / np.maximum(np.abs(p).max(axis=1, keepdims=True), 1e-300))
        np.copyto(self.p, p, where=which[:, None])
        np.copyto(self.t, 1.0, where=which)
        np.copyto(self.trials, 0.0, where=which)
        rises: Flags = slope > 0.0
        return rises

    def _bend(self, good: Flags, s: Array, y: Array) -> None:
        """BFGS update of H for steps s and changes y of the gradient of -score, where the curvature is positive."""
        sy, yy = np.vecdot(s, y), np.vecdot(y, y)
        ok = good & (sy > 1e-10 * np.sqrt(np.vecdot(s, s) * yy)) & (yy > 0.0) & (yy < 1e300)
        count = np.count_nonzero(ok)
        if not count:
            return
        if count < len(ok):
            sy, yy = np.where(ok, sy, 1.0), np.where(ok, yy, 1.0)
            s, y = np.where(ok[:, None], s, 0.0), np.where(ok[:, None], y, 0.0)
        H = self.H
        if self.young:
            first = ((self.fresh > 0.0) & ok)[:, None, None]
            np.copyto(H, (sy / yy)[:, None, None] * np.eye(s.shape[1]), where=first)
            self.fresh *= ~ok
            self.young = bool(self.fresh.any())
        Hy = np.vecdot(H, y[:, None, :])
        rate = 1.0 / sy
        left = s * (0.5 * rate * (1.0 + np.vecdot(y, Hy) * rate))[:, None]
        left -= Hy * rate[:, None]
        change = left[:, :, None] * s[:, None, :]
        H += change
        H += change.transpose(0, 2, 1)

    def _backtrack(self, bad: Flags, gain: Array, rise: Array) -> Flags:
        """Shorter steps; a row that has tried often enough starts again from steepest ascent, once; who goes on."""
        np.copyto(self.t, self.t * _shrink(gain, rise), where=bad)
        self.trials += bad
        failed = bad & ((self.trials >= BACKTRACKS) | (self.t * np.abs(self.p).max(axis=1) <= SMALLEST_STEP))
        if not np.count_nonzero(failed):
            return np.ones(len(bad), dtype=bool)
        again = failed & (self.fresh == 0.0) & (self.resets == 0.0)
        self.young = self.young or bool(again.any())
        self.fresh += again
        self.resets += again
        going: Flags = ~failed | (again & self._aim(again))
        return going


def _shrink(gain: Array, rise: Array) -> Array:
    """Quadratic interpolation of the step, kept between 0.05 and 0.5; non-finite trials shrink tenfold."""
    with np.errstate(divide="ignore"):
        t = 0.5 * rise / (rise - gain)
    return np.where(np.isfinite(t - gain), np.minimum(np.maximum(t, 0.05), 0.5), 0.1)
