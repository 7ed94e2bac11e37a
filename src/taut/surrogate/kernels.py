"""Matern-5/2 correlation and what its derivatives need.

| symbol | meaning | shape |
| --- | --- | --- |
| A, B | points in the unit cube | [n, d], [m, d] |
| l | length-scales, one per input | [d] |
| s | sqrt(5) r, r^2 = sum_i (a_i - b_i)^2 / l_i^2 | [n, m] |
| C | correlation (1 + s + s^2/3) exp(-s) | [n, m] |
| D | radial slope (1 + s) exp(-s) | [n, m] |

With D every derivative is a product: dC/da_i = -5/3 D (a_i - b_i)/l_i^2 and dC/dlog l_i = 5/3 D (a_i - b_i)^2/l_i^2.

Points are prepared once as features (u, 1, |u|^2) with u = (x - 1/2)/l, so that all squared distances are one matrix
product with (-2 u, |u|^2, 1) of the other points instead of n m d differences. Centring keeps the cancellation error
of s^2 near 1e-15, times |u|^2 where length-scales are short: what is left in C is `rounded_off`.
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array

SLOPE = 5.0 / 3.0
ROUNDING = 16.0 * float(np.finfo(float).eps)


def rounded_off(l: Array) -> float:
    """Rounding errors of a correlation for length-scales l [d], whose squared distances are differences of |u|^2."""
    return ROUNDING * (1.0 + float(np.square(0.5 / l).sum()))


def nearly_one(l: Array, apart: float) -> float:
    """The smallest correlation that two names of one place may have, `apart` in each input, rounding included."""
    return 1.0 - 5.0 / 6.0 * float(np.square(apart / l).sum()) - rounded_off(l)


def features(x: Array, l: Array) -> Array:
    """Points x [n, d] of the unit cube as (u, 1, |u|^2) for length-scales l [d]; [n, d + 2]."""
    n, d = x.shape
    prepared = np.empty((n, d + 2))
    u = prepared[:, :d]
    np.subtract(x, 0.5, out=u)
    u /= l
    prepared[:, d] = 1.0
    np.vecdot(u, u, out=prepared[:, d + 1])
    return prepared


def distance_features(prepared: Array) -> Array:
    """5 (-2 u, |u|^2, 1) of features [n, d + 2], whose product with other features is 5 |u_a - u_b|^2 = s^2."""
    other = np.empty_like(prepared)
    np.multiply(prepared[:, :-2], -10.0, out=other[:, :-2])
    np.multiply(prepared[:, -1], 5.0, out=other[:, -2])
    other[:, -1] = 5.0
    return other


def _distances(A: Array, B: Array) -> tuple[Array, Array]:
    """s^2 and s between features A [n, d + 2] and distance features B [m, d + 2]; [n, m]."""
    square = A @ B.T
    np.maximum(square, 0.0, out=square)
    return square, np.sqrt(square)


def correlation(A: Array, B: Array) -> Array:
    """C between features A [n, d + 2] and distance features B [m, d + 2]; [n, m]."""
    C, s = _distances(A, B)
    C *= 1.0 / 3.0
    C += s
    C += 1.0
    np.negative(s, out=s)
    C *= np.exp(s, out=s)
    return C


def correlation_with_slope(A: Array, B: Array) -> tuple[Array, Array]:
    """C and D between features A [n, d + 2] and distance features B [m, d + 2], both [n, m]."""
    C, s = _distances(A, B)
    e = np.exp(-s)
    s += 1.0
    s *= e
    e *= 1.0 / 3.0
    C *= e
    C += s
    return C, s


def matern52(A: Array, B: Array, l: Array) -> Array:
    """C between points A [n, d] and B [m, d] of the unit cube; [n, m]."""
    return correlation(features(A, l), distance_features(features(B, l)))


def matern52_with_slope(A: Array, B: Array, l: Array) -> tuple[Array, Array]:
    """C and D between points A [n, d] and B [m, d] of the unit cube, both [n, m]."""
    return correlation_with_slope(features(A, l), distance_features(features(B, l)))


def pull_back(weights: Array | float, slope: Array, A: Array, x: Array, l: Array) -> Array:
    """sum_n weights[n, q] dC(A_n, x_q)/dx_q, one gradient per column; returns [q, d].

    weights, slope: [n, q]; A: features [n, d + 2]; x: features [q, d + 2].
    """
    sums = (weights * slope).T @ A[:, :-1]  # of w u and of w
    total = x[:, :-2] * sums[:, -1:]
    np.subtract(sums[:, :-1], total, out=total)
    total *= SLOPE / l
    return total
