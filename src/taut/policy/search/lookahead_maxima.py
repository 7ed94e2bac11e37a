"""Continuous inner maximisation for a few finalists: ascend G+ from the winning inner points of each scenario.

During the search all sources share one finite inner set; before they are compared, the points where the recommendation
would really move to are added for each of them, otherwise sources are compared at different tightness.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import log_probability_with_gradient
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.lookahead import CandidatePosterior, InnerSet
from taut.base.arrays import Array, Flags, Ints
from taut.policy.context import Context
from taut.policy.menu import Set
from taut.policy.search.sets import Scales
from taut.surrogate.gp import VARIANCE_FLOOR
from taut.surrogate.posterior import CrossCovariance, Posterior, PosteriorWithGradient


class _Rows(NamedTuple):
    """One ascent per row.

    start: [p, d]; place: which finalist is observed [p]; fantasy j: [p]; z: outcomes as scores, objective first;
    observed: whether they are; residual: what the scenario leaves open of them, [p, K + 1].
    """

    start: Array
    place: Ints
    j: Ints
    z: Array
    observed: Flags
    residual: Array

    def part(self, rows: Ints) -> _Rows:
        return _Rows._make(column[rows] for column in self)

    @staticmethod
    def joined(parts: Sequence[_Rows]) -> _Rows:
        return _Rows._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


def lookahead_maxima(ahead: LookAhead, finalists: Sequence[tuple[Set, Array]], context: Context) -> list[Array]:
    """Local maximisers x' of G+ after observing S at x, for important scenarios of each finalist (S, x [d]); [p, d].

    All ascents of all finalists go together.
    """
    settings = context.settings.climb
    if not finalists:
        return []
    at = {x.tobytes(): ahead.candidates(x[None, :], False) for _, x in finalists}  # one place may have several sets
    limits = [settings.objective_ascents if S == (0,) else settings.ascents for S, _ in finalists]
    each = [top_scenarios(ahead, S, at[x.tobytes()], n) for (S, x), n in zip(finalists, limits, strict=True)]
    rows = _Rows.joined([part._replace(place=part.place + i) for i, part in enumerate(each)])
    if not len(rows.start):
        return [rows.start for _ in finalists]
    score = LookAheadScore(ahead.inner, np.array([x for _, x in finalists]), rows)
    found = context.domain.ascend(score, rows.start, settings.lookahead, Scales.of(context).guess(rows.start)).x
    return [found[rows.place == i] for i in range(len(finalists))]


def top_scenarios(ahead: LookAhead, S: Set, at: CandidatePosterior, limit: int) -> _Rows:
    """Winning points by weight times excess, the baseline left out, at most `limit`; at: one candidate, place 0."""
    columns, inner = [k for k in S if k > 0], ahead.inner
    points = np.vstack([inner.points, at.x])
    sizes, parts = [], []
    for j, scenarios in ((i, each) for i in range(inner.fantasies) for each in ahead.scenario_sets(S, at, i)):
        envelope = ahead.envelope(S, at, j, scenarios)
        index, a = envelope.winners[0, :, :-1], envelope.by_excess[0, :, :-1]
        size = a * at.excess(j)[0, index]
        c, m = np.nonzero(size > 0.0)
        z, residual = np.zeros((2, len(c), len(inner.processes)))
        z[:, columns], residual[:, columns] = scenarios.z[0, c], scenarios.residual[c]
        if envelope.by_scale is not None:
            z[:, 0] = envelope.by_scale[0, c, m] / a[c, m]  # the mean outcome of the piece
        observed = np.zeros((len(c), len(inner.processes)), dtype=bool)
        observed[:, list(S)] = True
        sizes.append(size[c, m])
        parts.append(_Rows(points[index[c, m]], np.zeros_like(c), np.full_like(c, j), z, observed, residual))
    return _Rows.joined(parts).part(np.argsort(-np.concatenate(sizes), kind="stable")[:limit])


class LookAheadScore:
    """Score of the ascents: log[(mu_0 + s_0 t - M) prod q_k PF_k+] at x', with gradient. x: the finalists [F, d]."""

    def __init__(self, inner: InnerSet, x: Array, rows: _Rows) -> None:
        self.inner, self.rows = inner, rows
        observed: Flags = np.any(rows.observed, axis=0)
        self.finalists = tuple(gp.posterior(x) if observed[k] else None for k, gp in enumerate(inner.processes))

    def __call__(self, x: Array, rows: Ints) -> tuple[Array, Array]:
        part = self.rows.part(rows)
        value, gradient = self._objective(x, part)
        for k in self.inner.uncertain:
            more, slope = self._constraint(k, x, part)
            value, gradient = value + more, gradient + slope
        if self.inner.successes is not None:
            more, slope = self.inner.successes.log_with_gradient(x)
            value, gradient = value + more, gradient + slope
        return value, gradient

    def _objective(self, x: Array, part: _Rows) -> tuple[Array, Array]:
        gp = self.inner.processes[0]
        trace = gp.posterior_with_gradient(x)
        mean = trace.mean[part.j, np.arange(len(x))] - self.inner.M
        cross = self._scale(0, trace, part)
        excess = mean if cross is None else mean + cross.s * part.z[:, 0]
        floor = 1e-9 * gp.scale
        ratio = np.where(excess > floor, 1.0 / np.maximum(excess, floor), 0.0)
        of_cross = None if cross is None else cross.weighted(ratio * part.z[:, 0])
        return np.log(np.maximum(excess, floor)), trace.gradient(self._scatter(part.j, ratio), None, of_cross)

    def _constraint(self, k: int, x: Array, part: _Rows) -> tuple[Array, Array]:
        gp, bounds = self.inner.processes[k], self.inner.bounds[k - 1]
        trace = gp.posterior_with_gradient(x)
        mean, var = trace.mean[part.j, np.arange(len(x))], trace.var
        cross = self._scale(k, trace, part)
        if cross is None:
            sd = np.sqrt(var)
            value, by_mean, by_sd = log_probability_with_gradient(bounds, mean, sd)
            return value, trace.gradient(self._scatter(part.j, by_mean), 0.5 * by_sd / sd)
        known = 1.0 - part.residual[:, k]
        sd = np.sqrt(np.maximum(var - cross.s**2 * known, VARIANCE_FLOOR * gp.size))
        value, by_mean, by_sd = log_probability_with_gradient(bounds, mean + cross.s * part.z[:, k], sd)
        by_var = 0.5 * by_sd / sd
        of_cross = cross.weighted(by_mean * part.z[:, k] - 2.0 * cross.s * known * by_var)
        return value, trace.gradient(self._scatter(part.j, by_mean), by_var, of_cross)

    def _scale(self, k: int, trace: PosteriorWithGradient, part: _Rows) -> _Scale | None:
        """s_k(x', the row's finalist), 0 in rows that do not observe k; None if none does."""
        table = self.finalists[k]
        if table is None:
            return None
        cov, slope = trace.cross(table)
        one = np.arange(len(cov))
        share = part.observed[:, k] / np.sqrt(table.var[part.place] + self.inner.processes[k].noise)
        return _Scale(table, cov[one, part.place] * share, slope, part.place, share)

    def _scatter(self, j: Ints, weight: Array) -> Array:
        """Weights [p] placed in the rows of their fantasies; [J, p]."""
        out = np.zeros((self.inner.fantasies, len(weight)))
        out[j, np.arange(len(weight))] = weight
        return out


class _Scale(NamedTuple):
    """s [p] of one function: share [p] times the covariance with the finalist at `place` [p] of a table of F.

    slope: radial slopes with all finalists [p, F].
    """

    table: Posterior
    s: Array
    slope: Array
    place: Ints
    share: Array

    def weighted(self, g_s: Array) -> CrossCovariance:
        """The covariances in sum of g_s [p] s, for the gradient in x'."""
        weight = np.zeros(self.slope.shape)
        weight[np.arange(len(g_s)), self.place] = g_s * self.share
        return CrossCovariance(slice(None), self.table, self.slope, weight)
