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

from dataclasses import dataclass

import numpy as np

from taut.arrays import Array, Ints

SQRT5 = float(np.sqrt(5.0))


@dataclass(frozen=True)
class Sites:
    """Points prepared for distances: x sqrt(5)/l, centred, [n, d], and the squared lengths of its rows [n]."""

    a: Array
    square: Array

    def part(self, rows: Ints) -> Sites:
        return Sites(self.a[rows], self.square[rows])

    def joined(self, other: Sites) -> Sites:
        return Sites(np.vstack([self.a, other.a]), np.concatenate([self.square, other.square]))


def sites(x: Array, l: Array) -> Sites:
    """Prepare points x [n, d] of the unit cube for length-scales l [d]."""
    a = (x - 0.5) * (SQRT5 / l)
    return Sites(a, np.einsum("ij,ij->i", a, a))


def distance(A: Sites, B: Sites) -> Array:
    """s = sqrt(5) r between all rows of A [n] and B [m]; returns [n, m].

    One matrix product instead of n m d differences. Centring keeps the cancellation error of s^2 near 1e-15,
    which is invisible because C is quadratic in s at 0.
    """
    s2 = A.a @ B.a.T
    s2 *= -2.0
    s2 += A.square[:, None]
    s2 += B.square
    np.maximum(s2, 0.0, out=s2)
    s: Array = np.sqrt(s2, out=s2)
    return s


def correlation(A: Sites, B: Sites) -> Array:
    """C(A, B) = (1 + s + s^2/3) exp(-s); returns [n, m]."""
    s = distance(A, B)
    C = s * (1.0 / 3.0)
    C += 1.0
    C *= s
    C += 1.0
    np.negative(s, out=s)
    C *= np.exp(s, out=s)
    return C


def correlation_with_slope(A: Sites, B: Sites) -> tuple[Array, Array]:
    """C(A, B) and the radial slope D(A, B), both [n, m]."""
    s = distance(A, B)
    D = np.exp(-s)
    C = s * D
    D += C  # (1 + s) exp(-s)
    C *= s
    C *= 1.0 / 3.0
    C += D
    D *= 5.0 / 3.0
    return C, D


def matern52(A: Array, B: Array, l: Array) -> Array:
    """C between points A [n, d] and B [m, d] of the unit cube; [n, m]."""
    return correlation(sites(A, l), sites(B, l))


def matern52_with_slope(A: Array, B: Array, l: Array) -> tuple[Array, Array]:
    """C and D between points A [n, d] and B [m, d] of the unit cube, both [n, m]."""
    return correlation_with_slope(sites(A, l), sites(B, l))


def pull_back(weights: Array | float, slope: Array, A: Array, x: Array, l: Array) -> Array:
    """sum_n weights[n, q] dC(A_n, x_q)/dx_q, one gradient per column; returns [q, d].

    weights, slope: [n, q]; A: [n, d]; x: [q, d].
    """
    w = weights * slope
    total: Array = (w.T @ A - x * w.sum(axis=0)[:, None]) / (l * l)
    return total
