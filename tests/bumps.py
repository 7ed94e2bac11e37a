"""A criterion of sets whose maxima are known: sums of bumps, and what some sets are worth more than their members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from taut.base.arrays import Array
from taut.policy.menu import Set
from taut.policy.search.sets import Groups


@dataclass(frozen=True)
class Bump:
    """height exp(-|x - centre|^2/(2 width^2))."""

    centre: Array
    height: float
    width: float

    def value_with_gradient(self, x: Array) -> tuple[Array, Array]:
        step = x - self.centre
        value = self.height * np.exp(-0.5 * (step**2).sum(axis=1) / self.width**2)
        return value, -value[:, None] * step / self.width**2


@dataclass(frozen=True)
class Bumps:
    """One list of bumps per function; a set is worth the sum of its members times its factor."""

    functions: Sequence[Sequence[Bump]]
    factors: Mapping[Set, float] = field(default_factory=dict)

    def at(self, x: Array) -> Array:
        return np.array([self._one(k, x)[0] for k in range(len(self.functions))])

    def value(self, at: Array, S: Set) -> Array:
        total: Array = self.factors.get(S, 1.0) * at[list(S)].sum(axis=0)
        return total

    def values_with_gradient(self, x: Array, groups: Groups) -> tuple[Array, Array]:
        value, gradient = np.zeros(len(x)), np.zeros_like(x)
        for S, rows in groups:
            for k in S:
                more, slope = self._one(k, x[rows])
                value[rows] += self.factors.get(S, 1.0) * more
                gradient[rows] += self.factors.get(S, 1.0) * slope
        return value, gradient

    def _one(self, k: int, x: Array) -> tuple[Array, Array]:
        parts = [bump.value_with_gradient(x) for bump in self.functions[k]]
        return np.sum([value for value, _ in parts], axis=0), np.sum([slope for _, slope in parts], axis=0)
