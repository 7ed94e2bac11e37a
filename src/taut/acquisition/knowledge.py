"""Knowledge Gradient of any set S of functions evaluated together at x: one implementation for all cases.

    KG^S(x) = prod_{k in S} q_k(x)^caution E[ max_{x' in A} G+(x') - G+(x_r) ]
    G+(x') = M + (mu_0+(x') - M) prod_k q_k(x') PF_k+(x')

| symbol | meaning | shape |
| --- | --- | --- |
| A, s_k | inner set, and sigma_tilde_k on it (lookahead.py); the candidate itself is its last point | N + 1 points |
| mu_k+, v_k+ | mu_k + s_k Z, v_k - s_k^2 (1 - residual) for k in S, unchanged for the others | [q, C, N + 1] |
| z, w, residual | constraint scenarios, weights and the variance left in them (scenarios.py) | [C, m], [C], [C, m] |
| q_k | probability that function k can be computed (success.py); an evaluation that fails brings no news | [q] |
| W | product of all (updated) feasibilities, and of all q_k | [q, C, N + 1] |
| a, b | (mu_0 - M) W and s_0 W: G+ - M = a + b T is a straight line in the objective's outcome T | [q, C, N + 1] |

dcKG^k is S = {k}, cKG is S = all, a group is its members. If the objective is in S its outcome is integrated exactly
along the upper envelope of the lines (Student-t with the objective's degrees of freedom). The envelope is found by
looking up the best line at increasing values of T: neighbours meet between their look-up points, so the lines found
form an exact envelope of themselves. The baseline is subtracted scenario by scenario, which keeps every value >= 0.

The gradient in x is in knowledge_gradient.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Truncated, truncated
from taut.acquisition.knowledge_update import Updated
from taut.acquisition.lookahead import CandidatePosterior, InnerSet, ScenarioKind, joined
from taut.acquisition.lookup import flat_index, look_up, look_up_points, pieces, take_each
from taut.acquisition.scenarios import (
    Scenarios,
    constraint_scenarios,
    pair_scenarios,
    quantile_nodes,
)
from taut.acquisition.settings import ScenarioOptions
from taut.base.arrays import Array, Flags, Ints


@dataclass(frozen=True)
class LookAhead:
    """What an observation is worth: an inner set, and how outcomes are represented."""

    inner: InnerSet
    options: ScenarioOptions
    seed: int

    def with_options(self, options: ScenarioOptions) -> LookAhead:
        """The same inner set with other scenarios."""
        return replace(self, options=options)

    def extended(self, extra: Array, options: ScenarioOptions) -> LookAhead:
        """The same on a larger inner set, with its own scenarios."""
        return replace(self, inner=self.inner.extended(extra), options=options)

    def reduced(self, keep: Ints, options: ScenarioOptions) -> LookAhead:
        """The same on some of the inner points."""
        return replace(self, inner=self.inner.reduced(keep), options=options)

    def candidates(self, x: Array, gradients: bool = True) -> CandidatePosterior:
        """Posteriors at x [q, d], to be shared between sets."""
        return CandidatePosterior(self.inner, x, gradients)

    def value(self, S: tuple[int, ...], at: CandidatePosterior, refine: int = 1) -> Array:
        """KG^S at the candidates; [q]. `refine` splits the look-up points of the envelope."""
        return self.value_and_winners(S, at, refine)[0]

    def value_and_winners(self, S: tuple[int, ...], at: CandidatePosterior, refine: int = 1) -> tuple[Array, Ints]:
        """KG^S [q] and the inner points that win anywhere, each once."""
        total: Array = np.zeros(len(at.x))
        winners = []
        J = self.inner.fantasies
        for j in range(J):
            envelopes = [self.envelope(S, at, j, each, refine) for each in self.scenario_sets(S, at, j)]
            total += largest([each.value() for each in envelopes]) / J
            winners += [each.winners.ravel() for each in envelopes]
        if self.inner.successes is not None:
            total *= np.exp(self.inner.successes.caution * at.log_success[self.inner.successes.of(S)].sum(axis=0))
        seen = np.bincount(np.concatenate(winners), minlength=len(self.inner.points) + 1)
        return total, np.flatnonzero(seen[:-1])

    def scenarios(self, constraints: tuple[int, ...]) -> Scenarios:
        """Constraint scenarios of a set; every function keeps its own column in every set (common random numbers)."""
        if constraints not in self._known:
            self._known[constraints] = self._scenarios(constraints)
        return self._known[constraints]

    def _scenarios(self, constraints: tuple[int, ...]) -> Scenarios:
        if len(constraints) < 2:
            return constraint_scenarios(len(constraints), self.options, self.seed)
        pair = pair_scenarios(self.options) if len(constraints) == 2 else None
        if pair is not None:
            return pair
        columns = [k - 1 for k in constraints]
        return replace(self._vectors, z=self._vectors.z[:, columns], residual=self._vectors.residual[:, columns])

    @cached_property
    def _known(self) -> dict[tuple[int, ...], Scenarios]:
        return {}

    @cached_property
    def _sets(self) -> dict[tuple[int, ...], ScenarioSet]:
        return {}

    @cached_property
    def _vectors(self) -> Scenarios:
        return constraint_scenarios(len(self.inner.bounds), self.options, self.seed)

    def scenario_sets(self, S: tuple[int, ...], at: CandidatePosterior, j: int) -> list[ScenarioSet]:
        """The scenarios under which S is valued; the larger value counts.

        A few vectors of several constraints easily miss the one event that gives a far point its value: that all of
        them hold there. So besides the vectors there is that event itself, by its mean and its probability, wherever
        too few vectors are expected to show it.
        """
        constraints = tuple(k for k in S if k > 0)
        if constraints not in self._sets:
            self._sets[constraints] = ScenarioSet.of(constraints, self.scenarios(constraints))
        found = [self._sets[constraints]]
        if len(constraints) > 1 and self.options.exact:
            event = ScenarioSet.all_feasible(constraints, at, j)
            rare = event.w[:, 0] * self.options.vectors < self.options.least_hits
            if rare.any():
                found.append(event._replace(w=np.where(rare, event.w[:, 0], 0.0)[:, None]))
        return found

    def envelope(
        self, S: tuple[int, ...], at: CandidatePosterior, j: int, scenarios: ScenarioSet, refine: int = 1
    ) -> Envelope:
        """Winning inner points of every scenario, with their weights; the baseline is the last entry."""
        product, excess = feasibility_product(at, j, scenarios, S), at.excess(j)
        nodes = self._nodes(S, refine)
        index = np.empty((*product.shape[:2], len(nodes) + 1), dtype=np.intp)
        index[:, :, -1] = self.inner.base[j]
        scale = at.sigma_tilde(0).s if 0 in S else None
        look_up(excess, scale, product, nodes, index)
        flat, w = flat_index(index, excess.shape[1]), scenarios.w[:, :, None]
        W, excess = take_each(product, index), excess.take(flat)
        if scale is None:
            by_excess = np.empty(index.shape)
            by_excess[:, :, :-1] = w
            np.negative(w, out=by_excess[:, :, -1:])
            by_excess *= W
            return Envelope(index, flat, by_excess * excess, by_excess, None)
        scale = scale.take(flat)
        by = np.empty((2, *index.shape))  # by excess and by scale
        np.multiply(self._pieces(index, excess * W, scale * W, refine), w, out=by[:, :, :, :-1])
        np.negative(w, out=by[0, :, :, -1:])
        by[1, :, :, -1] = 0.0
        by *= W
        contribution = by[0] * excess
        contribution += by[1] * scale
        return Envelope(index, flat, contribution, by[0], by[1])

    def _nodes(self, S: tuple[int, ...], refine: int) -> Array:
        """Outcomes T of the objective at which the best line is looked up; one will do if it is not observed."""
        if 0 not in S:
            return np.zeros(1)
        if not self.options.exact:
            return quantile_nodes(self.options.quantiles)[0]
        return self.look_up_points(refine)[0]

    def look_up_points(self, refine: int) -> tuple[Array, Array]:
        return look_up_points(self.inner.processes[0].hyper.nu, self.options.look_up_scores, refine)

    def _pieces(self, index: Ints, a: Array, b: Array, refine: int) -> Array:
        """Probability and partial expectation of the piece of each line that was looked up; [2, q, C, m]."""
        if not self.options.exact:
            nodes, weight = quantile_nodes(self.options.quantiles)
            return np.stack([weight, weight * nodes])[:, None, None, :]
        nu = self.inner.processes[0].hyper.nu
        return pieces(index[:, :, :-1], a[:, :, :-1], b[:, :, :-1], self.look_up_points(refine), nu)


class ScenarioSet(NamedTuple):
    """Joint outcomes of the constraints of a set: z [1 or q, C, m], w [1 or q, C], residual [C, m].

    cells: where they are combinations, the scenarios of one constraint and which of them each has; events: where the
    only scenario is that all hold at the candidate, what that says of each constraint.
    """

    kind: ScenarioKind
    constraints: tuple[int, ...]
    z: Array
    w: Array
    residual: Array
    cells: tuple[Scenarios, Ints] | None = None
    events: tuple[Truncated, ...] = ()

    @staticmethod
    def of(constraints: tuple[int, ...], given: Scenarios) -> ScenarioSet:
        kind: ScenarioKind = "alone" if len(constraints) == 1 else "pair" if given.cells is not None else "several"
        return ScenarioSet(kind, constraints, given.z[None, :, :], given.weight[None, :], given.residual, given.cells)

    @staticmethod
    def all_feasible(constraints: tuple[int, ...], at: CandidatePosterior, j: int) -> ScenarioSet:
        """A single scenario: all constraints hold at the candidate. There the event leaves no variance."""
        bounds = at.inner.bounds
        events = tuple(truncated(bounds[k - 1], at.mean[k][j], at.sigma_tilde(k).s[:, -1]) for k in constraints)
        z = np.stack([event.z for event in events], axis=1)[:, None, :]
        w = np.exp(np.sum([event.log_p for event in events], axis=0))[:, None]
        return ScenarioSet("all_feasible", constraints, z, w, np.zeros(z.shape[1:]), None, events)


class Envelope(NamedTuple):
    """The inner points that win, by position: winners [q, C, m], the baseline last, and what they are worth.

    flat: where they are in arrays [q, N + 1] that are read as one row [q, C, m].

    contribution = W (weight_a excess + weight_b scale), whose sum is the value; it is also the derivative by the
    logarithm of W. by_excess and by_scale are its derivatives by the others, W weight_a and W weight_b; the latter is
    None without the objective.
    """

    winners: Ints
    flat: Ints
    contribution: Array
    by_excess: Array
    by_scale: Array | None

    def value(self) -> Array:
        """The value, never below 0; [q]."""
        value: Array = self.contribution.sum(axis=(1, 2))
        return np.maximum(value, 0.0, out=value)

    def only(self, rows: Flags) -> Envelope:
        """The same without the others' contributions; rows: [q]."""
        if np.count_nonzero(rows) == len(rows):
            return self
        mask = rows[:, None, None]
        by_scale = None if self.by_scale is None else self.by_scale * mask
        return Envelope(self.winners, self.flat, self.contribution * mask, self.by_excess * mask, by_scale)


def largest(values: Sequence[Array]) -> Array:
    """The largest of several values, elementwise."""
    return values[0] if len(values) == 1 else np.max(values, axis=0)


def feasibility_product(at: CandidatePosterior, j: int, scenarios: ScenarioSet, S: tuple[int, ...]) -> Array:
    """W: feasibilities of constraints outside S and all q_k, times PF_k+ of those in S; [q, C, N + 1].

    News have come, so that at the candidate itself q_k of S is that after a success. If the objective never failed a
    set has the same with and without it, so the last one is kept.
    """
    key = (scenarios.constraints, j, scenarios.kind, at.inner.successes is not None and 0 in S)
    if at.last_product is None or at.last_product[0] != key:
        at.last_product = key, _feasibility_product(at, j, scenarios, S)
    return at.last_product[1]


def _feasibility_product(at: CandidatePosterior, j: int, scenarios: ScenarioSet, S: tuple[int, ...]) -> Array:
    inner, own = at.inner.total_log_pf[j], at.total_log_pf[j]
    if at.inner.successes is not None:
        own = own + (at.log_success_after - at.log_success)[at.inner.successes.of(S)].sum(axis=0)
    constraints = scenarios.constraints
    changes = [_updated(at, j, scenarios, column) for column in range(len(constraints))]
    for k, (columns, _) in zip(constraints, changes, strict=True):
        # What can change is taken out of the product, and put in again as it will be.
        inner, own, changed = inner.copy(), own - at.log_pf[k][j], columns[:-1]
        inner[changed] -= at.inner.log_pf[k - 1][j, changed]
    before = np.exp(np.minimum(inner, 0.0)) if changes or at.inner.successes is not None else at.inner.product[j]
    rest = joined(before, np.exp(np.minimum(own, 0.0)))[:, None, :]
    if not changes:
        return rest
    product: Array = rest * changes[0].everywhere(rest.shape[2])
    for columns, p in changes[1:]:
        if len(columns) == product.shape[2]:
            product *= p
        else:
            product[:, :, columns] *= p
    return product


def _updated(at: CandidatePosterior, j: int, scenarios: ScenarioSet, column: int) -> Updated:
    """PF_k+ of every scenario; of a pair's, only those of its cells have to be computed."""
    k, kind = scenarios.constraints[column], scenarios.kind
    if scenarios.cells is None:
        return at.updated(k, j, kind, scenarios.z[:, :, column], scenarios.residual[:, column])
    one, which = scenarios.cells
    columns, p = at.updated(k, j, kind, one.z.T, one.residual[:, 0])
    return Updated(columns, p[:, which[:, column]])
