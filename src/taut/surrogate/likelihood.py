"""Penalised negative log-likelihoods of the hyperparameters, with analytic gradients.

Two treatments of the signal variance a, for standardised data y [n] and R(l) = C(X, X) + rho I:

* `integrated` (library default): mean and a are integrated out, so only the length-scales (and a learned noise ratio)
  are free and predictions are Student-t with nu = nu0 + n - 1 degrees of freedom:

      m = 1'R^-1 y / 1'R^-1 1,  q = R^-1 (y - m),  S = (y - m)'q,  a = (nu0 + S)/nu
      nll = 1/2 log|R| + 1/2 log(1'R^-1 1) + nu/2 log(nu0 + S) - log p(theta)

  With a trend (trend.py) its variances are free as well: R(l, trend) = C(X, X) + p(X, X) + rho I.

nu0 pseudo-observations of unit variance keep nu at its minimum (3) while fewer values (four) are known.
* `plugged_in` (the paper's preset, and functions with a given noise): a is a free parameter, the noise is
  absolute, K = a C + noise I, and the constant mean is the generalised least-squares one.

Gathered repeats (repeats.py): the noise of each mean is divided by its count, their scatter joins S (as scatter/rho)
and the nll gets (N - n)/2 log of the noise for the N - n values beyond the first of each place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from taut.base.arrays import Array
from taut.base.blocks import SQUARES_KEPT
from taut.base.triangular import solve_lower
from taut.surrogate.kernels import ROUNDING, SLOPE, matern52, matern52_with_slope
from taut.surrogate.repeats import Repeats
from taut.surrogate.ties import Ties, gathered, spread
from taut.surrogate.trend import Trend

Penalty = Callable[[Array], tuple[float, Array]]


@dataclass(frozen=True)
class Standardised:
    """Data of one function ready for fitting: X [n, d], y [n] standardised; the least degrees of freedom; repeats.

    ties: columns that share a length-scale; there are p of them, d without any.
    """

    X: Array
    y: Array
    minimum_freedom: float
    repeats: Repeats | None = None
    ties: Ties = ()

    @property
    def p(self) -> int:
        return max(self.ties) + 1 if self.ties else self.X.shape[1]

    def lengths(self, log_l: Array) -> Array:
        """Length-scales of the columns [d] from the logs of all [p]."""
        return spread(np.exp(log_l), self.ties)

    @cached_property
    def freedom(self) -> tuple[float, float]:
        """(nu, nu0): degrees of freedom and the pseudo-observations among them."""
        known = max(len(self.y) + self.more - 1.0, 0.0)
        nu = max(known, self.minimum_freedom)
        return nu, nu - known

    @cached_property
    def more(self) -> float:
        """Values beyond one at each point."""
        return 0.0 if self.repeats is None else self.repeats.more

    @cached_property
    def scatter(self) -> float:
        """Of all gathered values around their means."""
        return 0.0 if self.repeats is None else float(self.repeats.scatter.sum())

    @cached_property
    def products(self) -> Array:
        """(X - 1/2)(X - 1/2)', of which a trend is a polynomial; [n, n]."""
        centred = self.X - 0.5
        product: Array = centred @ centred.T
        return product

    def noises(self, noise: float) -> Array | float:
        """Noise variance of every value, for that of one; [n] or the same for all."""
        return noise if self.repeats is None else noise * self.repeats.share

    def noise_trace(self, inner: Array) -> float:
        """tr(inner dR/dnoise)."""
        return float(np.trace(inner) if self.repeats is None else np.diag(inner) @ self.repeats.share)

    @cached_property
    def with_ones(self) -> Array:
        """The values and ones as columns; [n, 2]."""
        return np.stack([self.y, np.ones_like(self.y)], axis=1)

    @cached_property
    def squared(self) -> Array | None:
        """Squared differences per input [d, n n], kept unless they are large."""
        n, d = self.X.shape
        return _squares(self.X).reshape(d, n * n) if d * n * n <= SQUARES_KEPT else None

    def length_gradient(self, W: Array, l: Array) -> Array:
        """sum_ij W_ij 5/3 (x_ik - x_jk)^2 / l_k^2 for every input k; W: [n, n]. Returns [p].

        The squares are formed from differences: W is huge exactly where they are tiny, and expanding them would cancel.
        """
        if self.squared is not None:
            return gathered((self.squared @ W.ravel()) * (SLOPE / (l * l)), self.ties)
        sums = [float(np.vdot(W, _squares(self.X[:, k : k + 1])[0])) for k in range(self.X.shape[1])]
        return gathered(np.array(sums) * (SLOPE / (l * l)), self.ties)


def _squares(X: Array) -> Array:
    """(x_ik - x_jk)^2; [d, n, n]."""
    difference = X.T[:, :, None] - X.T[:, None, :]
    return np.square(difference, out=difference)


@dataclass(frozen=True)
class Integrated:
    """What the integrated treatment finds at one R: mean, S-based variance, freedom."""

    m: float
    a: float
    nu: float


def _factor(R: Array) -> tuple[Array, float]:
    """R^-1 and log|R| of a symmetric R [n, n], which is overwritten."""
    L, info = dpotrf(R.T, lower=1, overwrite_a=1)  # the transpose of a symmetric matrix is itself, in Fortran order
    if info:
        raise np.linalg.LinAlgError("not positive definite")
    logdet = 2.0 * float(np.log(np.diag(L)).sum())
    inverse = dpotri(L, lower=1, overwrite_c=1)[0]  # lower triangle; the upper one is zero
    diagonal = np.diag(inverse).copy()
    inverse = inverse + inverse.T
    np.fill_diagonal(inverse, diagonal)
    return inverse, logdet


def integrated(
    data: Standardised, theta: Array, rho: float | None, penalty: Penalty, order: int = 0
) -> tuple[float, Array, Integrated]:
    """Value, gradient and (m, a, nu) of the integrated treatment.

    theta = log l [p], then the logs of the variances of a trend of this order, then log rho if rho is None.
    """
    d = data.p
    learned = rho is None
    noise = float(np.exp(theta[-1])) if rho is None else rho
    trend = Trend.from_logs(theta[d : d + order])
    l = data.lengths(theta[:d])
    C, D = matern52_with_slope(data.X, data.X, l)
    diagonal = _with_trend(C, data, trend)
    np.fill_diagonal(C, diagonal + data.noises(noise))
    inverse, logdet = _factor(C)
    u = inverse.sum(axis=1)
    w = float(u.sum())
    if not w > 0.0:  # it factored, but rounding has eaten its inverse: a ratio far below what floats can tell
        raise np.linalg.LinAlgError("not positive definite")
    m = float(u @ data.y) / w
    q = inverse @ (data.y - m)
    nu, nu0 = data.freedom
    S = max(float((data.y - m) @ q) + data.scatter / noise, 1e-12)
    a = (nu0 + S) / nu
    value = 0.5 * logdet + 0.5 * np.log(w) + 0.5 * nu * np.log(nu0 + S) + 0.5 * data.more * np.log(noise)
    # d value = -1/2 tr(inner dR); inner is formed in place of the inverse.
    inner = np.subtract(np.outer(q, q / a), inverse, out=inverse)
    inner += np.outer(u, u / w)
    trace = data.noise_trace(inner)
    by_trend = _trend_gradient(inner, data, trend) if trend else []
    inner *= D
    gradient = np.append(-0.5 * data.length_gradient(inner, l), by_trend)
    if learned:
        gradient = np.append(gradient, 0.5 * (data.more - noise * trace - data.scatter / (noise * a)))
    extra, extra_gradient = penalty(theta)
    return float(value) + extra, gradient + extra_gradient, Integrated(m, a, nu)


def _with_trend(C: Array, data: Standardised, trend: Trend | None) -> Array | float:
    """Adds a trend to correlations C [n, n] in place; returns the diagonal, its rounding included, [n] or 1."""
    if not trend:
        return 1.0
    C += trend.of(data.products)
    diagonal: Array = np.diag(C) + trend.rounding
    return diagonal


def _trend_gradient(inner: Array, data: Standardised, trend: Trend) -> list[float]:
    """-1/2 tr(inner dR/dlog v) for the variances v of a trend."""
    rounding = ROUNDING * float(np.trace(inner))
    by = [-0.5 * trend.tilt * (float(np.vdot(inner, data.products)) + rounding)]
    if trend.bow:
        by.append(-0.5 * trend.bow * (float(np.vdot(inner, np.square(data.products))) + rounding))
    return by


def plugged_in(data: Standardised, theta: Array, noise: float | None, penalty: Penalty) -> tuple[float, Array, float]:
    """Value, gradient and mean, plug-in treatment; theta = (log l [p], log a), then log noise if noise is None."""
    d = data.p
    a = float(np.exp(theta[d]))
    level = float(np.exp(theta[d + 1])) if noise is None else noise
    l = data.lengths(theta[:d])
    C, D = matern52_with_slope(data.X, data.X, l)
    K = a * C
    np.fill_diagonal(K, a + data.noises(level))
    inverse, logdet = _factor(K)
    u = inverse.sum(axis=1)
    m = float(u @ data.y) / float(u.sum())
    q = inverse @ (data.y - m)
    value = 0.5 * (logdet + float((data.y - m) @ q) + data.scatter / level + data.more * np.log(level))
    inner = np.outer(q, q) - inverse
    gradient = np.append(-0.5 * a * data.length_gradient(inner * D, l), -0.5 * a * np.vdot(inner, C))
    if noise is None:
        gradient = np.append(gradient, 0.5 * (data.more - level * data.noise_trace(inner) - data.scatter / level))
    extra, extra_gradient = penalty(theta)
    return value + extra, gradient + extra_gradient, m


def ratio_values(data: Standardised, l: Array, ratios: Array, trend: Trend | None = None) -> Array:
    """The integrated treatment's value for several noise ratios, without prior; inf where R cannot be factored. [m]."""
    C = matern52(data.X, data.X, l)
    diagonal = _with_trend(C, data, trend)
    values = np.full(len(ratios), np.inf)
    for i, rho in enumerate(ratios):
        np.fill_diagonal(C, diagonal + data.noises(float(rho)))
        L, info = dpotrf(C.T, lower=1)
        if not info:
            values[i] = _value_of_factor(data, L, float(rho))
    return values


def _value_of_factor(data: Standardised, L: Array, rho: float) -> float:
    z, one = _whitened(L, data)
    w = float(one @ one)
    rest = z - one * (float(one @ z) / w)
    nu, nu0 = data.freedom
    S = max(float(rest @ rest) + data.scatter / rho, 1e-12)
    value = np.log(np.diag(L)).sum() + 0.5 * np.log(w) + 0.5 * nu * np.log(nu0 + S)
    return float(value + 0.5 * data.more * np.log(rho))


def _whitened(L: Array, data: Standardised) -> Array:
    """L^-1 y and L^-1 1; [2, n]."""
    return solve_lower(L, data.with_ones).T


def least_squares(L: Array, data: Standardised, rho: float) -> Integrated:
    """(m, a, nu) for the factor L of R and its rho: m = 1'R^-1 y/1'R^-1 1, a = (nu0 + (y - m)'R^-1(y - m))/nu."""
    z, one = _whitened(L, data)
    m = float(one @ z) / float(one @ one)
    rest = z - m * one
    nu, nu0 = data.freedom
    return Integrated(m, (nu0 + max(float(rest @ rest) + data.scatter / rho, 1e-12)) / nu, nu)
