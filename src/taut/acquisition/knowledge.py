"""Knowledge Gradient of any set S of functions evaluated together at x: one implementation for all cases.

    KG^S(x) = E[ max_{x' in A} G+(x') - G+(x_r) ],   G+(x') = M + (mu_0+(x') - M) prod_k PF_k+(x')

| symbol | meaning | shape |
| --- | --- | --- |
| A | inner set; the candidate itself is added as its last point | [N, d], N + 1 with it |
| s_k | cov_k(x', x)/sqrt(v_k(x) + r_k), the reach of an observation | [q, N + 1] |
| mu_k+, v_k+ | mu_k + s_k Z, v_k - s_k^2 for k in S, unchanged for the others | [q, C, N + 1] |
| z, w | constraint scenarios and their weights (scenarios.py) | [C, m], [C] |
| W | product of all (updated) feasibilities | [q, C, N + 1] |
| a, b | (mu_0 - M) W and s_0 W: G+ - M = a + b T is a straight line in the objective's outcome T | [q, C, N + 1] |
| J | draws of the outcomes of evaluations under way; means carry that axis | |

dcKG^k is S = {k}, cKG is S = all, a group is its members. If the objective is in S its outcome is integrated exactly
along the upper envelope of the lines (Student-t with the objective's degrees of freedom). The envelope is found by
looking up the best line at increasing values of T: neighbours meet between their look-up points, so the lines found
form an exact envelope of themselves. The baseline is subtracted scenario by scenario, which keeps every value >= 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from taut.acquisition.feasibility import (
    Bounds,
    Truncated,
    log_probability,
    log_probability_slopes,
    probability,
    truncated,
)
from taut.acquisition.normal import partial_expectation, student_cdf
from taut.acquisition.scenarios import Rule, Scenarios, constraint_scenarios, envelope_points, quantile_nodes
from taut.arrays import Array, Flags, Ints
from taut.surrogate.gp import GP, VARIANCE_FLOOR, Table, Trace

# The scores of a constraint: in a set of its own, among several, or given that all of a set hold at the candidate.
View = Literal["alone", "scenarios", "together"]


@dataclass(frozen=True)
class Reach:
    """How far observing one function at each candidate moves the inner set: s [q, N + 1] and its ingredients."""

    s: Array
    slope: Array
    root: Array


@dataclass(frozen=True)
class Selection:
    """The inner points that win: index [q, C, m], weights of a and of b there, and W, per draw."""

    index: Ints
    weight_a: Array
    weight_b: Array
    W: Array


class Candidates:
    """Posterior of every function at candidate points x [q, d], computed once and shared by all sets S."""

    def __init__(self, ahead: LookAhead, x: Array) -> None:
        self.x = x
        self.ahead = ahead
        self.traces: tuple[Trace, ...] = tuple(gp.trace(x) for gp in ahead.processes)
        self._reach: dict[int, Reach] = {}
        self._moments: dict[tuple[int, int], tuple[Array, Array, Array]] = {}
        self._updated: dict[tuple[int, int, View], Array] = {}
        self.log_pf = [
            log_probability(bounds, trace.table.mean, np.sqrt(trace.table.var))
            for bounds, trace in zip(ahead.bounds, self.traces[1:], strict=True)
        ]

    def reach(self, k: int) -> Reach:
        """s_k(A and x, x) for function k."""
        if k not in self._reach:
            trace, gp = self.traces[k], self.ahead.processes[k]
            cov, slope = trace.cross(self.ahead.tables[k])
            root = np.sqrt(trace.table.var + gp.noise)
            s = np.hstack([cov, trace.table.var[:, None]]) / root[:, None]
            self._reach[k] = Reach(s, slope, root)
        return self._reach[k]

    def moments(self, k: int, j: int) -> tuple[Array, Array, Array]:
        """mu_k, s_k and sqrt(v_k+) on A and at x under draw j, each [q, N + 1]."""
        if (k, j) not in self._moments:
            table, own, s = self.ahead.tables[k], self.traces[k].table, self.reach(k).s
            var = joined(table.var, own.var) - s * s
            floor = VARIANCE_FLOOR * self.ahead.processes[k].amplitude
            self._moments[k, j] = joined(table.mean[j], own.mean[j]), s, np.sqrt(np.maximum(var, floor))
        return self._moments[k, j]

    def updated(self, k: int, j: int, view: View, z: Array) -> Array:
        """PF_k+ for scores z [1 or q, C]; [q, C, N + 1]. Sets share the scores of k in a view, so it is kept."""
        if (k, j, view) not in self._updated:
            mean, s, sd = self.moments(k, j)
            moved = mean[:, None, :] + s[:, None, :] * z[:, :, None]
            self._updated[k, j, view] = probability(self.ahead.bounds[k - 1], moved, sd[:, None, :])
        return self._updated[k, j, view]


class LookAhead:
    """Everything a decision needs to value an observation; built once per decision.

    processes: one GP per function with J columns of means; points: the inner set A [N, d].
    """

    def __init__(
        self, processes: tuple[GP, ...], bounds: tuple[Bounds, ...], M: float, points: Array, rule: Rule, seed: int
    ) -> None:
        self.processes, self.bounds, self.M = processes, bounds, M
        self.points, self.rule, self.seed = points, rule, seed
        self.tables: tuple[Table, ...] = tuple(gp.at(points) for gp in processes)
        self.draws = self.tables[0].mean.shape[0]
        self.log_pf = [
            log_probability(b, table.mean, np.sqrt(table.var)) for b, table in zip(bounds, self.tables[1:], strict=True)
        ]
        total = np.sum(self.log_pf, axis=0) if self.log_pf else np.zeros_like(self.tables[0].mean)
        self.base: Ints = np.argmax((self.tables[0].mean - M) * np.exp(total), axis=1)
        self.nu = processes[0].hyper.nu
        self._vectors = constraint_scenarios(max(len(bounds), 2), rule, seed)

    def extended(self, extra: Array, rule: Rule) -> LookAhead:
        """The same look-ahead on a larger inner set, with its own rule for scenarios."""
        points = np.vstack([self.points, extra])
        return LookAhead(self.processes, self.bounds, self.M, points, rule, self.seed)

    def candidates(self, x: Array) -> Candidates:
        """Posteriors at x [q, d], to be shared between sets."""
        return Candidates(self, x)

    def scenarios(self, constraints: list[int]) -> Scenarios:
        """Constraint scenarios of a set; every function keeps its own column in every set (common random numbers)."""
        if len(constraints) < 2:
            return constraint_scenarios(len(constraints), self.rule, self.seed)
        columns = [k - 1 for k in constraints]
        return Scenarios(self._vectors.z[:, columns], self._vectors.weight)

    def value(self, S: tuple[int, ...], at: Candidates, refine: int = 1) -> Array:
        """KG^S at the candidates; [q]. `refine` splits the look-up points of the envelope."""
        total: Array = np.zeros(len(at.x))
        for j in range(self.draws):
            values = [draw.total(draw.select(refine)) for draw in self.views(S, at, j)]
            total = total + np.max(values, axis=0) / self.draws
        return total

    def views(self, S: tuple[int, ...], at: Candidates, j: int) -> list[Draw]:
        """The scenario sets under which S is valued; the larger value counts.

        A few vectors of several constraints easily miss the one event that gives a far point its value: that all of
        them hold there. So besides the vectors there is that event itself, by its mean and its probability.
        """
        views = [Draw(self, S, at, j)]
        if len(views[0].constraints) > 1 and self.rule.exact:
            views.append(Draw(self, S, at, j, "together"))
        return views

    def value_slopes(self, S: tuple[int, ...], at: Candidates) -> tuple[Array, Array]:
        """KG^S [q] and its gradient in x [q, d]; maximisers held fixed (envelope theorem)."""
        adjoint = _Adjoint(self, S, at)
        total = np.zeros(len(at.x))
        for j in range(self.draws):
            views = self.views(S, at, j)
            chosen = [draw.select(1) for draw in views]
            values = np.array([draw.total(selection) for draw, selection in zip(views, chosen, strict=True)])
            total += values.max(axis=0)
            for i, (draw, selection) in enumerate(zip(views, chosen, strict=True)):
                adjoint.add(draw, selection, values.argmax(axis=0) == i)
        return total / self.draws, adjoint.gradient() / self.draws


class Draw:
    """One set S under one draw of the pending outcomes: the lines a + b T and their envelope.

    z: [1 or q, C, m], w: [1 or q, C]. View "together": a single scenario, all constraints of S hold at the candidate.
    """

    def __init__(self, ahead: LookAhead, S: tuple[int, ...], at: Candidates, j: int, view: View = "scenarios") -> None:
        self.ahead, self.S, self.at, self.j = ahead, S, at, j
        self.constraints = [k for k in S if k > 0]
        self.view: View = "alone" if len(self.constraints) == 1 else view
        self.events: list[Truncated] = []
        if view == "together":
            self.events = [
                truncated(ahead.bounds[k - 1], at.traces[k].table.mean[j], at.reach(k).s[:, -1])
                for k in self.constraints
            ]
            self.z = np.stack([event.z for event in self.events], axis=1)[:, None, :]
            self.w: Array = np.exp(np.sum([event.log_p for event in self.events], axis=0))[:, None]
        else:
            scenarios = ahead.scenarios(self.constraints)
            self.z, self.w = scenarios.z[None, :, :], scenarios.weight[None, :]
        self.excess = joined(ahead.tables[0].mean[j], at.traces[0].table.mean[j]) - ahead.M
        self.W = self._rest()[:, None, :] * self._updated()

    def _rest(self) -> Array:
        """Product of the feasibilities of constraints outside S; [q, N + 1]."""
        ahead, at = self.ahead, self.at
        others = [k for k in range(len(ahead.bounds)) if k + 1 not in self.S]
        inner, own = np.zeros(len(ahead.points)), np.zeros(len(at.x))
        for k in others:
            inner += ahead.log_pf[k][self.j]
            own += at.log_pf[k][self.j]
        return np.exp(joined(inner, own))

    def _updated(self) -> Array:
        """Product over the constraints in S of PF_k+; [q, C, N + 1]."""
        product: Array = np.ones((1, 1, 1))
        for column, k in enumerate(self.constraints):
            product = product * self.at.updated(k, self.j, self.view, self.z[:, :, column])
        return product

    def select(self, refine: int) -> Selection:
        """Winning inner points of every scenario, with their weights; the baseline is the last entry."""
        a = self.excess[:, None, :] * self.W
        index, weight_a, weight_b = self._best(a) if 0 not in self.S else self._envelope(a, refine)
        q, C, _ = a.shape
        w = np.broadcast_to(self.w[:, :, None], (q, C, 1))
        base = np.full((q, C, 1), self.ahead.base[self.j], dtype=np.intp)
        return Selection(
            np.concatenate([index, base], axis=2),
            np.concatenate([weight_a * w, -w], axis=2),
            np.concatenate([weight_b * w, np.zeros((q, C, 1))], axis=2),
            np.take_along_axis(self.W, np.concatenate([index, base], axis=2), axis=2),
        )

    @staticmethod
    def _best(a: Array) -> tuple[Ints, Array, Array]:
        index = a.argmax(axis=2)[:, :, None]
        return index, np.ones(index.shape), np.zeros(index.shape)

    def _envelope(self, a: Array, refine: int) -> tuple[Ints, Array, Array]:
        """Look up the best line at increasing T; P = probability and E = partial expectation of each line's piece."""
        ahead = self.ahead
        b = self.at.reach(0).s[:, None, :] * self.W
        if ahead.rule.exact:
            nodes = envelope_points(ahead.nu, refine)
        else:
            nodes, weight = quantile_nodes(ahead.rule.quantiles)
        index = np.empty((*a.shape[:2], len(nodes)), dtype=np.intp)
        for m, t in enumerate(nodes):
            index[:, :, m] = (a + t * b).argmax(axis=2)
        if not ahead.rule.exact:
            shape = index.shape
            return index, np.broadcast_to(weight, shape), np.broadcast_to(weight * nodes, shape)
        a, b = np.take_along_axis(a, index, axis=2), np.take_along_axis(b, index, axis=2)
        jump, drop = np.diff(b, axis=2), -np.diff(a, axis=2)
        middle = np.broadcast_to(0.5 * (nodes[1:] + nodes[:-1]), jump.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            meet = np.where(jump > 0.0, drop / jump, middle)
        meet = np.clip(meet, nodes[:-1], nodes[1:])
        edge = np.zeros((*meet.shape[:2], 1))
        P = np.diff(student_cdf(meet, ahead.nu), axis=2, prepend=edge, append=edge + 1.0)
        E = -np.diff(partial_expectation(meet, ahead.nu), axis=2, prepend=edge, append=edge)
        return index, P, E

    def total(self, selection: Selection) -> Array:
        """sum over scenarios and pieces of a P + b E, minus the baseline; [q]."""
        excess = _take(self.excess, selection.index)
        line = excess * selection.weight_a
        if 0 in self.S:
            line = line + _take(self.at.reach(0).s, selection.index) * selection.weight_b
        value: Array = np.einsum("qcm,qcm->q", line, selection.W)
        return np.maximum(value, 0.0)


class _Adjoint:
    """Collects d value/d(s, mean, variance) over draws and pulls it back to x."""

    def __init__(self, ahead: LookAhead, S: tuple[int, ...], at: Candidates) -> None:
        self.ahead, self.S, self.at = ahead, S, at
        q, J = len(at.x), ahead.draws
        self.own = len(ahead.points)
        self.s = {k: np.zeros((q, self.own + 1)) for k in S}
        self.mean = [np.zeros((J, q)) for _ in ahead.processes]
        self.var = [np.zeros(q) for _ in ahead.processes]

    def add(self, draw: Draw, selection: Selection, rows: Flags) -> None:
        """Scatter the weights of selected points onto s (table) and onto mean and variance (the candidate itself)."""
        chosen = replace(selection, W=selection.W * rows[:, None, None])
        excess = _take(draw.excess, chosen.index)
        per_log = excess * chosen.weight_a
        if 0 in self.S:
            per_log = per_log + _take(self.at.reach(0).s, chosen.index) * chosen.weight_b
            self.s[0] += self._scatter(chosen.index, chosen.W * chosen.weight_b)
        per_log = per_log * chosen.W
        mine = chosen.index == self.own
        self.mean[0][draw.j] += np.where(mine, chosen.W * chosen.weight_a, 0.0).sum(axis=(1, 2))
        for column, k in enumerate(draw.constraints):
            by_z = self._add_updated(draw, chosen.index, per_log, mine, (column, k))
            if draw.events:
                self._add_event(draw.j, k, draw.events[column], per_log.sum(axis=(1, 2)), by_z)
        self._add_others(draw.j, np.where(mine, per_log, 0.0).sum(axis=(1, 2)))

    def _add_updated(self, draw: Draw, index: Ints, per_log: Array, mine: Flags, which: tuple[int, int]) -> Array:
        """Adjoints of one updated constraint; returns that of its scores z, [q]."""
        column, k = which
        mean, s, sd = (_take(part, index) for part in self.at.moments(k, draw.j))
        z = draw.z[:, :, column, None]
        _, by_mean, by_sd = log_probability_slopes(self.ahead.bounds[k - 1], mean + s * z, sd)
        floor = VARIANCE_FLOOR * self.ahead.processes[k].amplitude
        by_var = np.where(sd * sd > floor, 0.5 * by_sd / sd, 0.0)
        self.s[k] += self._scatter(index, per_log * (by_mean * z - 2.0 * s * by_var))
        self.mean[k][draw.j] += np.where(mine, per_log * by_mean, 0.0).sum(axis=(1, 2))
        self.var[k] += np.where(mine, per_log * by_var, 0.0).sum(axis=(1, 2))
        total: Array = (per_log * by_mean * s).sum(axis=(1, 2))
        return total

    def _add_event(self, j: int, k: int, event: Truncated, value: Array, by_z: Array) -> None:
        """The event's mean score and probability move with the candidate's own mean and reach."""
        self.mean[k][j] += value * event.p_by_mean + by_z * event.z_by_mean
        self.s[k][:, -1] += value * event.p_by_s + by_z * event.z_by_s

    def _add_others(self, j: int, weight: Array) -> None:
        if not weight.any():
            return
        for k in range(1, len(self.ahead.processes)):
            if k in self.S:
                continue
            table = self.at.traces[k].table
            sd = np.sqrt(table.var)
            _, by_mean, by_sd = log_probability_slopes(self.ahead.bounds[k - 1], table.mean[j], sd)
            self.mean[k][j] += weight * by_mean
            self.var[k] += weight * 0.5 * by_sd / sd

    def _scatter(self, index: Ints, weight: Array) -> Array:
        q, width = len(index), self.own + 1
        flat = (index + (np.arange(q) * width)[:, None, None]).ravel()
        total: Array = np.bincount(flat, weights=weight.ravel(), minlength=q * width).astype(float).reshape(q, width)
        return total

    def gradient(self) -> Array:
        """Chain rule through s = cov/sqrt(v + r): g_cov = g_s/root, and g_v from the root and from s(x, x) = v/root."""
        total = np.zeros_like(self.at.x)
        for k, trace in enumerate(self.at.traces):
            var = self.var[k]
            if k in self.S:
                reach, g = self.at.reach(k), self.s[k]
                var = var + g[:, -1] / reach.root - 0.5 * np.einsum("qn,qn->q", g, reach.s) / reach.root**2
                total += trace.cross_gradient(self.ahead.tables[k], reach.slope, g[:, :-1] / reach.root[:, None])
            if var.any() or self.mean[k].any():
                total += trace.gradient(self.mean[k], var)
        return total


def joined(inner: Array, own: Array) -> Array:
    """Values on A [N] and at each candidate [q] as one array [q, N + 1]."""
    out = np.empty((len(own), len(inner) + 1))
    out[:, :-1], out[:, -1] = inner, own
    return out


def _take(values: Array, index: Ints) -> Array:
    """values [q, n] at index [q, C, m]."""
    q, C, m = index.shape
    return np.take_along_axis(values, index.reshape(q, C * m), axis=1).reshape(q, C, m)
