"""One Gaussian process: posterior, gradients and closed-form look-ahead, in the function's own (inner) units.

| symbol | meaning | shape |
| --- | --- | --- |
| X | data locations | [n, d] |
| R | C(X, X) + rho I, Cholesky factor L | [n, n] |
| m, a | constant mean and signal variance, standardised units | scalars |
| alpha | R^-1 (y - m), one column per draw of pending outcomes (one column if none) | [n, J] |
| V | L^-1 C(X, .), so that covariances are plain products | [n, q] |
| y | observed values, inner units | [n, J] |
| nu | degrees of freedom of the predictive: n - 1 if a was integrated out, inf if plugged in | scalar |
| offset, scale | y_inner = offset + scale * y_standardised | scalars |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from scipy.linalg.lapack import dtrtrs

from taut.arrays import Array
from taut.surrogate.kernels import matern52, matern52_with_slope, pull_back

# Below this share of the prior variance a posterior variance is rounding error.
VARIANCE_FLOOR = 1e-14


@dataclass(frozen=True)
class Hyper:
    """Hyperparameters in standardised units: length-scales l [d], variance a, noise ratio rho, mean m, freedom nu."""

    l: Array
    a: float
    rho: float
    m: float
    nu: float


@dataclass(frozen=True)
class Table:
    """A process at fixed points x [q, d]: V [n, q], mean [J, q], variance [q]."""

    x: Array
    V: Array
    mean: Array
    var: Array


@dataclass(frozen=True)
class GP:
    """Posterior of one function; see the notation above. Immutable: conditioning returns a new one."""

    X: Array
    y: Array
    hyper: Hyper
    L: Array
    alpha: Array
    offset: float
    scale: float

    @property
    def amplitude(self) -> float:
        """Prior variance in inner units, scale^2 a."""
        return self.scale**2 * self.hyper.a

    @property
    def noise(self) -> float:
        """Observation noise variance r in inner units, scale^2 a rho."""
        return self.amplitude * self.hyper.rho

    def at(self, x: Array) -> Table:
        """Mean and variance at x [q, d]: mu = offset + scale (m + C(x, X) alpha), v = scale^2 a (1 - V'V)."""
        C = matern52(self.X, x, self.hyper.l)
        V = self.whiten(C)
        return Table(x, V, self._mean(C), self._variance(V))

    def whiten(self, C: Array) -> Array:
        """V = L^-1 C for C [n, q]."""
        if not len(self.X):
            return C
        return solve_lower(self.L, C)

    def _mean(self, C: Array) -> Array:
        return self.offset + self.scale * (self.hyper.m + self.alpha.T @ C)

    def _variance(self, V: Array) -> Array:
        share: Array = np.maximum(1.0 - np.einsum("ij,ij->j", V, V), VARIANCE_FLOOR)
        return self.amplitude * share

    def covariance(self, a: Table, b: Table) -> Array:
        """cov(a.x, b.x) = scale^2 a (C(a, b) - V_a' V_b); returns [p, q]."""
        C = matern52(a.x, b.x, self.hyper.l)
        C -= a.V.T @ b.V
        C *= self.amplitude
        return C

    def trace(self, x: Array) -> Trace:
        """The posterior at x with everything its gradient needs."""
        C, D = matern52_with_slope(self.X, x, self.hyper.l)
        V = self.whiten(C)
        return Trace(self, Table(x, V, self._mean(C), self._variance(V)), D)

    def observed(self, x: Array, y: Array) -> GP:
        """The same process after observing y [n_new, J] (inner units) at x [n_new, d]; hyperparameters kept."""
        old = np.repeat(self.y, y.shape[1] // self.y.shape[1], axis=1)
        return condition(np.vstack([self.X, x]), np.vstack([old, y]), self.hyper, self.offset, self.scale)

    def repeated(self, draws: int) -> GP:
        """The same process with its single column of means repeated `draws` times."""
        return replace(self, y=np.repeat(self.y, draws, axis=1), alpha=np.repeat(self.alpha, draws, axis=1))


@dataclass(frozen=True)
class Trace:
    """Posterior at x together with the radial slope D(X, x) [n, q]; pulls adjoints back to x."""

    gp: GP
    table: Table
    D: Array

    def gradient(self, g_mean: Array | None, g_var: Array | None) -> Array:
        """sum of g_mean[j, q] dmu_j(x_q)/dx + g_var[q] dv(x_q)/dx; returns [q, d].

        dmu/dx = scale sum_n alpha_n dC(X_n, x)/dx;   dv/dx = -2 scale^2 a sum_n (R^-1 C(X, x))_n dC(X_n, x)/dx.
        """
        gp, x = self.gp, self.table.x
        weights = np.zeros_like(self.D)
        if g_mean is not None:
            weights += gp.scale * (gp.alpha @ g_mean)
        if g_var is not None and len(gp.X):
            weights -= (2.0 * gp.amplitude) * solve_lower(gp.L, self.table.V * g_var, transposed=True)
        return pull_back(weights, self.D, gp.X, x, gp.hyper.l)

    def cross(self, other: Table) -> tuple[Array, Array]:
        """cov(x, other.x) [q, p] and the radial slope D(x, other.x) [q, p] for `cross_gradient`."""
        C, D = matern52_with_slope(self.table.x, other.x, self.gp.hyper.l)
        C -= self.table.V.T @ other.V
        C *= self.gp.amplitude
        return C, D

    def cross_gradient(self, other: Table, slope: Array, g_cov: Array) -> Array:
        """sum_p g_cov[q, p] dcov(x_q, other_p)/dx_q; returns [q, d].

        dcov/dx = scale^2 a (dC(x, other)/dx - (R^-1 C(X, other))' dC(X, x)/dx).
        """
        gp, x = self.gp, self.table.x
        direct = pull_back(g_cov.T, slope.T, other.x, x, gp.hyper.l)
        if not len(gp.X):
            return gp.amplitude * direct
        weights = solve_lower(gp.L, other.V @ g_cov.T, transposed=True)
        return gp.amplitude * (direct - pull_back(weights, self.D, gp.X, x, gp.hyper.l))


def solve_lower(L: Array, B: Array, transposed: bool = False) -> Array:
    """L^-1 B or L'^-1 B for a lower triangular L [n, n] in Fortran order; LAPACK without the checks around it."""
    return cast(Array, dtrtrs(L, B, lower=1, trans=int(transposed))[0])


def factor(X: Array, l: Array, rho: float) -> tuple[Array, float]:
    """Cholesky factor of C(X, X) + rho I and the rho that was needed.

    rho is raised tenfold-squared (1e-10 -> 1e-8 -> 1e-6 ...) when rounding makes the matrix indefinite.
    """
    C = matern52(X, X, l)
    while True:
        try:
            R = C.copy()
            R[np.diag_indices_from(R)] = 1.0 + rho
            return np.asfortranarray(np.linalg.cholesky(R)), rho
        except np.linalg.LinAlgError:
            rho = max(rho, 1e-12) * 100.0


def condition(X: Array, y: Array, hyper: Hyper, offset: float, scale: float) -> GP:
    """The process given y [n, J] (inner units) at X [n, d] for fixed hyperparameters."""
    L, rho = factor(X, hyper.l, hyper.rho)
    standard = (y - offset) / scale - hyper.m
    alpha = solve_lower(L, solve_lower(L, standard), transposed=True) if len(X) else standard
    return GP(X, y, replace(hyper, rho=rho), L, alpha, offset, scale)
