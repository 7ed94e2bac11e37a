"""Penalised negative log-likelihoods of the hyperparameters, with analytic gradients.

Two treatments of the signal variance a, for standardised data y [n] and R(l) = C(X, X) + rho I:

* `integrated` (library default): mean and a are integrated out, so only the length-scales (and a learned noise ratio)
  are free and predictions are Student-t with nu = nu0 + n - 1 degrees of freedom:

      m = 1'R^-1 y / 1'R^-1 1,  q = R^-1 (y - m),  S = (y - m)'q,  a = (nu0 + S)/nu
      nll = 1/2 log|R| + 1/2 log(1'R^-1 1) + nu/2 log(nu0 + S) - log p(theta)

  nu0 pseudo-observations of unit variance keep nu >= 3 when fewer than four values are known, and are 0 from there on.
* `plugged_in` (the presets of the literature, and functions with a given noise): a is a free parameter, the noise is
  absolute, K = a C + noise I, and the constant mean is the generalised least-squares one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve

from taut.arrays import Array
from taut.surrogate.kernels import matern52_with_slope

MINIMUM_FREEDOM = 3.0
Penalty = Callable[[Array], tuple[float, Array]]


@dataclass(frozen=True)
class Standardised:
    """Data of one function ready for fitting: X [n, d], y [n] standardised, squared differences per input [d, n, n]."""

    X: Array
    y: Array
    squared: Array


@dataclass(frozen=True)
class Integrated:
    """What the integrated treatment finds at one R: mean, S-based variance, freedom."""

    m: float
    a: float
    nu: float


def freedom(n: int) -> tuple[float, float]:
    """(nu, nu0): degrees of freedom after n values and the pseudo-observations among them."""
    known = max(n - 1.0, 0.0)
    nu = max(known, MINIMUM_FREEDOM)
    return nu, nu - known


def correlation(data: Standardised, l: Array) -> tuple[Array, Array]:
    """C(X, X) [n, n] and dC/dlog l [d, n, n]."""
    C, D = matern52_with_slope(data.X, data.X, l)
    return C, D[None, :, :] * (data.squared / (l * l)[:, None, None])


def _factor(R: Array) -> tuple[Array, Array, float]:
    L = np.linalg.cholesky(R)
    inverse = cho_solve((L, True), np.eye(len(R)), check_finite=False)
    return L, inverse, float(2.0 * np.log(np.diag(L)).sum())


def integrated(
    data: Standardised, theta: Array, rho: float | None, penalty: Penalty
) -> tuple[float, Array, Integrated]:
    """Value, gradient and (m, a, nu) of the integrated treatment; theta = log l [d], then log rho if rho is None."""
    n, d = data.X.shape
    learned = rho is None
    noise = float(np.exp(theta[d])) if rho is None else rho
    C, dC = correlation(data, np.exp(theta[:d]))
    C[np.diag_indices_from(C)] = 1.0 + noise
    _, inverse, logdet = _factor(C)
    u = inverse.sum(axis=1)
    w = float(u.sum())
    m = float(u @ data.y) / w
    q = inverse @ (data.y - m)
    nu, nu0 = freedom(n)
    S = max(float((data.y - m) @ q), 1e-12)
    a = (nu0 + S) / nu
    value = 0.5 * logdet + 0.5 * np.log(w) + 0.5 * nu * np.log(nu0 + S)
    inner = np.outer(q, q / a) - inverse + np.outer(u, u / w)
    gradient = -0.5 * np.einsum("ij,kij->k", inner, dC)
    if learned:
        gradient = np.append(gradient, -0.5 * noise * np.trace(inner))
    extra, extra_gradient = penalty(theta)
    return float(value) + extra, gradient + extra_gradient, Integrated(m, a, nu)


def plugged_in(data: Standardised, theta: Array, noise: float | None, penalty: Penalty) -> tuple[float, Array, float]:
    """Value, gradient and mean, plug-in treatment; theta = (log l [d], log a), then log noise if noise is None."""
    d = data.X.shape[1]
    a = float(np.exp(theta[d]))
    level = float(np.exp(theta[d + 1])) if noise is None else noise
    C, dC = correlation(data, np.exp(theta[:d]))
    K = a * C
    K[np.diag_indices_from(K)] = a + level
    _, inverse, logdet = _factor(K)
    u = inverse.sum(axis=1)
    m = float(u @ data.y) / float(u.sum())
    q = inverse @ (data.y - m)
    value = 0.5 * logdet + 0.5 * float((data.y - m) @ q)
    inner = np.outer(q, q) - inverse
    gradient = np.append(-0.5 * a * np.einsum("ij,kij->k", inner, dC), -0.5 * a * np.sum(inner * C))
    if noise is None:
        gradient = np.append(gradient, -0.5 * level * np.trace(inner))
    extra, extra_gradient = penalty(theta)
    return value + extra, gradient + extra_gradient, m
