"""Matern-5/2 correlation and what its derivatives need.

| symbol | meaning | shape |
| --- | --- | --- |
| A, B | points in the unit cube | [n, d], [m, d] |
| l | length-scales, one per input | [d] |
| s | sqrt(5) r, r^2 = sum_i (a_i - b_i)^2 / l_i^2 | [n, m] |
| C | correlation (1 + s + s^2/3) exp(-s) | [n, m] |
| D | radial slope (5/3)(1 + s) exp(-s) | [n, m] |

With D every derivative is a product: dC/da_i = -D (a_i - b_i)/l_i^2 and dC/dlog l_i = D (a_i - b_i)^2/l_i^2.
"""

from __future__ import annotations

import numpy as np

from taut.arrays import Array

SQRT5 = float(np.sqrt(5.0))


def scaled_distance(A: Array, B: Array, l: Array) -> Array:
    """s = sqrt(5) r between all rows of A [n, d] and B [m, d]; returns [n, m].

    One matrix product instead of n m d differences. Centring keeps the cancellation error of s^2 near 1e-15,
    which is invisible because C is quadratic in s at 0.
    """
    a = (A - 0.5) * (SQRT5 / l)
    b = (B - 0.5) * (SQRT5 / l)
    s2 = a @ b.T
    s2 *= -2.0
    s2 += np.einsum("ij,ij->i", a, a)[:, None]
    s2 += np.einsum("ij,ij->i", b, b)[None, :]
    np.maximum(s2, 0.0, out=s2)
    s: Array = np.sqrt(s2, out=s2)
    return s


def matern52(A: Array, B: Array, l: Array) -> Array:
    """C(A, B) = (1 + s + s^2/3) exp(-s); returns [n, m]."""
    s = scaled_distance(A, B, l)
    return (1.0 + s + s * s / 3.0) * np.exp(-s)


def matern52_with_slope(A: Array, B: Array, l: Array) -> tuple[Array, Array]:
    """C(A, B) and the radial slope D(A, B), both [n, m]."""
    s = scaled_distance(A, B, l)
    e = np.exp(-s)
    inner = (1.0 + s) * e
    return inner + (s * s / 3.0) * e, (5.0 / 3.0) * inner


def pull_back(weights: Array, slope: Array, A: Array, x: Array, l: Array) -> Array:
    """sum_n weights[n, q] dC(A_n, x_q)/dx_q, one gradient per column; returns [q, d].

    weights, slope: [n, q]; A: [n, d]; x: [q, d].
    """
    w = weights * slope
    total: Array = (w.T @ A - x * w.sum(axis=0)[:, None]) / (l * l)
    return total
