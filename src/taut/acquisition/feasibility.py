"""Probability that a constraint holds, PF = P(lower <= c <= upper), with logarithm and derivatives.

One-sided constraints have lower = -inf: PF = Phi((upper - mu)/sigma). Two-sided ones are one function with one process:
PF = Phi((upper - mu)/sigma) - Phi((lower - mu)/sigma). All functions are elementwise in mean and sd.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from taut.acquisition.normal import interval_ratios, inverse_mills, log_cdf, log_interval
from taut.arrays import Array

SMALLEST_SCORE = -12.9  # Phi(-12.9) = 2e-38: products of a few dozen stay out of the slow denormal range


@dataclass(frozen=True)
class Bounds:
    """Feasible interval of a constraint in inner units."""

    lower: float
    upper: float

    @property
    def one_sided(self) -> bool:
        return bool(np.isneginf(self.lower))


def probability(bounds: Bounds, mean: Array, sd: Array) -> Array:
    """PF, plain."""
    high = (bounds.upper - mean) / sd
    if bounds.one_sided:
        return np.asarray(special.ndtr(np.maximum(high, SMALLEST_SCORE)))
    low = (bounds.lower - mean) / sd
    flip = low + high > 0.0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    p: Array = np.maximum(special.ndtr(b) - special.ndtr(a), 1e-38)
    return p


def log_probability(bounds: Bounds, mean: Array, sd: Array) -> Array:
    """log PF."""
    high = (bounds.upper - mean) / sd
    if bounds.one_sided:
        return log_cdf(high)
    return log_interval((bounds.lower - mean) / sd, high)


def log_probability_slopes(bounds: Bounds, mean: Array, sd: Array) -> tuple[Array, Array, Array]:
    """log PF, d log PF/d mean and d log PF/d sd.

    With u = (bound - mu)/sigma and ratio phi(u)/PF: du/dmu = -1/sigma and du/dsigma = -u/sigma.
    """
    high = (bounds.upper - mean) / sd
    if bounds.one_sided:
        ratio = inverse_mills(high)
        return log_cdf(high), -ratio / sd, -ratio * high / sd
    low = (bounds.lower - mean) / sd
    down, up = interval_ratios(low, high)
    return log_interval(low, high), (down - up) / sd, (down * low - up * high) / sd


@dataclass(frozen=True)
class Truncated:
    """A normal score Z given lower <= mean + s Z <= upper: its mean z and the log probability p, with derivatives."""

    z: Array
    log_p: Array
    z_by_mean: Array
    z_by_s: Array
    p_by_mean: Array
    p_by_s: Array


def truncated(bounds: Bounds, mean: Array, s: Array) -> Truncated:
    """E[Z | feasible] = (phi(a) - phi(b))/P with a, b = (bounds - mean)/s and P = Phi(b) - Phi(a); elementwise."""
    b = (bounds.upper - mean) / s
    log_p = log_probability(bounds, mean, s)
    if bounds.one_sided:
        a, down, up = np.zeros_like(mean), np.zeros_like(mean), inverse_mills(b)
    else:
        a = (bounds.lower - mean) / s
        down, up = interval_ratios(a, b)
    z = down - up
    by_b, by_a = up * (b - z), down * (z - a)
    return Truncated(z, log_p, -(by_a + by_b) / s, -(by_a * a + by_b * b) / s, (down - up) / s, (down * a - up * b) / s)
