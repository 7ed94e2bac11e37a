"""Continuous inner maximisation for a few finalists: ascend G+ from the winning inner points of each scenario.

During the search all sources share one finite inner set; before they are compared, the points where the recommendation
would really move to are added for each of them, otherwise sources are compared at different tightness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.feasibility import log_probability_slopes
from taut.acquisition.knowledge import Candidates, LookAhead
from taut.acquisition.maximise import AscentOptions, ascend
from taut.acquisition.value import Anchor
from taut.arrays import Array, Ints
from taut.surrogate.gp import VARIANCE_FLOOR, Table, Trace


@dataclass(frozen=True)
class _Rows:
    """One ascent per row: start [p, d], draw j [p], constraint scores z [p, m], objective outcome t [p]."""

    start: Array
    j: Ints
    z: Array
    t: Array


def moved_maxima(ahead: LookAhead, S: tuple[int, ...], x: Array, anchor: Anchor, limit: int = 24) -> Array:
    """Local maximisers x' of G+(x') after observing S at x [1, d], one per important scenario; [p, d]."""
    at = ahead.candidates(x)
    rows = _important(ahead, S, at, limit)
    if not len(rows.start):
        return np.empty((0, x.shape[1]))
    tables = tuple(gp.at(x) for gp in ahead.processes)
    score = _Future(ahead, S, tables, rows)
    near = np.einsum("pi,ij,pj->p", rows.start - anchor.x, np.linalg.inv(anchor.metric), rows.start - anchor.x) < 25.0
    metric = np.where(near[:, None, None], anchor.metric, 0.01 * np.eye(x.shape[1]))
    return ascend(score, rows.start, AscentOptions(iterations=10, tolerance=1e-6), metric).x


def _important(ahead: LookAhead, S: tuple[int, ...], at: Candidates, limit: int) -> _Rows:
    """Winning points by weight times excess, the baseline left out, at most `limit`."""
    starts, draws, scores, outcomes, sizes = [], [], [], [], []
    points = np.vstack([ahead.points, at.x])
    for draw in (view for j in range(ahead.draws) for view in ahead.views(S, at, j)):
        chosen = draw.select(1)
        index, a, b, W = (part[0, :, :-1] for part in (chosen.index, chosen.weight_a, chosen.weight_b, chosen.W))
        size = a * W * draw.excess[0, index]
        for c, m in zip(*np.nonzero(size > 0.0), strict=True):
            starts.append(points[index[c, m]])
            draws.append(draw.j)
            scores.append(draw.z[0, c])
            outcomes.append(b[c, m] / a[c, m])
            sizes.append(size[c, m])
    keep = np.argsort(-np.array(sizes), kind="stable")[:limit]
    d = at.x.shape[1]
    return _Rows(
        np.array(starts).reshape(-1, d)[keep],
        np.array(draws, dtype=np.intp)[keep],
        np.array(scores).reshape(len(sizes), sum(k > 0 for k in S))[keep],
        np.array(outcomes)[keep],
    )


class _Future:
    """Score of the ascents: log[(mu_0 + s_0 t - M) prod PF_k+] at x', with gradient."""

    def __init__(self, ahead: LookAhead, S: tuple[int, ...], tables: tuple[Table, ...], rows: _Rows) -> None:
        self.ahead, self.S, self.tables, self.rows = ahead, S, tables, rows
        self.columns = {k: i for i, k in enumerate(k for k in S if k > 0)}

    def __call__(self, x: Array, rows: Ints) -> tuple[Array, Array]:
        j, z, t = self.rows.j[rows], self.rows.z[rows], self.rows.t[rows]
        value, gradient = self._objective(x, j, t)
        for k in range(1, len(self.ahead.processes)):
            column = self.columns.get(k)
            more, slope = self._constraint(k, x, j, None if column is None else z[:, column])
            value, gradient = value + more, gradient + slope
        return value, gradient

    def _objective(self, x: Array, j: Ints, t: Array) -> tuple[Array, Array]:
        gp = self.ahead.processes[0]
        trace = gp.trace(x)
        excess = trace.table.mean[j, np.arange(len(x))] - self.ahead.M
        cross, slope, root = self._cross(0, trace) if 0 in self.S else (None, None, 1.0)
        if cross is not None:
            excess = excess + cross * t / root
        floor = 1e-9 * gp.scale
        ratio = np.where(excess > floor, 1.0 / np.maximum(excess, floor), 0.0)
        gradient = trace.gradient(self._spread(j, ratio), None)
        if slope is not None:
            gradient = gradient + trace.cross_gradient(self.tables[0], slope, (ratio * t / root)[:, None])
        return np.log(np.maximum(excess, floor)), gradient

    def _constraint(self, k: int, x: Array, j: Ints, z: Array | None) -> tuple[Array, Array]:
        gp, bounds = self.ahead.processes[k], self.ahead.bounds[k - 1]
        trace = gp.trace(x)
        mean, var = trace.table.mean[j, np.arange(len(x))], trace.table.var
        if z is None:
            sd = np.sqrt(var)
            value, by_mean, by_sd = log_probability_slopes(bounds, mean, sd)
            return value, trace.gradient(self._spread(j, by_mean), 0.5 * by_sd / sd)
        cross, slope, root = self._cross(k, trace)
        s = cross / root
        sd = np.sqrt(np.maximum(var - s * s, VARIANCE_FLOOR * gp.amplitude))
        value, by_mean, by_sd = log_probability_slopes(bounds, mean + s * z, sd)
        by_var = 0.5 * by_sd / sd
        g_cov = (by_mean * z - 2.0 * s * by_var) / root
        gradient = trace.gradient(self._spread(j, by_mean), by_var)
        return value, gradient + trace.cross_gradient(self.tables[k], slope, g_cov[:, None])

    def _cross(self, k: int, trace: Trace) -> tuple[Array, Array, float]:
        """cov_k(x', x) [p], its slope [p, 1] and sqrt(v_k(x) + r_k)."""
        cov, slope = trace.cross(self.tables[k])
        return cov[:, 0], slope, float(np.sqrt(self.tables[k].var[0] + self.ahead.processes[k].noise))

    def _spread(self, j: Ints, weight: Array) -> Array:
        """Weights [p] placed in their draws' rows; [J, p]."""
        out = np.zeros((self.ahead.draws, len(weight)))
        out[j, np.arange(len(weight))] = weight
        return out
