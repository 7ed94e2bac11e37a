"""The gradient of a Knowledge Gradient in x, by reverse mode: maximisers are held fixed (envelope theorem).

The value is sum of weight_a a + weight_b b over the winning inner points. Its derivatives by s (sigma_tilde on
the inner set) and by mean and variance at the candidate itself are scattered and summed first, over scenarios and
fantasies, and pulled back to x once per function with two matrix products. Where functions have failed, the candidate
enters through their q_k as well: through W, if it wins itself, and through the probability that the news come at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Truncated, log_probability_with_gradient
from taut.acquisition.knowledge import Envelope, LookAhead, ScenarioSet, largest
from taut.acquisition.lookahead import CandidatePosterior, InnerSet, UpdateScale
from taut.base.arrays import Array, Flags, Ints
from taut.surrogate.gp import VARIANCE_FLOOR
from taut.surrogate.posterior import CrossCovariance, Posterior

Groups = Sequence[tuple[tuple[int, ...], Ints]]


def values_with_gradient(ahead: LookAhead, groups: Groups, at: CandidatePosterior) -> tuple[Array, Array]:
    """KG [q] and its gradient in x [q, d] where each group of rows has a set S of its own; posteriors are shared."""
    adjoint = Adjoint(ahead.inner, at, groups)
    total = np.zeros(len(at.x))
    J = ahead.inner.fantasies
    for i, (S, rows) in enumerate(groups):
        group = adjoint.group(i)
        for j in range(J):
            sets = ahead.scenario_sets(S, group.at, j)
            envelopes = [ahead.envelope(S, group.at, j, each) for each in sets]
            values = [each.value() for each in envelopes]
            total[rows] += largest(values)
            if len(sets) == 1:
                group.add(j, sets[0], envelopes[0])
                continue
            best = np.argmax(values, axis=0)
            for which, (scenarios, envelope) in enumerate(zip(sets, envelopes, strict=True)):
                group.add(j, scenarios, envelope.only(best == which))
    gradient = adjoint.gradient()
    if J > 1:
        total, gradient = total / J, gradient / J
    return _if_computed(ahead, adjoint, total, gradient)


def _if_computed(ahead: LookAhead, adjoint: Adjoint, value: Array, gradient: Array) -> tuple[Array, Array]:
    """Value [q] and gradient [q, d] times the probability that each row's set can be computed."""
    successes, at = ahead.inner.successes, adjoint.at
    if successes is None:
        return value, gradient
    member = successes.member(adjoint.groups, len(at.x))
    caution = successes.caution
    q = np.exp(caution * (member * at.log_success).sum(axis=0))
    own = q * adjoint.others.sum(axis=0) / ahead.inner.fantasies
    weight, after = member * (caution * q * value) + (1.0 - member) * own, member * own
    return q * value, q[:, None] * gradient + successes.log_with_gradient(at.x, weight, after)[1]


class Adjoint:
    """Collects d value/d(mean, variance) of every function at all candidates, and d value/d s where it is observed.

    groups: sets S with the rows of the candidates that they are for.
    """

    def __init__(self, inner: InnerSet, at: CandidatePosterior, groups: Groups) -> None:
        self.inner, self.at, self.groups = inner, at, groups
        q, J, functions = len(at.x), inner.fantasies, len(inner.processes)
        self.mean = np.zeros((functions, J, q))
        self.var = np.zeros((functions, q))
        self.others = np.zeros((J, q))  # weight of log PF at the candidate, the same for every constraint outside S
        self.observed = {k: Observed.of(self, k) for k in sorted({k for S, _ in groups for k in S})}

    def group(self, i: int) -> Group:
        """The i-th group, with its part of the candidates and of what is collected."""
        S, rows = self.groups[i]
        if len(self.groups) == 1:
            at = self.at.with_scales({k: self.observed[k].scale for k in S})
            return Group(self, S, slice(None), at, {k: self.observed[k].s for k in S})
        s, scales = {}, {}
        for k in S:
            seen = self.observed[k]
            mine = seen.where[i]
            scales[k] = UpdateScale(seen.scale.s[mine], None, seen.scale.root[mine])
            s[k] = seen.s[mine]
        return Group(self, S, rows, self.at.part(rows, scales), s)

    def gradient(self) -> Array:
        """Everything pulled back to x; [q, d]."""
        total = np.zeros(self.at.x.shape)
        cross = {k: seen.cross(self.var[k]) for k, seen in self.observed.items()}
        if np.count_nonzero(self.others):
            self._add_others()
        for k in [0, *self.inner.uncertain]:
            if k in cross or np.count_nonzero(self.var[k]) or np.count_nonzero(self.mean[k]):
                total += self.at.with_gradient[k].gradient(self.mean[k], self.var[k], cross.get(k))
        return total

    def _add_others(self) -> None:
        """Constraints outside a row's set enter through log PF at the candidate itself."""
        for k in self.inner.uncertain:
            weight = self.others
            if k in self.observed:
                weight = weight.copy()
                weight[:, self.observed[k].rows] = 0.0
            sd = np.sqrt(self.at.var[k])
            _, by_mean, by_sd = log_probability_with_gradient(self.inner.bounds[k - 1], self.at.mean[k], sd)
            self.mean[k] += weight * by_mean
            self.var[k] += (weight * by_sd).sum(axis=0) * (0.5 / sd)


class Observed(NamedTuple):
    """One function k where it is observed: all rows whose set holds it [r], group after group, or a slice of all.

    s: d value/d s_k, [r, N + 1]; where: the groups among the rows.
    """

    rows: Ints | slice
    where: dict[int, slice]
    inner: Posterior
    scale: UpdateScale
    s: Array

    @staticmethod
    def of(whole: Adjoint, k: int) -> Observed:
        where, rows, used = {}, [], 0
        for i, (S, mine) in enumerate(whole.groups):
            if k in S:
                where[i] = slice(used, used + len(mine))
                rows.append(mine)
                used += len(mine)
        here, inner = whole.at.with_gradient[k], whole.inner.posteriors[k]
        every: Ints = rows[0] if len(rows) == 1 else np.concatenate(rows)
        in_order = used == len(whole.at.x) and (len(rows) == 1 or bool(np.all(every[1:] > every[:-1])))
        scale = UpdateScale.with_slope(here if in_order else here.part(every), inner)
        return Observed(slice(None) if in_order else every, where, inner, scale, np.zeros(scale.s.shape))

    def cross(self, var: Array) -> CrossCovariance:
        """Chain rule through s = cov/sqrt(v + r): g_cov = g_s/root, and g_v from the root and from s(x, x) = v/root.

        The latter is added to var [q].
        """
        g, root = self.s, self.scale.root
        assert self.scale.slope is not None
        var[self.rows] += (g[:, -1] - 0.5 * np.vecdot(g, self.scale.s) / root) / root
        return CrossCovariance(self.rows, self.inner, self.scale.slope, g[:, :-1] / root[:, None])


class Group(NamedTuple):
    """Rows of the candidates with one set S, their part of the candidates, and d value/d s_k for k in S, [p, N + 1]."""

    whole: Adjoint
    S: tuple[int, ...]
    rows: Ints | slice
    at: CandidatePosterior
    s: dict[int, Array]

    def add(self, j: int, scenarios: ScenarioSet, envelope: Envelope) -> None:
        """Scatter the weights of winning points onto s and onto mean and variance (the candidate itself)."""
        flat, contribution = envelope.flat.ravel(), envelope.contribution
        if envelope.by_scale is not None:
            self._scatter(0, flat, envelope.by_scale)
        mine = envelope.winners == len(self.whole.inner.points)
        if np.count_nonzero(mine):
            self.whole.mean[0, j, self.rows] += np.where(mine, envelope.by_excess, 0.0).sum(axis=(1, 2))
            self.whole.others[j, self.rows] += np.where(mine, contribution, 0.0).sum(axis=(1, 2))
        for column, k in enumerate(scenarios.constraints):
            by_z = self._add_updated(j, scenarios, envelope, (flat, mine), column)
            if scenarios.events:
                self._add_event(j, k, scenarios.events[column], contribution.sum(axis=(1, 2)), by_z)

    def _add_updated(
        self, j: int, scenarios: ScenarioSet, envelope: Envelope, where: tuple[Ints, Flags], column: int
    ) -> Array:
        """Adjoints of one updated constraint; returns that of its scores z, [p]; where: flat index, own points."""
        (flat, mine), k = where, scenarios.constraints[column]
        mean, s, var = (part.take(flat).reshape(envelope.winners.shape) for part in self.at.moments(k, j))
        z, known = scenarios.z[:, :, column, None], (1.0 - scenarios.residual[:, column])[:, None]
        floor = VARIANCE_FLOOR * self.whole.inner.processes[k].size
        sk = s * known
        var -= s * sk
        sd = np.sqrt(np.maximum(var, floor))
        _, by_mean, by_sd = log_probability_with_gradient(self.whole.inner.bounds[k - 1], mean + s * z, sd)
        by_mean *= envelope.contribution
        by_sd *= envelope.contribution
        by_sd /= sd
        by_sd *= var > floor  # twice the derivative by the variance
        self._scatter(k, flat, by_mean * z - sk * by_sd)
        if np.count_nonzero(mine):
            self.whole.mean[k, j, self.rows] += np.where(mine, by_mean, 0.0).sum(axis=(1, 2))
            self.whole.var[k, self.rows] += 0.5 * np.where(mine, by_sd, 0.0).sum(axis=(1, 2))
        by_z: Array = (by_mean * s).sum(axis=(1, 2)) if scenarios.events else by_mean[:0, 0, 0]
        return by_z

    def _add_event(self, j: int, k: int, event: Truncated, value: Array, by_z: Array) -> None:
        """The event's mean score and probability move with the candidate's own mean and sigma_tilde."""
        self.whole.mean[k, j, self.rows] += value * event.p_by_mean + by_z * event.z_by_mean
        self.s[k][:, -1] += value * event.p_by_s + by_z * event.z_by_s

    def _scatter(self, k: int, flat: Ints, weight: Array) -> None:
        """Add weights to d value/d s_k at flat positions."""
        total = self.s[k]
        total += np.bincount(flat, weights=weight.ravel(), minlength=total.size).reshape(total.shape)
