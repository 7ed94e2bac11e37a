"""A Gaussian process that is only seen through labels, by expectation propagation (EP).

| symbol | meaning | shape |
| --- | --- | --- |
| g | the process at the labelled points: mean m, covariance K = a C(X, X) | [n] |
| t | labels, +1 or -1; P(t_i given g_i) = Phi(t_i g_i) | [n] |
| tau, nu | sites: Phi(t_i g_i) is replaced by exp(nu_i h_i - tau_i h_i^2/2), h = g - m | [n] |
| S, B | diag(tau)^(1/2), I + S K S with Cholesky factor L | [n, n] |
| Sigma | covariance given the sites, K - K S B^-1 S K; the mean of h is Sigma nu | [n, n] |

A cavity is the marginal of h_i without its own site. Moments of cavity times Phi are exact and closed; the site is what
it takes to have the same ones. All sites are moved together, and damped; Phi is log-concave, so that all tau >= 0.

At the fixed point the evidence does not change with the sites, so that its gradient is the explicit one:
d log Z/d theta = tr((b b' - S B^-1 S) dK/dtheta)/2 with b = (K + diag(1/tau))^-1 nu/tau, and d log Z/dm the sum of the
slopes of the cavities' log Phi.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from taut.base.arrays import Array
from taut.base.normal import inverse_mills, log_cdf
from taut.surrogate.kernels import SLOPE, matern52_with_slope
from taut.surrogate.settings import SuccessSettings


class _Tilted(NamedTuple):
    """Cavity precision tau and precision times mean nu [n], log of its mean of Phi, and slope and bend of that [n]."""

    tau: Array
    nu: Array
    log_z: Array
    slope: Array
    bend: Array


@dataclass(frozen=True)
class Labels:
    """Labels t [n] at X [n, d]."""

    X: Array
    t: Array

    @cached_property
    def squares(self) -> Array:
        """Squared differences, input by input; [d, n, n]."""
        columns = self.X.T
        return np.square(columns[:, :, None] - columns[:, None, :])


@dataclass(frozen=True)
class Propagated:
    """The fixed point of EP: sites tau, nu [n], log evidence, and its gradient by (log l [d], log a, m)."""

    tau: Array
    nu: Array
    evidence: float
    gradient: Array


def propagate(labels: Labels, l: Array, a: float, m: float, settings: SuccessSettings) -> Propagated:
    """EP for length-scales l [d], variance a and mean m."""
    C, D = matern52_with_slope(labels.X, labels.X, l)
    K = a * C
    tau, nu = np.zeros((2, len(labels.t)))
    for _ in range(settings.sweeps):
        given = _Given.of(K, tau, nu)
        tilted = given.tilted(labels.t, m)
        shrunk = 1.0 + tilted.bend / tilted.tau
        new_tau = -tilted.bend / shrunk
        new_nu = (tilted.slope - tilted.bend * tilted.nu / tilted.tau) / shrunk
        change = max(float(np.abs(new_tau - tau).max()), float(np.abs(new_nu - nu).max()))
        tau = tau + settings.damping * (new_tau - tau)
        nu = nu + settings.damping * (new_nu - nu)
        if change < settings.converged:
            break
    given = _Given.of(K, tau, nu)
    tilted = given.tilted(labels.t, m)
    by_K = given.slopes
    by_l = 0.5 * a * SLOPE * np.einsum("nm,inm->i", by_K * D, labels.squares) / l**2
    gradient = np.concatenate([by_l, [0.5 * float(np.vdot(by_K, K)), float(tilted.slope.sum())]])
    return Propagated(tau, nu, given.evidence(tilted), gradient)


@dataclass(frozen=True)
class _Given:
    """The process h given its sites. half: L^-1 S [n, n], var: diagonal of Sigma [n], mean of h [n]."""

    K: Array
    tau: Array
    nu: Array
    L: Array
    half: Array
    mean: Array
    var: Array

    @staticmethod
    def of(K: Array, tau: Array, nu: Array) -> _Given:
        root = np.sqrt(tau)
        B = root[:, None] * K * root
        B[np.diag_indices_from(B)] += 1.0
        L, info = dpotrf(B, lower=1, overwrite_a=1)
        assert not info, "I + S K S is positive definite"
        half = dtrtri(L, lower=1)[0] * root
        V = half @ K
        var = np.diagonal(K) - np.vecdot(V.T, V.T)
        mean = K @ nu - V.T @ (V @ nu)
        return _Given(K, tau, nu, L, half, mean, var)

    def tilted(self, t: Array, m: float) -> _Tilted:
        tau, nu = 1.0 / self.var - self.tau, self.mean / self.var - self.nu
        root = np.sqrt(1.0 + 1.0 / tau)
        z = t * (nu / tau + m) / root
        ratio = inverse_mills(z)
        return _Tilted(tau, nu, log_cdf(z), t * ratio / root, -ratio * (z + ratio) / root**2)

    @property
    def slopes(self) -> Array:
        """b b' - S B^-1 S: twice the derivative of the evidence by K; [n, n]."""
        inverse = self.half.T @ self.half
        b = self.nu - inverse @ (self.K @ self.nu)
        return np.multiply.outer(b, b) - inverse

    def evidence(self, tilted: _Tilted) -> float:
        """log Z of EP, of the cavities and what the sites double."""
        share = self.tau / tilted.tau
        pairs = np.vdot(self.nu, self.mean) - np.vdot(self.var, self.nu**2)
        pairs += np.vdot(tilted.nu * (share * tilted.nu - 2.0 * self.nu), self.var)
        total = tilted.log_z.sum() + 0.5 * np.log1p(share).sum() + 0.5 * pairs
        return float(total - np.log(np.diagonal(self.L)).sum())
