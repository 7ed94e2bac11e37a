"""A polynomial that is part of a process's mean (exact.py), in the process's standardised units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.base.arrays import Array


def polynomials(centred: Array, order: int) -> Array:
    """1, u, and with order 2 the products of its elements, each once, for u = x - 1/2 [n, d]; [n, .]."""
    parts = [np.ones((len(centred), 1)), centred]
    if order == 2:
        i, j = np.triu_indices(centred.shape[1])
        parts.append(centred[:, i] * centred[:, j])
    return np.hstack(parts)


class Drift(NamedTuple):
    """sum of beta_k times the k-th polynomial."""

    order: int
    beta: tuple[float, ...]

    def at(self, centred: Array) -> Array:
        """Values for u = x - 1/2 [q, d]; [q]."""
        value: Array = polynomials(centred, self.order) @ np.array(self.beta)
        return value

    def slope(self, centred: Array) -> Array:
        """Gradients [q, d]."""
        d = centred.shape[1]
        slope: Array = np.repeat(np.array([self.beta[1 : d + 1]]), len(centred), axis=0)
        if self.order == 2:
            W = np.zeros((d, d))
            W[np.triu_indices(d)] = self.beta[d + 1 :]
            slope += centred @ (W + W.T)
        return slope
