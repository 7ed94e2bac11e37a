"""PF_k+ of the inner set after observing constraint k at each candidate, where that can change anything.

    PF_k+ = P(lower <= c_k <= upper),   c_k ~ N(mu_k + s_k z, v_k - s_k^2 (1 - residual))

An inner point that stays feasible, or infeasible, whatever is observed keeps the feasibility it has. In a study that
knows its constraints these are most points, and the distribution function is what a look-ahead spends most of its time
on. Notation as in knowledge.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Bounds, probability
from taut.base.arrays import Array, Flags, Ints
from taut.base.blocks import UPDATE_BLOCK
from taut.surrogate.gp import VARIANCE_FLOOR
from taut.surrogate.posterior import Posterior

# Standard deviations from a bound
FEASIBLE_SDS = 8.3  # 1 - Phi is rounding error
INFEASIBLE_SDS = 10.0  # Phi is nothing beside any other point
IMPOSSIBLE_SDS = 12.0  # no outcome that is looked at makes such a point feasible


class Updated(NamedTuple):
    """PF_k+ [q, C, m] at the columns [m] of the inner set that can change, the candidate itself last."""

    columns: Ints
    p: Array

    def everywhere(self, count: int) -> Array:
        """PF_k+ as a factor of what the others leave: 1 in all columns but these; [q, C, count]."""
        if len(self.columns) == count:
            return self.p
        one = np.empty((*self.p.shape[:2], self.p.shape[2] + 1))
        one[:, :, :-1], one[:, :, -1] = self.p, 1.0
        which = np.full(count, len(self.columns))
        which[self.columns] = np.arange(len(self.columns))
        return one.take(which, axis=2)


def updated(
    bounds: Bounds,
    amplitude: float,
    inner: Posterior,
    own: tuple[Array, Array],
    s: Array,
    scores: tuple[Array, Array],
    j: int,
) -> Updated:
    """inner: constraint k on A [N]; own: its mean [J, q] and variance [q] at the candidates; s: sigma_tilde [q, N + 1].

    scores: z [1 or q, C] and residual [C]; amplitude: prior variance of k; j: the fantasy.
    """
    own_mean, own_var = own
    z, residual = scores
    columns = _columns(bounds, inner, j, np.abs(s[:, :-1]).max(axis=0) * float(np.abs(z).max()))
    s = s[:, columns] if len(columns) < s.shape[1] else s
    mean, var = inner.mean[j, columns[:-1]], inner.var[columns[:-1]]
    p = np.empty((len(s), len(residual), len(columns)))
    rows = max(UPDATE_BLOCK // p[0].size, 1)
    for first in range(0, len(s), rows):
        part = slice(first, first + rows)
        scale, moved = s[part, None, :], p[part]
        np.multiply(scale, z[part if len(z) > 1 else slice(None), :, None], out=moved)
        moved[:, :, :-1] += mean
        moved[:, :, -1] += own_mean[j, part, None]
        left = (scale * scale) * (residual - 1.0)[:, None]
        left[:, :, :-1] += var
        left[:, :, -1] += own_var[part, None]
        np.maximum(left, VARIANCE_FLOOR * amplitude, out=left)
        probability(bounds, moved, np.sqrt(left, out=left), out=moved)
    return Updated(columns, p)


def _columns(bounds: Bounds, inner: Posterior, j: int, move: Array) -> Ints:
    """Inner points whose feasibility may change if their mean moves by at most `move` [N]; the candidate's own last."""
    mean, sd = inner.mean[j], np.sqrt(inner.var)
    above = bounds.upper - mean
    keeps, changes = above - move > FEASIBLE_SDS * sd, above + move >= -INFEASIBLE_SDS * sd
    if not bounds.one_sided:
        below = mean - bounds.lower
        keeps &= below - move > FEASIBLE_SDS * sd
        changes &= below + move >= -INFEASIBLE_SDS * sd
    found = np.ones(len(mean) + 1, dtype=bool)
    np.greater(changes, keeps, out=found[:-1])
    return found.nonzero()[0]


def possible(bounds: Sequence[Bounds], posteriors: Sequence[Posterior]) -> Flags:
    """Which points might be feasible after some observation, by the processes there (objective first); [N]."""
    found = np.ones(len(posteriors[0].x), dtype=bool)
    for b, here in zip(bounds, posteriors[1:], strict=True):
        far = IMPOSSIBLE_SDS * np.sqrt(here.var)
        found &= ((here.mean - far <= b.upper) & (here.mean + far >= b.lower)).any(axis=0)
    return found
