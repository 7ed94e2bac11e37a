"""Batched projected BFGS: many independent ascents in the unit cube, one score call per step for all of them."""

from __future__ import annotations

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

    radius: length of a first step without curvature information.
    """

    iterations: int = 40
    tolerance: float = 1e-7
    radius: float = 0.1


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
    """
    state = _State(score, np.clip(x0, 0.0, 1.0), metric, options)
    for _ in range(options.iterations):
        if not state.active.any():
            break
        state.step()
    return Ascent(state.x, state.value, int((~np.isfinite(state.value)).sum()))


class _State:
    def __init__(self, score: Score, x: Array, metric: Array | None, options: AscentOptions) -> None:
        self.score, self.options = score, options
        q, d = x.shape
        self.x = x.copy()
        self.value, self.gradient = score(self.x, np.arange(q))
        self.active = np.isfinite(self.value) & np.isfinite(self.gradient).all(axis=1)
        self.fresh = np.full(q, metric is None)
        self.resets = np.zeros(q, dtype=int)
        self.H = np.zeros((q, d, d))
        self.H[:] = np.eye(d) if metric is None else metric

    def step(self) -> None:
        rows = np.flatnonzero(self.active)
        direction, slope = self._direction(rows)
        moved, x, value, gradient = self._search(rows, direction, slope)
        self._update(rows[moved], x[moved], value[moved], gradient[moved])
        self._give_up(rows[~moved])

    def _direction(self, rows: Ints) -> tuple[Array, Array]:
        """H g on the free variables, limited to half the cube; and its slope g.p."""
        x, g = self.x[rows], self.gradient[rows]
        free = ~(((x <= 0.0) & (g < 0.0)) | ((x >= 1.0) & (g > 0.0)))
        g = np.where(free, g, 0.0)
        p = np.einsum("qij,qj->qi", self.H[rows], g) * free
        bad = np.einsum("qi,qi->q", p, g) <= 0.0
        first = self.fresh[rows] | bad
        size = np.abs(g).max(axis=1, keepdims=True)
        p = np.where(first[:, None], g * (self.options.radius / np.maximum(size, 1e-300)), p)
        longest = np.abs(p).max(axis=1, keepdims=True)
        p = p * np.minimum(1.0, 0.5 / np.maximum(longest, 1e-300))
        return p, np.einsum("qi,qi->q", p, g)

    def _search(self, rows: Ints, p: Array, slope: Array) -> tuple[Flags, Array, Array, Array]:
        """Backtracking for all rows together; returns which moved and where to."""
        q = len(rows)
        t = np.ones(q)
        x, value, gradient = self.x[rows].copy(), self.value[rows].copy(), self.gradient[rows].copy()
        moved = np.zeros(q, dtype=bool)
        open_ = np.flatnonzero(slope > 0.0)
        for _ in range(BACKTRACKS):
            if not len(open_):
                break
            trial = np.clip(self.x[rows[open_]] + t[open_, None] * p[open_], 0.0, 1.0)
            v, g = self.score(trial, rows[open_])
            rise = np.einsum("qi,qi->q", trial - self.x[rows[open_]], self.gradient[rows[open_]])
            gain = v - self.value[rows[open_]]
            good = np.isfinite(v) & (gain >= SUFFICIENT * rise) & (gain > 0.0) & np.isfinite(g).all(axis=1)
            done = open_[good]
            x[done], value[done], gradient[done], moved[done] = trial[good], v[good], g[good], True
            shrink = _shrink(gain[~good], rise[~good])
            open_ = open_[~good]
            t[open_] *= shrink
            open_ = open_[t[open_] * np.abs(p[open_]).max(axis=1) > SMALLEST_STEP]
        return moved, x, value, gradient

    def _update(self, rows: Ints, x: Array, value: Array, gradient: Array) -> None:
        """BFGS update of H for -score, skipped where the curvature is not positive; converged rows stop."""
        s, y = x - self.x[rows], self.gradient[rows] - gradient
        sy = np.einsum("qi,qi->q", s, y)
        yy = np.einsum("qi,qi->q", y, y)
        ok = (sy > 1e-10 * np.sqrt(np.einsum("qi,qi->q", s, s) * yy)) & (yy > 0.0)
        gain = value - self.value[rows]
        self.x[rows], self.value[rows], self.gradient[rows] = x, value, gradient
        self.active[rows[gain < self.options.tolerance]] = False
        r, s, y, sy, yy = rows[ok], s[ok], y[ok], sy[ok], yy[ok]
        if not len(r):
            return
        scale = sy / yy
        H = np.where(self.fresh[r][:, None, None], scale[:, None, None] * np.eye(x.shape[1]), self.H[r])
        self.fresh[r] = False
        Hy = np.einsum("qij,qj->qi", H, y)
        coefficient = (1.0 + np.einsum("qi,qi->q", y, Hy) / sy) / sy
        cross = np.einsum("qi,qj->qij", Hy, s)
        H = H + coefficient[:, None, None] * np.einsum("qi,qj->qij", s, s)
        self.H[r] = H - (cross + cross.transpose(0, 2, 1)) / sy[:, None, None]

    def _give_up(self, rows: Ints) -> None:
        stuck = self.fresh[rows] | (self.resets[rows] > 0)
        self.active[rows[stuck]] = False
        again = rows[~stuck]
        self.fresh[again] = True
        self.resets[again] += 1


def _shrink(gain: Array, rise: Array) -> Array:
    """Quadratic interpolation of the step, kept between 0.05 and 0.5; non-finite trials shrink tenfold."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        t = 0.5 * rise / (rise - gain)
    return np.where(np.isfinite(gain) & np.isfinite(t), np.clip(t, 0.05, 0.5), 0.1)
