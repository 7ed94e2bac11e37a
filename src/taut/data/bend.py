"""The objective on a logarithmic scale: straight at its best values, and the logarithm of how far the others are off.

With u = (y - b)/s, b the pivot and s > 0 the size (inner form, which is maximised):

    falling   w(y) = -log(1 - u) for u < 0,  u above     the worst values are far off; b is the best one
    rising    w(y) =  log(1 + u) for u > 0,  u below     the best values are far off; b is the worst one

Both are monotone, smooth up to the first derivative and take any value. b + s is the asymptote of the first: for a
positive function that is minimised and s = -b it is the logarithm itself up to the best value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.base.arrays import Array

FURTHEST = 500.0
"""Beyond this a logarithm is cut off, so that a far prediction stays finite."""


class Bend(NamedTuple):
    """Pivot b and size s in inner units; size 0: values as they are."""

    pivot: float = 0.0
    size: float = 0.0
    rising: bool = False

    def of(self, y: Array) -> Array:
        """w(y)."""
        if not self.size:
            return y
        u = (np.asarray(y, dtype=float) - self.pivot) / self.size
        return np.where(u > 0.0, np.log1p(np.maximum(u, 0.0)), u) if self.rising else _falling(u)

    def back(self, w: Array) -> Array:
        """The inverse of `of`."""
        if not self.size:
            return w
        w = np.asarray(w, dtype=float)
        far = np.expm1(np.minimum(np.abs(w), FURTHEST))
        u = np.where(w > 0.0, far, w) if self.rising else np.where(w < 0.0, -far, w)
        return self.pivot + self.size * u

    def slope(self, y: Array) -> Array:
        """w'(y)."""
        if not self.size:
            return np.ones_like(y)
        off = np.asarray(y, dtype=float) - self.pivot
        return 1.0 / (self.size + np.maximum(off if self.rising else -off, 0.0))

    def log_slope(self, y: Array) -> Array:
        """log w'(y)."""
        return np.log(self.slope(y))

    def in_unit(self, unit: float) -> Bend:
        """The same for values that are multiplied by a unit."""
        return Bend(self.pivot * unit, self.size * unit, self.rising)


STRAIGHT = Bend()
"""Values as they are."""


def _falling(u: Array) -> Array:
    return np.where(u < 0.0, -np.log1p(np.maximum(-u, 0.0)), u)
