"""A sign-preserving logarithm for constraints whose values span many orders of magnitude.

    w(y) = sign(y) log(1 + |y|/s),   w'(y) = 1/(s + |y|)

Whether a constraint holds depends on the side of its threshold only, so a monotone change of its scale is free: all
formulas see the probability PF and nothing else. s = 0 means no change. The scale is chosen by the evidence of the
fitted process, log p(w(y)) + sum_i log w'(y_i), and only where a few values dwarf the others.
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.settings import ModelSettings

LEAST = 1e-60  # of the largest value: no scale is smaller, y/s stays a float and loses nothing that data could show


def warp(y: Array, s: float) -> Array:
    """w(y); y unchanged for s = 0. Infinite bounds stay infinite."""
    return np.sign(y) * np.log1p(np.abs(y) / s) if s > 0.0 else y


def unwarp(w: Array, s: float) -> Array:
    """The inverse of `warp`, bounded so that a far prediction stays finite."""
    return np.sign(w) * s * np.expm1(np.minimum(np.abs(w), 500.0)) if s > 0.0 else w


def slope(y: Array, s: float) -> Array:
    """w'(y)."""
    return 1.0 / (s + np.abs(y)) if s > 0.0 else np.ones_like(y)


def log_slope(y: Array, s: float) -> float:
    """sum_i log w'(y_i)."""
    return -float(np.sum(np.log(s + np.abs(y)))) if s > 0.0 else 0.0


def scales(y: Array, settings: ModelSettings) -> tuple[float, ...]:
    """Scales worth trying for these values: none unless the largest dwarfs the median."""
    size = np.abs(y[y != 0.0])
    if len(size) < settings.warp_values or size.max() <= settings.warp_heavy * np.median(size):
        return ()
    low, middle = tempered(float(size.min()), y), tempered(float(np.median(size)), y)
    return tuple(dict.fromkeys((middle, float(np.sqrt(low * middle)), low)))


def tempered(s: float, y: Array) -> float:
    """A scale for values y [n], not too small for them; 0 stays 0."""
    return max(s, LEAST * float(np.abs(y).max(initial=0.0))) if s > 0.0 else 0.0
