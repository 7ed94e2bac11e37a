"""Scalar maths of normal and Student-t variables, stable in the tails. All functions are elementwise.

| symbol | meaning |
| --- | --- |
| phi, Phi | standard normal density and distribution |
| t_nu, T_nu | Student-t density and distribution; nu = inf is the normal |
| H(q) | E[T; T > q] = (nu + q^2)/(nu - 1) t_nu(q), the partial expectation |
"""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy import special

from taut.arrays import Array, Flags

LOG_SQRT_2PI = 0.5 * float(np.log(2.0 * np.pi))
SQRT_2 = float(np.sqrt(2.0))
NORMAL_FROM = 200.0  # degrees of freedom beyond which a Student-t is treated as normal


def log_density(z: Array) -> Array:
    """log phi(z)."""
    return -0.5 * z * z - LOG_SQRT_2PI


def log_cdf(z: Array) -> Array:
    """log Phi(z), asymptotic in the left tail."""
    return cast(Array, special.log_ndtr(z))


def inverse_mills(z: Array) -> Array:
    """lambda(z) = phi(z)/Phi(z), the derivative of log Phi; exact from z = -1e8 to +inf."""
    return cast(Array, np.sqrt(2.0 / np.pi) / special.erfcx(-z / SQRT_2))


def log1mexp(a: Array) -> Array:
    """log(1 - e^a) for a <= 0."""
    with np.errstate(divide="ignore"):
        return np.where(a > -np.log(2.0), np.log(-np.expm1(np.minimum(a, 0.0))), np.log1p(-np.exp(a)))


def log_h(z: Array) -> Array:
    """log(phi(z) + z Phi(z)), the log of the standardised expected improvement."""
    z = np.asarray(z, dtype=float)
    near = z > -1.0
    safe = np.where(near, z, 0.0)
    direct = np.log(np.exp(log_density(safe)) + safe * special.ndtr(safe))
    return np.where(near, direct, log_density(z) + _log_remainder(np.minimum(z, -1.0)))


def log_h_slope(z: Array) -> Array:
    """d log_h / dz = Phi(z)/(phi(z) + z Phi(z)); in the tail Phi/phi over 1 + z Phi/phi, so that nothing cancels."""
    z = np.asarray(z, dtype=float)
    near = z > -1.0
    safe, tail = np.where(near, z, 0.0), np.minimum(z, -1.0)
    direct = special.ndtr(safe) / (np.exp(log_density(safe)) + safe * special.ndtr(safe))
    return np.where(near, direct, np.exp(-_log_remainder(tail)) / inverse_mills(tail))


def _log_remainder(z: Array) -> Array:
    """log(1 + z Phi(z)/phi(z)) for z <= -1: directly by erfcx, and by its series where that loses digits."""
    w = np.log(-z * np.sqrt(np.pi / 2.0) * special.erfcx(-z / SQRT_2))
    direct = log1mexp(np.minimum(w, -1e-300))
    series = -2.0 * np.log(-z) + np.log1p(-3.0 / (z * z) + 15.0 / z**4)
    return np.where(z > -1e3, direct, series)


def log_interval(a: Array, b: Array) -> Array:
    """log(Phi(b) - Phi(a)) for a < b, reflected so that the smaller tail is subtracted."""
    low, high, _ = _reflected(a, b)
    return log_cdf(high) + log1mexp(_log_ratio(low, high))


def interval_ratios(a: Array, b: Array) -> tuple[Array, Array]:
    """phi(a)/P and phi(b)/P for P = Phi(b) - Phi(a), a < b; free of cancellation however far in a tail.

    On the reflected side phi(high)/P = lambda(high)/(1 - Phi(low)/Phi(high)), the other one by exp((high^2 - low^2)/2).
    """
    low, high, flip = _reflected(a, b)
    outer = inverse_mills(high) / -np.expm1(_log_ratio(low, high))
    inner = outer * np.exp(-0.5 * (low - high) * (low + high))
    return np.where(flip, outer, inner), np.where(flip, inner, outer)


def _reflected(a: Array, b: Array) -> tuple[Array, Array, Flags]:
    flip = a + b > 0.0
    return np.where(flip, -b, a), np.where(flip, -a, b), flip


def _log_ratio(low: Array, high: Array) -> Array:
    """log(Phi(low)/Phi(high)) <= -1e-16; in the tail from differences of squares, which do not cancel."""
    tail = np.minimum(high, 0.0)
    by_squares = -0.5 * (low - tail) * (low + tail) + np.log(
        special.erfcx(-low / SQRT_2) / special.erfcx(-tail / SQRT_2)
    )
    return np.minimum(np.where(high < 0.0, by_squares, log_cdf(low) - log_cdf(high)), -1e-16)


def student_cdf(t: Array, nu: float) -> Array:
    """T_nu(t)."""
    if nu > NORMAL_FROM:
        return cast(Array, special.ndtr(t))
    return cast(Array, special.stdtr(nu, t))


def student_density(t: Array, nu: float) -> Array:
    """t_nu(t)."""
    if nu > NORMAL_FROM:
        return np.exp(log_density(t))
    log_norm = special.gammaln(0.5 * (nu + 1.0)) - special.gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi)
    return cast(Array, np.exp(log_norm - 0.5 * (nu + 1.0) * np.log1p(t * t / nu)))


def partial_expectation(t: Array, nu: float) -> Array:
    """H(t) = E[T; T > t] for T ~ t_nu (nu > 1); H(+-inf) = 0. Normal: phi(t)."""
    if nu > NORMAL_FROM:
        return np.exp(log_density(t))
    with np.errstate(invalid="ignore"):
        value = (nu + t * t) / (nu - 1.0) * student_density(t, nu)
    return np.where(np.isfinite(t), value, 0.0)


def student_quantile(z: Array, nu: float) -> Array:
    """The t_nu quantile at the normal score z: T_nu^-1(Phi(z)), by symmetry from the left tail."""
    if nu > NORMAL_FROM:
        return np.asarray(z, dtype=float)
    tail: Array = special.stdtrit(nu, special.ndtr(-np.abs(z)))
    return -np.sign(z) * tail


def expected_max(a: Array, b: Array, nu: float = np.inf) -> float:
    """E[max_i (a_i + b_i T)], T ~ t_nu. a, b: [m]; exact, O(m log m).

    Upper hull of the lines, breakpoints c_i between neighbours, slope jumps db_i > 0:
    max_i a_i + sum_i db_i h(|c_i|), h(c) = H(c) - c T_nu(-c).
    """
    order = np.lexsort((a, b))
    a, b = a[order], b[order]
    keep = np.append(b[1:] > b[:-1], True)
    hull_a, hull_b, breaks = _upper_hull(a[keep], b[keep])
    jumps = np.diff(hull_b)
    c = np.abs(breaks)
    tail = partial_expectation(c, nu) - c * student_cdf(-c, nu)
    return float(np.max(hull_a)) + float(jumps @ tail)


def _upper_hull(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Lines on the upper envelope, slopes strictly increasing on entry, and the points where neighbours meet."""
    stack: list[int] = []
    breaks: list[float] = []
    for i in range(len(a)):
        while stack:
            meet = (a[stack[-1]] - a[i]) / (b[i] - b[stack[-1]])
            if breaks and meet <= breaks[-1]:
                stack.pop()
                breaks.pop()
                continue
            breaks.append(float(meet))
            break
        stack.append(i)
    return a[stack], b[stack], np.array(breaks)
