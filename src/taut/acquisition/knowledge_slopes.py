"""The gradient of a Knowledge Gradient in x, by reverse mode: maximisers are held fixed (envelope theorem).

The value is sum of weight_a a + weight_b b over the selected inner points. Its derivatives by s (the reach, a table
over the inner set) and by mean and variance at the candidate itself are scattered and summed first, over scenarios,
views and draws, and pulled back to x once per function with two matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from taut.acquisition.feasibility import Truncated, log_probability_slopes
from taut.acquisition.knowledge import Candidates, LookAhead
from taut.acquisition.knowledge_draw import Draw, Selection, take_row
from taut.arrays import Array, Flags, Ints
from taut.surrogate.gp import VARIANCE_FLOOR


class Adjoint:
    """Collects d value/d(mean, variance) of every function at all candidates, and the groups' d value/d s."""

    def __init__(self, ahead: LookAhead, at: Candidates) -> None:
        self.ahead, self.at = ahead, at
        q, J, functions = len(at.x), ahead.draws, len(ahead.processes)
        self.mean = np.zeros((functions, J, q))
        self.var = np.zeros((functions, q))
        self.others = np.zeros((J, q))  # weight of log PF at the candidate, the same for every constraint outside S
        self.member = np.zeros((functions, q), dtype=bool)
        self.groups: list[Group] = []

    def group(self, S: tuple[int, ...], rows: Ints, part: Candidates) -> Group:
        """Start a group: rows of the candidates whose set is S."""
        width = len(self.ahead.points) + 1
        self.groups.append(Group(self, S, rows, part, {k: np.zeros((len(rows), width)) for k in S}))
        for k in S:
            self.member[k, rows] = True
        return self.groups[-1]

    def gradient(self) -> Array:
        """Everything pulled back to x; [q, d]. The groups are let go: with them this would be a ring, kept for long."""
        total = np.zeros_like(self.at.x)
        while self.groups:
            self.groups.pop(0).pull_back(total)
        if self.others.any():
            self._add_others()
        for k in [0, *self.ahead.doubtful]:
            if self.var[k].any() or self.mean[k].any():
                total += self.at.trace(k).gradient(self.mean[k], self.var[k])
        return total

    def _add_others(self) -> None:
        """Constraints outside a row's set enter through log PF at the candidate itself."""
        for k in self.ahead.doubtful:
            weight = np.where(self.member[k], 0.0, self.others)
            table = self.at.table(k)
            sd = np.sqrt(table.var)
            _, by_mean, by_sd = log_probability_slopes(self.ahead.bounds[k - 1], table.mean, sd)
            self.mean[k] += weight * by_mean
            self.var[k] += (weight * by_sd).sum(axis=0) * (0.5 / sd)


@dataclass
class Group:
    """Rows of the candidates with one set S; s[k]: d value/d s_k, [p, N + 1]."""

    whole: Adjoint
    S: tuple[int, ...]
    rows: Ints
    at: Candidates
    s: dict[int, Array] = field(default_factory=dict)

    def add(self, draw: Draw, selection: Selection, rows: Flags) -> None:
        """Scatter the weights of selected points onto s (table) and onto mean and variance (the candidate itself).

        rows: the candidates for which this view counts.
        """
        if not rows.all():
            selection = replace(selection, W=selection.W * rows[:, None, None])
        index = selection.index
        per_log = take_row(draw.excess, index) * selection.weight_a
        if 0 in self.S:
            per_log += take_row(self.at.reach(0).s, index) * selection.weight_b
            self.s[0] += self._scatter(index, selection.W * selection.weight_b)
        per_log *= selection.W
        mine = index == len(self.whole.ahead.points)
        own = np.where(mine, selection.W * selection.weight_a, 0.0)
        self.whole.mean[0, draw.j, self.rows] += own.sum(axis=(1, 2))
        for column, k in enumerate(draw.constraints):
            by_z = self._add_updated(draw, index, per_log, mine, (column, k))
            if draw.events:
                self._add_event(draw.j, k, draw.events[column], per_log.sum(axis=(1, 2)), by_z)
        self.whole.others[draw.j, self.rows] += np.where(mine, per_log, 0.0).sum(axis=(1, 2))

    def _add_updated(self, draw: Draw, index: Ints, per_log: Array, mine: Flags, which: tuple[int, int]) -> Array:
        """Adjoints of one updated constraint; returns that of its scores z, [p]."""
        column, k = which
        mean, s, var = (take_row(part, index) for part in self.at.moments(k, draw.j))
        z, known = draw.z[:, :, column, None], (1.0 - draw.spread)[:, None]
        floor = VARIANCE_FLOOR * self.whole.ahead.processes[k].amplitude
        var = var - s * s * known
        sd = np.sqrt(np.maximum(var, floor))
        _, by_mean, by_sd = log_probability_slopes(self.whole.ahead.bounds[k - 1], mean + s * z, sd)
        by_var = np.where(var > floor, 0.5 * by_sd / sd, 0.0)
        by_mean *= per_log
        by_var *= per_log
        self.s[k] += self._scatter(index, by_mean * z - 2.0 * s * known * by_var)
        if mine.any():
            self.whole.mean[k, draw.j, self.rows] += np.where(mine, by_mean, 0.0).sum(axis=(1, 2))
            self.whole.var[k, self.rows] += np.where(mine, by_var, 0.0).sum(axis=(1, 2))
        total: Array = np.einsum("qcm,qcm->q", by_mean, s)
        return total

    def _add_event(self, j: int, k: int, event: Truncated, value: Array, by_z: Array) -> None:
        """The event's mean score and probability move with the candidate's own mean and reach."""
        self.whole.mean[k, j, self.rows] += value * event.p_by_mean + by_z * event.z_by_mean
        self.s[k][:, -1] += value * event.p_by_s + by_z * event.z_by_s

    def _scatter(self, index: Ints, weight: Array) -> Array:
        q, width = len(index), len(self.whole.ahead.points) + 1
        flat = (index + (np.arange(q) * width)[:, None, None]).ravel()
        return cast(Array, np.bincount(flat, weights=weight.ravel(), minlength=q * width)).reshape(q, width)

    def pull_back(self, total: Array) -> None:
        """Chain rule through s = cov/sqrt(v + r): g_cov = g_s/root, and g_v from the root and from s(x, x) = v/root."""
        for k in self.S:
            reach, g = self.at.reach(k), self.s[k]
            self.whole.var[k, self.rows] += (
                g[:, -1] / reach.root - 0.5 * np.einsum("qn,qn->q", g, reach.s) / reach.root**2
            )
            assert reach.slope is not None
            g_cov = g[:, :-1] / reach.root[:, None]
            total[self.rows] += self.at.trace(k).cross_gradient(self.whole.ahead.tables[k], reach.slope, g_cov)
