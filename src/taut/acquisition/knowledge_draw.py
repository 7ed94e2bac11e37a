"""One set of functions under one scenario view: the lines a + b T over the inner set, and which of them win.

Notation as in knowledge.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from taut.acquisition.feasibility import Truncated, truncated
from taut.acquisition.knowledge_update import TOGETHER, Updated
from taut.acquisition.scenarios import Scenarios, quantile_nodes
from taut.base.arrays import Array, Flags, Ints
from taut.base.normal import student_pieces

if TYPE_CHECKING:
    from taut.acquisition.knowledge import CandidatePosterior, LookAhead

# The scores of a constraint: in a set of its own, among several, as one of a pair, or given that all of a set hold at
# the candidate.
ScenarioKind = Literal["alone", "scenarios", "pair", "together"]


class Envelope(NamedTuple):
    """The inner points that win, by position: which [q, C, m], the baseline last, and what they are worth.

    share = W (weight_a excess + weight_b reach), whose sum is the value; it is also the derivative by the logarithm of
    W. by_excess and by_reach are its derivatives by the others, W weight_a and W weight_b; the latter is None without
    the objective.
    """

    which: Ints
    share: Array
    by_excess: Array
    by_reach: Array | None

    def only(self, rows: Flags) -> Envelope:
        """The same without the others' contributions; rows: [q]."""
        if np.count_nonzero(rows) == len(rows):
            return self
        mask = rows[:, None, None]
        by_reach = None if self.by_reach is None else self.by_reach * mask
        return Envelope(self.which, self.share * mask, self.by_excess * mask, by_reach)


class SetValuation:
    """One set S under one draw of the pending outcomes: the lines a + b T and their envelope.

    z: [1 or q, C, m], w: [1 or q, C], residual: [C, m].
    View "together": a single scenario, all constraints of S hold at the candidate.
    """

    def __init__(
        self, ahead: LookAhead, S: tuple[int, ...], at: CandidatePosterior, j: int, view: ScenarioKind = "scenarios"
    ) -> None:
        self.ahead, self.S, self.at, self.j = ahead, S, at, j
        self.constraints = [k for k in S if k > 0]
        self.view: ScenarioKind = "alone" if len(self.constraints) == 1 else view
        self.events: list[Truncated] = []
        self.cells: tuple[Scenarios, Ints] | None = None
        if view == "together":
            self.events = [
                truncated(ahead.bounds[k - 1], at.own(k).mean[j], at.reach(k).s[:, -1]) for k in self.constraints
            ]
            self.z = np.stack([event.z for event in self.events], axis=1)[:, None, :]
            self.w: Array = np.exp(np.sum([event.log_p for event in self.events], axis=0))[:, None]
            self.residual: Array = np.zeros(self.z.shape[1:])  # at the candidate the event leaves no doubt
        else:
            scenarios = ahead.scenarios(self.constraints)
            self.z, self.w, self.residual = scenarios.z[None, :, :], scenarios.weight[None, :], scenarios.residual
            self.cells = scenarios.cells
            if self.cells is not None:
                self.view = "pair"
        self.excess = at.excess(j)
        self.W = at.product(self)

    def product(self) -> Array:
        """W: feasibilities of constraints outside S, times PF_k+ of those in S; [q, C, N + 1]."""
        ahead, at, j = self.ahead, self.at, self.j
        inner, own = ahead.total_log_pf[j], at.total_log_pf[j]
        news = [self._updated(i, k) for i, k in enumerate(self.constraints)]
        for k, (columns, _) in zip(self.constraints, news, strict=True):
            if k not in ahead.always_met:  # what can change is taken out of the product, and put in again as it will be
                inner, own, changed = inner.copy(), own - at.log_pf(k)[j], columns[:-1]
                inner[changed] -= ahead.log_pf[k - 1][j, changed]
        rest = joined(np.exp(np.minimum(inner, 0.0)), np.exp(np.minimum(own, 0.0)))[:, None, :]
        if not news:
            return rest
        product: Array = np.repeat(rest, self.z.shape[1], axis=1)
        for columns, p in news:
            if len(columns) == product.shape[2]:
                product *= p
            else:
                product[:, :, columns] *= p
        return product

    def _updated(self, column: int, k: int) -> Updated:
        """PF_k+ of every scenario; of a pair's, only those of its cells have to be computed."""
        if self.cells is None:
            return self.at.updated(k, self.j, self.view, self.z[:, :, column], self.residual[:, column])
        one, which = self.cells
        columns, p = self.at.updated(k, self.j, self.view, one.z.T, one.residual[:, 0])
        return Updated(columns, p[:, which[:, column]])

    def envelope(self, refine: int) -> Envelope:
        """Winning inner points of every scenario, with their weights; the baseline is the last entry."""
        q, C = self.W.shape[:2]
        nodes = self._nodes(refine)
        index = np.empty((q, C, len(nodes) + 1), dtype=np.intp)
        index[:, :, -1] = self.ahead.base[self.j]
        reach = self.at.reach(0).s if 0 in self.S else None
        _look_up(self.excess, reach, self.W, nodes, index)
        W, excess = take_each(self.W, index), take_row(self.excess, index)
        by_excess, w = np.empty(index.shape), self.w[:, :, None]
        np.negative(w, out=by_excess[:, :, -1:])
        if reach is None:
            by_excess[:, :, :-1] = w
            by_excess *= W
            return Envelope(index, by_excess * excess, by_excess, None)
        reach, by_reach = take_row(reach, index), np.zeros(index.shape)
        P, E = self._pieces(index, excess * W, reach * W, refine)
        np.multiply(P, w, out=by_excess[:, :, :-1])
        np.multiply(E, w, out=by_reach[:, :, :-1])
        by_excess *= W
        by_reach *= W
        share = by_excess * excess
        share += by_reach * reach
        return Envelope(index, share, by_excess, by_reach)

    def _nodes(self, refine: int) -> Array:
        """Outcomes T of the objective at which the best line is looked up; one will do if it is not observed."""
        if 0 not in self.S:
            return np.zeros(1)
        rule = self.ahead.rule
        return self.ahead.nodes(refine)[0] if rule.exact else quantile_nodes(rule.quantiles)[0]

    def _pieces(self, index: Ints, a: Array, b: Array, refine: int) -> tuple[Array, Array]:
        """Probability P and partial expectation E of the piece of each looked-up line; the baseline is left out."""
        shape = (*index.shape[:2], index.shape[2] - 1)
        if not self.ahead.rule.exact:
            nodes, weight = quantile_nodes(self.ahead.rule.quantiles)
            return np.broadcast_to(weight, shape), np.broadcast_to(weight * nodes, shape)
        F, H = self._meetings(index[:, :, :-1], a[:, :, :-1], b[:, :, :-1], refine)
        P, E = np.empty(shape), np.empty(shape)
        P[:, :, 0], P[:, :, -1] = F[:, :, 0], 1.0 - F[:, :, -1]
        np.subtract(F[:, :, 1:], F[:, :, :-1], out=P[:, :, 1:-1])
        E[:, :, 0], E[:, :, -1] = -H[:, :, 0], H[:, :, -1]
        np.subtract(H[:, :, :-1], H[:, :, 1:], out=E[:, :, 1:-1])
        return P, E

    def _meetings(self, index: Ints, a: Array, b: Array, refine: int) -> tuple[Array, Array]:
        """Distribution and partial expectation where neighbouring lines meet; between equal lines any point will do."""
        nodes, cdf, partial = self.ahead.nodes(refine)
        F, H = np.empty((2, *index.shape[:2], len(nodes) - 1))
        F[:], H[:] = cdf, partial
        jump = b[:, :, 1:] - b[:, :, :-1]
        real = np.flatnonzero((index[:, :, 1:] != index[:, :, :-1]) & (jump > 0.0))
        if len(real):
            m = real % (len(nodes) - 1)
            meet = (a[:, :, :-1] - a[:, :, 1:]).take(real) / jump.take(real)
            meet = np.minimum(np.maximum(meet, nodes[m]), nodes[m + 1])
            F.reshape(-1)[real], H.reshape(-1)[real] = student_pieces(meet, self.ahead.nu)
        return F, H


def _look_up(excess: Array, reach: Array | None, W: Array, nodes: Array, index: Ints) -> None:
    """argmax of a + t b = (excess + t reach) W at every node t, into index [q, C, m + 1].

    excess, reach: [q, N + 1]; W: [q, C, N + 1]. All nodes at once if that is little, otherwise some rows at a time.
    """
    if reach is not None and W.size * len(nodes) <= TOGETHER:
        heights = nodes[:, None] * reach[:, None, :]
        heights += excess[:, None, :]
        lines = heights[:, None, :, :] * W[:, :, None, :]
        lines.argmax(axis=3, out=index[:, :, :-1])
        return
    rows = max(TOGETHER // W[0].size, 1)
    for first in range(0, len(W), rows):
        part = slice(first, first + rows)
        line = np.empty_like(W[part])
        for m, t in enumerate(nodes):
            height = excess[part] if reach is None else excess[part] + t * reach[part]
            np.multiply(height[:, None, :], W[part], out=line)
            line.argmax(axis=2, out=index[part, :, m])


def joined(inner: Array, own: Array) -> Array:
    """Values on A [N] and at each candidate [q] as one array [q, N + 1]."""
    out = np.empty((len(own), len(inner) + 1))
    out[:, :-1], out[:, -1] = inner, own
    return out


def take_row(values: Array, index: Ints) -> Array:
    """values [q, n] at index [q, C, m]; [q, C, m]."""
    q, n = values.shape
    taken: Array = np.take(values, index + (np.arange(q) * n)[:, None, None])
    return taken


def take_each(values: Array, index: Ints) -> Array:
    """values [q, C, n] at index [q, C, m]; [q, C, m]."""
    q, C, n = values.shape
    taken: Array = np.take(values, index + (np.arange(q * C) * n).reshape(q, C, 1))
    return taken
