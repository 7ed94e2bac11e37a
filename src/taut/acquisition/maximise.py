"""Batched projected BFGS: many independent ascents in the unit cube, one score call per step for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.arrays import Array, Ints

# score(x [p, d], rows [p]) -> value [p], gradient [p, d]; rows says which ascents the points belong to.
Score = Callable[[Array, Ints], tuple[Array, Array]]

SUFFICIENT = 1e-4
SMALLEST_STEP = 1e-10
BACKTRACKS = 7


@dataclass(frozen=True)
class AscentOptions:
    """iterations: at most so many steps; tolerance: a smaller gain ends the ascent (scores are logarithms).

    radius: length of a first step without curvature information; calls: at most so many scores of each row;
    behind: after `patience` calls, rows that far below the best one are given up; `shrink` times that at every call.
    """

    iterations: int = 40
    tolerance: float = 1e-7
    radius: float = 0.1
    calls: int = 10_000
    behind: float = np.inf
    patience: int = 0
    shrink: float = 1.0


@dataclass(frozen=True)
class Ascent:
    """Where each ascent ended: x [q, d], value [q]; `failed` counts starts with a non-finite score."""

    x: Array
    value: Array
    failed: int


def ascend(score: Score, x0: Array, options: AscentOptions, metric: Array | None = None) -> Ascent:
    """Maximise from every row of x0 [q, d]. metric: [d, d] or [q, d, d], a guess of the inverse Hessian of -score.

    Quasi-Newton directions on the variables that are not held at a bound, clipped steps, Armijo backtracking by
    quadratic interpolation; a row whose line search fails restarts once from steepest ascent and then stops.
    Rows do not wait for each other: every call of the score holds one trial of each ascent that is still going.
    """
    state = _State(score, np.clip(x0, 0.0, 1.0), metric, options)
    for call in range(options.calls if options.iterations else 0):
        if call >= options.patience and np.isfinite(options.behind):
            state.drop(options.behind * options.shrink ** (call - options.patience))
        if not state.active.any():
            break
        state.advance()
    return Ascent(state.x, state.value, int((~np.isfinite(state.value)).sum()))


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
    """Ascents under way: x [q, d] with value and gradient, H [q, d, d], direction p and step t of the line search."""

    def __init__(self, score: Score, x: Array, metric: Array | None, options: AscentOptions) -> None:
        self.score, self.options = score, options
        q, d = x.shape
        self.x = x.copy()
        self.value, self.gradient = score(self.x, np.arange(q))
        self.active = np.isfinite(self.value) & np.isfinite(self.gradient).all(axis=1)
        self.fresh = np.full(q, metric is None)
        self.steps, self.trials, self.resets = (np.zeros(q, dtype=int) for _ in range(3))
        self.t, self.p = np.ones(q), np.zeros((q, d))
        self.H = np.zeros((q, d, d))
        self.H[:] = np.eye(d) if metric is None else metric
        self._aim(np.flatnonzero(self.active))

    def drop(self, behind: float) -> None:
        """Give up rows too far below the best one."""
        best = np.max(self.value, where=np.isfinite(self.value), initial=-np.inf)
        self.active &= self.value >= best - behind

    def advance(self) -> None:
        """One trial of every active row; accepted ones take their step and aim anew."""
        rows = np.flatnonzero(self.active)
        here, t = self.x[rows], self.t[rows]
        trial = np.clip(here + t[:, None] * self.p[rows], 0.0, 1.0)
        value, gradient = self.score(trial, rows)
        rise = np.einsum("qi,qi->q", trial - here, self.gradient[rows])
        gain = value - self.value[rows]
        good = np.isfinite(value) & (gain >= SUFFICIENT * rise) & (gain > 0.0) & np.isfinite(gradient).all(axis=1)
        self._accept(rows[good], trial[good], value[good], gradient[good])
        self._backtrack(rows[~good], gain[~good], rise[~good])

    def _aim(self, rows: Ints) -> None:
        """Direction H g on the free variables, limited to half the cube; rows without a rising one stop."""
        if not len(rows):
            return
        x, g = self.x[rows], self.gradient[rows]
        free = ~(((x <= 0.0) & (g < 0.0)) | ((x >= 1.0) & (g > 0.0)))
        g = np.where(free, g, 0.0)
        p = np.einsum("qij,qj->qi", self.H[rows], g) * free
        first = self.fresh[rows] | (np.einsum("qi,qi->q", p, g) <= 0.0)
        size = np.abs(g).max(axis=1, keepdims=True)
        p = np.where(first[:, None], g * (self.options.radius / np.maximum(size, 1e-300)), p)
        longest = np.abs(p).max(axis=1, keepdims=True)
        p = p * np.minimum(1.0, 0.5 / np.maximum(longest, 1e-300))
        self.p[rows], self.t[rows], self.trials[rows] = p, 1.0, 0
        self.active[rows] = np.einsum("qi,qi->q", p, g) > 0.0

    def _accept(self, rows: Ints, x: Array, value: Array, gradient: Array) -> None:
        """BFGS update of H for -score, skipped where the curvature is not positive; converged rows stop."""
        if not len(rows):
            return
        s, y = x - self.x[rows], self.gradient[rows] - gradient
        gain = value - self.value[rows]
        self.x[rows], self.value[rows], self.gradient[rows] = x, value, gradient
        self.steps[rows] += 1
        self._bend(rows, s, y)
        done = (gain < self.options.tolerance) | (self.steps[rows] >= self.options.iterations)
        self.active[rows[done]] = False
        self._aim(rows[~done])

    def _bend(self, rows: Ints, s: Array, y: Array) -> None:
        """H for steps s and changes y of the gradient of -score."""
        sy = np.einsum("qi,qi->q", s, y)
        yy = np.einsum("qi,qi->q", y, y)
        ok = (sy > 1e-10 * np.sqrt(np.einsum("qi,qi->q", s, s) * yy)) & (yy > 0.0)
        r, s, y, sy, yy = rows[ok], s[ok], y[ok], sy[ok], yy[ok]
        if not len(r):
            return
        scale = sy / yy
        H = np.where(self.fresh[r][:, None, None], scale[:, None, None] * np.eye(s.shape[1]), self.H[r])
        self.fresh[r] = False
        Hy = np.einsum("qij,qj->qi", H, y)
        coefficient = (1.0 + np.einsum("qi,qi->q", y, Hy) / sy) / sy
        cross = np.einsum("qi,qj->qij", Hy, s)
        H = H + coefficient[:, None, None] * np.einsum("qi,qj->qij", s, s)
        self.H[r] = H - (cross + cross.transpose(0, 2, 1)) / sy[:, None, None]

    def _backtrack(self, rows: Ints, gain: Array, rise: Array) -> None:
        """Shorter steps; a row that has tried often enough starts again from steepest ascent, once."""
        if not len(rows):
            return
        self.t[rows] *= _shrink(gain, rise)
        self.trials[rows] += 1
        longest = self.t[rows] * np.abs(self.p[rows]).max(axis=1)
        failed = rows[(self.trials[rows] >= BACKTRACKS) | (longest <= SMALLEST_STEP)]
        again = failed[~self.fresh[failed] & (self.resets[failed] == 0)]
        self.active[failed] = False
        self.fresh[again] = True
        self.resets[again] += 1
        self.active[again] = True
        self._aim(again)


def _shrink(gain: Array, rise: Array) -> Array:
    """Quadratic interpolation of the step, kept between 0.05 and 0.5; non-finite trials shrink tenfold."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        t = 0.5 * rise / (rise - gain)
    return np.where(np.isfinite(gain) & np.isfinite(t), np.clip(t, 0.05, 0.5), 0.1)
