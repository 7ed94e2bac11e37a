"""Knowledge Gradient of any set S of functions evaluated together at x: one implementation for all cases.

    KG^S(x) = E[ max_{x' in A} G+(x') - G+(x_r) ],   G+(x') = M + (mu_0+(x') - M) prod_k PF_k+(x')

| symbol | meaning | shape |
| --- | --- | --- |
| A | inner set; the candidate itself is added as its last point | [N, d], N + 1 with it |
| s_k | cov_k(x', x)/sqrt(v_k(x) + r_k), the reach of an observation | [q, N + 1] |
| mu_k+, v_k+ | mu_k + s_k Z, v_k - s_k^2 (1 - residual) for k in S, unchanged for the others | [q, C, N + 1] |
| z, w, residual | constraint scenarios, their weights and the doubt left in them (scenarios.py) | [C, m], [C], [C, m] |
| W | product of all (updated) feasibilities | [q, C, N + 1] |
| a, b | (mu_0 - M) W and s_0 W: G+ - M = a + b T is a straight line in the objective's outcome T | [q, C, N + 1] |
| J | draws of the outcomes of evaluations under way; means carry that axis | |

dcKG^k is S = {k}, cKG is S = all, a group is its members. If the objective is in S its outcome is integrated exactly
along the upper envelope of the lines (Student-t with the objective's degrees of freedom). The envelope is found by
looking up the best line at increasing values of T: neighbours meet between their look-up points, so the lines found
form an exact envelope of themselves. The baseline is subtracted scenario by scenario, which keeps every value >= 0.

The lines and their envelope are in knowledge_draw.py, the gradient in x is collected in knowledge_gradient.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability
from taut.acquisition.knowledge_draw import Envelope, ScenarioKind, SetValuation, joined
from taut.acquisition.knowledge_update import Marginals, Updated, updated
from taut.acquisition.scenarios import ScenarioOptions, Scenarios, constraint_scenarios, envelope_points, pair_scenarios
from taut.base.arrays import Array, Ints
from taut.base.normal import partial_expectation, student_cdf
from taut.surrogate.gp import GP, Posterior, PosteriorWithGradient

# exp(-1e4) is 0: deeper logarithms say no more, and would cancel when one constraint is taken out of a sum.
DEEPEST = -1e4
MIN_EXPECTED_HITS = 8.0  # vectors expected to show an event from which on they are trusted with it


class UpdateScale(NamedTuple):
    """How far observing one function at each candidate moves the inner set: s [q, N + 1] and its ingredients."""

    s: Array
    slope: Array | None
    root: Array


class CandidatePosterior:
    """Posterior at candidate points x [q, d], each function's computed once, when first needed, for all sets S.

    gradients: whether they will be asked for. Constraints that hold for certain (ahead.always_met) are not looked at.
    """

    def __init__(self, ahead: LookAhead, x: Array, gradients: bool = True) -> None:
        self.x, self.ahead, self.gradients = x, ahead, gradients
        self._traces: dict[int, PosteriorWithGradient] = {}
        self._tables: dict[int, Posterior] = {}
        self._own: dict[int, Marginals] = {}
        self._log_pf: dict[int, Array] = {}
        self._reach: dict[int, UpdateScale] = {}
        self._moments: dict[tuple[int, int], tuple[Array, Array, Array]] = {}
        self._updated: dict[tuple[int, int, ScenarioKind], Updated] = {}
        self._product: tuple[tuple[tuple[int, ...], int, ScenarioKind], Array] | None = None
        self._excess: dict[int, Array] = {}

    def trace(self, k: int) -> PosteriorWithGradient:
        """Posterior of function k with what its gradient needs."""
        if k not in self._traces:
            self._traces[k] = self.ahead.processes[k].posterior_with_gradient(self.x)
        return self._traces[k]

    def table(self, k: int) -> Posterior:
        """Posterior of function k."""
        if self.gradients:
            return self.trace(k).table
        if k not in self._tables:
            self._tables[k] = self.ahead.processes[k].posterior(self.x)
        return self._tables[k]

    def own(self, k: int) -> Marginals:
        """Mean and variance of function k."""
        if k not in self._own:
            table = self.table(k)
            self._own[k] = Marginals(table.mean, table.var)
        return self._own[k]

    def log_pf(self, k: int) -> Array:
        """log PF of constraint k >= 1; [J, q]."""
        if k not in self._log_pf:
            self._log_pf[k] = _log_pf(self.ahead.bounds[k - 1], self.own(k))
        return self._log_pf[k]

    @cached_property
    def total_log_pf(self) -> Array:
        """Sum over all constraints; [J, q]."""
        total = np.zeros((self.ahead.draws, len(self.x)))
        for k in self.ahead.uncertain:
            total += self.log_pf(k)
        return total

    def reaching(self, reach: dict[int, UpdateScale]) -> CandidatePosterior:
        """The same candidates, whose reach is known already."""
        self._reach = reach
        return self

    def part(self, rows: Ints, reach: dict[int, UpdateScale] | None = None) -> CandidatePosterior:
        """Some of the candidates; reach: what is known of their reach."""
        return Part(self, rows).reaching(reach or {})

    def reach(self, k: int) -> UpdateScale:
        """s_k(A and x, x) for function k."""
        if k not in self._reach:
            gp, inner = self.ahead.processes[k], self.ahead.tables[k]
            if self.gradients:
                self._reach[k] = reached(self.trace(k), inner)
            else:
                table = self.table(k)
                self._reach[k] = _reach(gp, table.var, gp.covariance(table, inner), None)
        return self._reach[k]

    def moments(self, k: int, j: int) -> tuple[Array, Array, Array]:
        """mu_k, s_k and v_k on A and at x under draw j, each [q, N + 1]."""
        if (k, j) not in self._moments:
            table, own = self.ahead.tables[k], self.own(k)
            self._moments[k, j] = joined(table.mean[j], own.mean[j]), self.reach(k).s, joined(table.var, own.var)
        return self._moments[k, j]

    def updated(self, k: int, j: int, view: ScenarioKind, z: Array, residual: Array) -> Updated:
        """PF_k+ for scores z [1 or q, C] with residual [C]. Sets share the scores of k in a view, so it is kept."""
        if (k, j, view) not in self._updated:
            amplitude, tables = self.ahead.processes[k].amplitude, (self.ahead.tables[k], self.own(k))
            found = updated(self.ahead.bounds[k - 1], amplitude, tables, self.reach(k).s, (z, residual), j)
            self._updated[k, j, view] = found
        return self._updated[k, j, view]

    def product(self, draw: SetValuation) -> Array:
        """W of a draw. A set has the same with and without the objective, so the last one is kept."""
        key = (tuple(draw.constraints), draw.j, draw.view)
        if self._product is None or self._product[0] != key:
            self._product = key, draw.product()
        return self._product[1]

    def excess(self, j: int) -> Array:
        """mu_0 - M on A and at x under draw j; [q, N + 1]."""
        if j not in self._excess:
            self._excess[j] = joined(self.ahead.tables[0].mean[j] - self.ahead.M, self.own(0).mean[j] - self.ahead.M)
        return self._excess[j]


class Part(CandidatePosterior):
    """Some rows of other candidates; what is known of those is not computed again."""

    def __init__(self, whole: CandidatePosterior, rows: Ints) -> None:
        super().__init__(whole.ahead, whole.x[rows], whole.gradients)
        self.whole, self.rows = whole, rows

    def own(self, k: int) -> Marginals:
        if k not in self._own:
            own = self.whole.own(k)
            self._own[k] = Marginals(own.mean[:, self.rows], own.var[self.rows])
        return self._own[k]

    def log_pf(self, k: int) -> Array:
        if k not in self._log_pf:
            self._log_pf[k] = self.whole.log_pf(k)[:, self.rows]
        return self._log_pf[k]

    @cached_property
    def total_log_pf(self) -> Array:
        total: Array = self.whole.total_log_pf[:, self.rows]
        return total

    def reach(self, k: int) -> UpdateScale:
        if k not in self._reach:
            reach = self.whole.reach(k)
            self._reach[k] = UpdateScale(reach.s[self.rows], None, reach.root[self.rows])
        return self._reach[k]

    def updated(self, k: int, j: int, view: ScenarioKind, z: Array, residual: Array) -> Updated:
        known = self.whole._updated.get((k, j, view))
        if known is None or view == "together":  # whose scores are each candidate's own, and may be others now
            return super().updated(k, j, view, z, residual)
        return Updated(known.columns, known.p[self.rows])


def reached(trace: PosteriorWithGradient, inner: Posterior) -> UpdateScale:
    """The reach of one function from the points of a trace, with its slope."""
    return _reach(trace.gp, trace.table.var, *trace.cross(inner))


def _reach(gp: GP, var: Array, cov: Array, slope: Array | None) -> UpdateScale:
    """s = cov/sqrt(v + r) [q, N + 1] for cov(x, A) [q, N] and v [q], the candidate's own last."""
    root = np.sqrt(var + gp.noise)
    s = np.empty((len(cov), cov.shape[1] + 1))
    np.divide(cov, root[:, None], out=s[:, :-1])
    np.divide(var, root, out=s[:, -1])
    return UpdateScale(s, slope, root)


def _log_pf(bounds: Bounds, at: Marginals | Posterior) -> Array:
    return np.maximum(log_probability(bounds, at.mean, np.sqrt(at.var)), DEEPEST)


class LookAhead:
    """Everything a decision needs to value an observation; built once per decision.

    processes: one GP per function with J columns of means; points: the inner set A [N, d]; tables: the processes there,
    if they are known; idle: constraints that hold for certain wherever it matters and are taken as such.
    """

    def __init__(
        self,
        processes: tuple[GP, ...],
        bounds: tuple[Bounds, ...],
        M: float,
        points: Array,
        rule: ScenarioOptions,
        seed: int,
        tables: tuple[Posterior, ...] | None = None,
        always_met: frozenset[int] = frozenset(),
    ) -> None:
        self.processes, self.bounds, self.M = processes, bounds, M
        self.points, self.rule, self.seed, self.always_met = points, rule, seed, always_met
        self.tables: tuple[Posterior, ...] = tables or tuple(gp.posterior(points) for gp in processes)
        self.draws = self.tables[0].mean.shape[0]
        self.uncertain = [k for k in range(1, len(processes)) if k not in always_met]
        self.log_pf = [_log_pf(b, table) for b, table in zip(bounds, self.tables[1:], strict=True)]
        self.total_log_pf = sum((self.log_pf[k - 1] for k in self.uncertain), np.zeros_like(self.tables[0].mean))
        self.base: Ints = np.argmax((self.tables[0].mean - M) * np.exp(self.total_log_pf), axis=1)
        self.nu = processes[0].hyper.nu

    def extended(self, extra: Array, rule: ScenarioOptions) -> LookAhead:
        """The same look-ahead on a larger inner set, with its own rule for scenarios."""
        tables = tuple(t.joined(gp.posterior(extra)) for gp, t in zip(self.processes, self.tables, strict=True))
        return self._on(np.vstack([self.points, extra]), rule, tables)

    def reduced(self, keep: Ints, rule: ScenarioOptions) -> LookAhead:
        """The same look-ahead on some of its inner points."""
        return self._on(self.points[keep], rule, tuple(table.part(keep) for table in self.tables))

    def with_options(self, rule: ScenarioOptions) -> LookAhead:
        """The same look-ahead with another rule for scenarios."""
        other = copy(self)
        other.rule = rule
        for name in ("_vectors", "_nodes"):  # what depended on the rule
            other.__dict__.pop(name, None)
        return other

    def _on(self, points: Array, rule: ScenarioOptions, tables: tuple[Posterior, ...]) -> LookAhead:
        return LookAhead(self.processes, self.bounds, self.M, points, rule, self.seed, tables, self.always_met)

    def candidates(self, x: Array, gradients: bool = True) -> CandidatePosterior:
        """Posteriors at x [q, d], to be shared between sets."""
        return CandidatePosterior(self, x, gradients)

    def scenarios(self, constraints: list[int]) -> Scenarios:
        """Constraint scenarios of a set; every function keeps its own column in every set (common random numbers)."""
        if len(constraints) < 2:
            return constraint_scenarios(len(constraints), self.rule, self.seed)
        pair = pair_scenarios(self.rule) if len(constraints) == 2 else None
        if pair is not None:
            return pair
        columns = [k - 1 for k in constraints]
        return replace(self._vectors, z=self._vectors.z[:, columns], residual=self._vectors.residual[:, columns])

    @cached_property
    def _vectors(self) -> Scenarios:
        return constraint_scenarios(len(self.bounds), self.rule, self.seed)

    @cached_property
    def _nodes(self) -> dict[int, tuple[Array, Array, Array]]:
        return {}

    def nodes(self, refine: int) -> tuple[Array, Array, Array]:
        """Look-up points t of the envelope, and the distribution and partial expectation half-way between them."""
        if refine not in self._nodes:
            t = envelope_points(self.nu, refine, self.rule.resolution == "coarse")
            middle = 0.5 * (t[1:] + t[:-1])
            self._nodes[refine] = t, student_cdf(middle, self.nu), partial_expectation(middle, self.nu)
        return self._nodes[refine]

    def value(self, S: tuple[int, ...], at: CandidatePosterior, refine: int = 1) -> Array:
        """KG^S at the candidates; [q]. `refine` splits the look-up points of the envelope."""
        return self.value_and_winners(S, at, refine)[0]

    def value_and_winners(self, S: tuple[int, ...], at: CandidatePosterior, refine: int = 1) -> tuple[Array, Ints]:
        """KG^S [q] and the inner points that win anywhere, each once."""
        total: Array = np.zeros(len(at.x))
        winners = []
        for j in range(self.draws):
            chosen = [draw.envelope(refine) for draw in self.views(S, at, j)]
            total += np.max([_sum(selection) for selection in chosen], axis=0) / self.draws
            winners += [selection.which.ravel() for selection in chosen]
        seen = np.bincount(np.concatenate(winners), minlength=len(self.points) + 1)
        return total, np.flatnonzero(seen[:-1])

    def views(self, S: tuple[int, ...], at: CandidatePosterior, j: int) -> list[SetValuation]:
        """The scenario sets under which S is valued; the larger value counts.

        A few vectors of several constraints easily miss the one event that gives a far point its value: that all of
        them hold there. So besides the vectors there is that event itself, by its mean and its probability, wherever
        fewer than eight vectors are expected to show it.
        """
        views = [SetValuation(self, S, at, j)]
        if len(views[0].constraints) > 1 and self.rule.exact:
            together = SetValuation(self, S, at, j, "together")
            rare = together.w[:, 0] * self.rule.vectors < MIN_EXPECTED_HITS
            if rare.any():
                together.w = np.where(rare, together.w[:, 0], 0.0)[:, None]
                views.append(together)
        return views

    def value_with_gradient(self, S: tuple[int, ...], at: CandidatePosterior) -> tuple[Array, Array]:
        """KG^S [q] and its gradient in x [q, d]; maximisers held fixed (envelope theorem)."""
        return self.values_with_gradient([(S, np.arange(len(at.x)))], at)

    def values_with_gradient(
        self, groups: Sequence[tuple[tuple[int, ...], Ints]], at: CandidatePosterior
    ) -> tuple[Array, Array]:
        """Values [q] and gradients [q, d] where each group of rows has a set of its own; posteriors are shared."""
        from taut.acquisition.knowledge_gradient import Adjoint  # it needs this module's classes

        adjoint = Adjoint(self, at, groups)
        total = np.zeros(len(at.x))
        for i, (S, rows) in enumerate(groups):
            pull = adjoint.group(i)
            for j in range(self.draws):
                views = self.views(S, pull.at, j)
                chosen = [draw.envelope(1) for draw in views]
                if len(views) == 1:
                    total[rows] += _sum(chosen[0])
                    pull.add(views[0], chosen[0])
                    continue
                values = np.array([_sum(selection) for selection in chosen])
                total[rows] += values.max(axis=0)
                for i, (draw, selection) in enumerate(zip(views, chosen, strict=True)):
                    pull.add(draw, selection.only(values.argmax(axis=0) == i))
        return total / self.draws, adjoint.gradient() / self.draws


def _sum(selection: Envelope) -> Array:
    """The value of a selection, never below 0; [q]."""
    value: Array = selection.share.sum(axis=(1, 2))
    return np.maximum(value, 0.0, out=value)
