"""One set of functions under one scenario view: the lines a + b T over the inner set, and which of them win.

Notation as in knowledge.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from taut.acquisition.feasibility import Truncated, truncated
from taut.acquisition.normal import partial_expectation, student_cdf
from taut.acquisition.scenarios import quantile_nodes
from taut.arrays import Array, Ints

if TYPE_CHECKING:
    from taut.acquisition.knowledge import Candidates, LookAhead

# The scores of a constraint: in a set of its own, among several, or given that all of a set hold at the candidate.
View = Literal["alone", "scenarios", "together"]


@dataclass(frozen=True)
class Selection:
    """The inner points that win: index [q, C, m], weights of a and of b there, and W, per draw."""

    index: Ints
    weight_a: Array
    weight_b: Array
    W: Array


class Draw:
    """One set S under one draw of the pending outcomes: the lines a + b T and their envelope.

    z: [1 or q, C, m], w: [1 or q, C], spread: [C].
    View "together": a single scenario, all constraints of S hold at the candidate.
    """

    def __init__(self, ahead: LookAhead, S: tuple[int, ...], at: Candidates, j: int, view: View = "scenarios") -> None:
        self.ahead, self.S, self.at, self.j = ahead, S, at, j
        self.constraints = [k for k in S if k > 0]
        self.view: View = "alone" if len(self.constraints) == 1 else view
        self.events: list[Truncated] = []
        if view == "together":
            self.events = [
                truncated(ahead.bounds[k - 1], at.table(k).mean[j], at.reach(k).s[:, -1]) for k in self.constraints
            ]
            self.z = np.stack([event.z for event in self.events], axis=1)[:, None, :]
            self.w: Array = np.exp(np.sum([event.log_p for event in self.events], axis=0))[:, None]
            self.spread: Array = np.zeros(1)  # at the candidate the event leaves no doubt
        else:
            scenarios = ahead.scenarios(self.constraints)
            self.z, self.w, self.spread = scenarios.z[None, :, :], scenarios.weight[None, :], scenarios.spread
        self.excess = joined(ahead.tables[0].mean[j], at.table(0).mean[j]) - ahead.M
        self.W = self._updated()

    def _rest(self) -> Array:
        """Product of the feasibilities of constraints outside S; [q, N + 1]."""
        ahead, at, j = self.ahead, self.at, self.j
        inner, own = ahead.total_log_pf[j], at.total_log_pf[j]
        for k in self.constraints:
            if k not in ahead.idle:
                inner, own = inner - ahead.log_pf[k - 1][j], own - at.log_pf(k)[j]
        return joined(np.exp(np.minimum(inner, 0.0)), np.exp(np.minimum(own, 0.0)))

    def _updated(self) -> Array:
        """W: feasibilities of constraints outside S, times PF_k+ of those in S; [q, C, N + 1]."""
        product = self._rest()[:, None, :]
        for column, k in enumerate(self.constraints):
            product = product * self.at.updated(k, self.j, self.view, self.z[:, :, column], self.spread)
        return product

    def select(self, refine: int) -> Selection:
        """Winning inner points of every scenario, with their weights; the baseline is the last entry."""
        a = self.excess[:, None, :] * self.W
        index, weight_a, weight_b = self._best(a) if 0 not in self.S else self._envelope(a, refine)
        q, C, m = index.shape
        whole = np.empty((q, C, m + 1), dtype=np.intp)
        whole[:, :, :m], whole[:, :, m] = index, self.ahead.base[self.j]
        of_a, of_b = np.empty(whole.shape), np.empty(whole.shape)
        w = self.w[:, :, None]
        of_a[:, :, :m], of_a[:, :, m:] = weight_a * w, -w
        of_b[:, :, :m], of_b[:, :, m] = weight_b * w, 0.0
        return Selection(whole, of_a, of_b, take_each(self.W, whole))

    @staticmethod
    def _best(a: Array) -> tuple[Ints, Array, Array]:
        index = a.argmax(axis=2)[:, :, None]
        return index, np.ones(index.shape), np.zeros(index.shape)

    def _envelope(self, a: Array, refine: int) -> tuple[Ints, Array, Array]:
        """Look up the best line at increasing T; P = probability and E = partial expectation of each line's piece."""
        b = self.at.reach(0).s[:, None, :] * self.W
        if not self.ahead.rule.exact:
            nodes, weight = quantile_nodes(self.ahead.rule.quantiles)
            index = _look_up(a, b, nodes)
            return index, np.broadcast_to(weight, index.shape), np.broadcast_to(weight * nodes, index.shape)
        index = _look_up(a, b, self.ahead.nodes(refine)[0])
        P, E = np.empty(index.shape), np.empty(index.shape)
        F, H = self._pieces(index, take_each(a, index), take_each(b, index), refine)
        P[:, :, 0], P[:, :, -1] = F[:, :, 0], 1.0 - F[:, :, -1]
        np.subtract(F[:, :, 1:], F[:, :, :-1], out=P[:, :, 1:-1])
        E[:, :, 0], E[:, :, -1] = -H[:, :, 0], H[:, :, -1]
        np.subtract(H[:, :, :-1], H[:, :, 1:], out=E[:, :, 1:-1])
        return index, P, E

    def _pieces(self, index: Ints, a: Array, b: Array, refine: int) -> tuple[Array, Array]:
        """Distribution and partial expectation where neighbouring lines meet; between equal lines any point will do."""
        nodes, cdf, partial = self.ahead.nodes(refine)
        shape = (*index.shape[:2], len(nodes) - 1)
        F, H = (np.broadcast_to(part, shape).copy() for part in (cdf, partial))
        jump = b[:, :, 1:] - b[:, :, :-1]
        real = (index[:, :, 1:] != index[:, :, :-1]) & (jump > 0.0)
        if real.any():
            m = np.nonzero(real)[2]
            meet = (a[:, :, :-1] - a[:, :, 1:])[real] / jump[real]
            meet = np.clip(meet, nodes[m], nodes[m + 1])
            F[real], H[real] = student_cdf(meet, self.ahead.nu), partial_expectation(meet, self.ahead.nu)
        return F, H

    def total(self, selection: Selection) -> Array:
        """sum over scenarios and pieces of a P + b E, minus the baseline; [q]."""
        line = take_row(self.excess, selection.index) * selection.weight_a
        if 0 in self.S:
            line += take_row(self.at.reach(0).s, selection.index) * selection.weight_b
        value: Array = np.einsum("qcm,qcm->q", line, selection.W)
        return np.maximum(value, 0.0)


def _look_up(a: Array, b: Array, nodes: Array) -> Ints:
    """argmax of a + t b at every node t; [q, C, len(nodes)]."""
    index = np.empty((*a.shape[:2], len(nodes)), dtype=np.intp)
    line = np.empty_like(a)
    for m, t in enumerate(nodes):
        np.multiply(b, t, out=line)
        line += a
        line.argmax(axis=2, out=index[:, :, m])
    return index


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
