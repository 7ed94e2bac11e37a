"""Slow twin of taut.surrogate.labels: what labels say of a process, by quadrature over its values at the points."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import ndtr

from taut.base.arrays import Array
from taut.surrogate.kernels import matern52


def by_quadrature(
    X: Array, t: Array, lengths: Array, a: float, m: float, x: Array, nodes: int = 60
) -> tuple[float, Array]:
    """Evidence of labels t [n] at X [n, d], and the probability of a success at x [q, d]; nodes^n products."""
    z, w = np.polynomial.hermite_e.hermegauss(nodes)
    z, w = np.array(list(product(z, repeat=len(t)))), np.array(list(product(w / w.sum(), repeat=len(t)))).prod(axis=1)
    K = a * matern52(X, X, lengths)
    root = np.linalg.cholesky(K + 1e-10 * a * np.eye(len(t)))
    g = m + z @ root.T
    likely = w * ndtr(t * g).prod(axis=1)
    to = a * matern52(x, X, lengths)
    weights = np.linalg.solve(K + 1e-10 * a * np.eye(len(t)), to.T).T
    mean, var = m + (g - m) @ weights.T, a - np.vecdot(weights, to)
    success: Array = likely @ ndtr(mean / np.sqrt(1.0 + var)) / likely.sum()
    return float(likely.sum()), success
