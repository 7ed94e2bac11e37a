"""Probability that a constraint holds, PF = P(lower <= c <= upper), with logarithm and derivatives.

One-sided constraints have lower = -inf: PF = Phi((upper - mu)/sigma). Two-sided ones are one function with one process:
PF = Phi((upper - mu)/sigma) - Phi((lower - mu)/sigma). All functions are elementwise in mean and sd.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import cdf, interval_ratios, inverse_mills, log_cdf, log_interval


@dataclass(frozen=True)
class Bounds:
    """Feasible interval of a constraint in inner units."""

    lower: float
    upper: float

    @property
    def one_sided(self) -> bool:
        return self.lower == -np.inf


FURTHEST = 1e40
"""Standard deviations from a bound beyond which a score says no more: its square times a slope is still a float."""


def _scores(bound: float, mean: Array, sd: Array) -> Array:
    """(bound - mean)/sd."""
    return np.minimum(np.maximum((bound - mean) / sd, -FURTHEST), FURTHEST)


def probability(bounds: Bounds, mean: Array, sd: Array, out: Array | None = None) -> Array:
    """PF, plain; out: a contiguous array for it, which may be that of the mean."""
    high = np.subtract(bounds.upper, mean, out=np.empty(np.broadcast(mean, sd).shape) if out is None else out)
    if bounds.one_sided:
        high /= sd
        return cdf(high)
    low = (bounds.lower - bounds.upper + high) / sd
    high /= sd
    flip = low + high > 0.0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    p: Array = np.maximum(cdf(b) - cdf(a), 1e-38, out=high)
    return p


def log_probability(bounds: Bounds, mean: Array, sd: Array) -> Array:
    """log PF."""
    high = _scores(bounds.upper, mean, sd)
    if bounds.one_sided:
        return log_cdf(high)
    return log_interval(_scores(bounds.lower, mean, sd), high)


def log_probability_with_gradient(bounds: Bounds, mean: Array, sd: Array) -> tuple[Array, Array, Array]:
    """log PF, d log PF/d mean and d log PF/d sd.

    With u = (bound - mu)/sigma and ratio phi(u)/PF: du/dmu = -1/sigma and du/dsigma = -u/sigma.
    """
    high = _scores(bounds.upper, mean, sd)
    if bounds.one_sided:
        by_mean = inverse_mills(high) / -sd
        return log_cdf(high), by_mean, by_mean * high
    low = _scores(bounds.lower, mean, sd)
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
    b = _scores(bounds.upper, mean, s)
    if bounds.one_sided:
        up = inverse_mills(b)
        by_b = up * (b + up)
        return Truncated(-up, log_cdf(b), by_b / -s, by_b * b / -s, up / -s, up * b / -s)
    a = _scores(bounds.lower, mean, s)
    down, up = interval_ratios(a, b)
    z, log_p = down - up, log_interval(a, b)
    by_b, by_a = up * (b - z), down * (z - a)
    return Truncated(z, log_p, -(by_a + by_b) / s, -(by_a * a + by_b * b) / s, (down - up) / s, (down * a - up * b) / s)
