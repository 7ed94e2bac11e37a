"""One Gaussian process: posterior, gradients and closed-form look-ahead, in the function's own (inner) units.

| symbol | meaning | shape |
| --- | --- | --- |
| X | data locations | [n, d] |
| R | C(X, X) + rho I, Cholesky factor L (a large one packed, see triangular.py) | [n, n] |
| m, a | constant mean and signal variance, standardised units | scalars |
| alpha | R^-1 (y - m), one column per fantasy of pending outcomes (one column if none) | [n, J] |
| V | L^-1 C(X, .), so that covariances are plain products | [n, q] |
| y | observed values, inner units | [n, J] |
| nu | degrees of freedom of the predictive: n - 1 if a was integrated out, inf if plugged in | scalar |
| offset, scale | y_inner = offset + scale * y_standardised | scalars |
| share | noise of each value in units of rho (repeats.py, roughness.py), R = C + rho diag(share) | [n] |
| rough | the part of rho that is not noise but roughness, see below | scalar |
| drift | a polynomial in the mean, standardised units (drift.py), if there is one; m stands for m + drift(x) below | |
| trend | a polynomial part in units of a (trend.py), with which C is to be read below, if there is one | two scalars |

A deterministic function is a smooth part plus a rough part that is fixed at each place (solver noise, rounding):

    cov(x, x') = scale^2 a (C(x, x') + rough 1{x = x'})

so that a new place carries the variance of both, a place where it was evaluated is known, and evaluating a place twice
tells nothing new. With rough = 0 it is the usual process.

Far from data the model itself is in doubt (doubt.py): a variance v becomes, with F = doubt and t = DOUBTFUL,

    v' = v (1 + (F - 1) v/(v + t scale^2 a))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from taut.base.arrays import Array
from taut.base.blocks import INVERTED_ROWS, MEAN_BLOCK
from taut.base.triangular import inverted, solve_lower, stored
from taut.surrogate.drift import Drift
from taut.surrogate.factor import appended, cholesky
from taut.surrogate.hyper import Hyper
from taut.surrogate.kernels import correlation, correlation_with_slope, distance_features, features, pull_back
from taut.surrogate.posterior import Posterior, PosteriorWithGradient
from taut.surrogate.trend import Trend

# Below this share of the prior variance a posterior variance is rounding error.
VARIANCE_FLOOR = 1e-16
DOUBTFUL = 0.01  # of the prior variance: places with more are far from data


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
    share: Array | None = None
    drift: Drift | None = None

    @property
    def lengths(self) -> Array:
        """Length-scales; [d]."""
        return self.hyper.l

    @cached_property
    def amplitude(self) -> float:
        """Prior variance in inner units, scale^2 a, without that of the trend."""
        return self.scale**2 * self.hyper.a

    @cached_property
    def size(self) -> float:
        """What the function varies by: its mean prior variance over the cube, and with a drift that of its values."""
        around = self.amplitude * (1.0 + (self.trend.mean(len(self.lengths)) if self.trend else 0.0))
        return around + (self.scale**2 if self.drift else 0.0)

    @property
    def trend(self) -> Trend | None:
        """The polynomial part, if there is one."""
        return self.hyper.trend

    @property
    def noise(self) -> float:
        """Observation noise variance r in inner units, scale^2 a (rho - rough)."""
        return self.amplitude * (self.hyper.rho - self.hyper.rough)

    def posterior(self, x: Array) -> Posterior:
        """At x [q, d]: mu = offset + scale (m + C(x, X) alpha), v = scale^2 a (C(x, x) + rough - V'V)."""
        to = features(x, self.hyper.l)
        C = self._correlation(to, self.data_distance_features)
        mean = self._mean(C, to)
        V = self._whitened(C)
        return Posterior(x, to, V, mean, self._variance(V, to))

    def approximate_posterior(self, x: Array) -> tuple[Array, Array]:
        """Mean [J, q] and variance [q] at x [q, d] for ranking many points, the latter to 1e-9 of the prior's.

        With the inverse of a small factor, a third of the time of a solve.
        """
        if self._inverse is None:
            exact = self.posterior(x)
            return exact.mean, exact.var
        to = features(x, self.hyper.l)
        C = self._correlation(to, self.data_distance_features)
        return self._mean(C, to), self._variance(self._inverse @ C.T, to)

    def mean(self, x: Array) -> Array:
        """The mean alone at x [q, d]; [J, q]. O(n) per point, without a solve; in blocks that bound the memory."""
        size = max(MEAN_BLOCK // max(len(self.X), 1), 64)
        if len(x) <= size:
            to = features(x, self.hyper.l)
            return self._mean(self._correlation(to, self.data_distance_features), to)
        return np.hstack([self.mean(x[first : first + size]) for first in range(0, len(x), size)])

    def mean_with_gradient(self, x: Array) -> tuple[Array, Array]:
        """The mean [q] of a process without fantasies and its gradient [q, d], without a solve."""
        to = features(x, self.hyper.l)
        C, D = correlation_with_slope(to, self.data_distance_features)
        mean = self._mean(self.hyper.finished(C, to, self.data_distance_features, self.share), to)
        slope = pull_back(self.weights, D.T, self.data_features, to, self.hyper.l)
        if self.drift:
            slope += self.drift_slope(to)
        if self.trend:
            slope += self.trend.pulled_back(self.weights, self.data_features, to, self.hyper.l)
        return mean[0], slope

    def _correlation(self, A: Array, B: Array) -> Array:
        """C between features and distance features, with the roughness where both are one place; [n, m]."""
        return self.hyper.finished(correlation(A, B), A, B, self.share)

    @cached_property
    def data_features(self) -> Array:
        """Of the data; [n, d + 2]."""
        return features(self.X, self.hyper.l)

    @cached_property
    def data_distance_features(self) -> Array:
        """Of the data; [n, d + 2]."""
        return distance_features(self.data_features)

    @cached_property
    def weights(self) -> Array:
        """Weights of the correlations in the mean, scale alpha; [n, J]."""
        return self.scale * self.alpha

    @cached_property
    def _level(self) -> float:
        return self.offset + self.scale * self.hyper.m

    def _whitened(self, C: Array) -> Array:
        """V = L^-1 C' [n, q] in the place of C [q, n], which is not needed any more."""
        return solve_lower(self.L, C.T, overwrite=True) if len(self.X) else C.T

    def unwhitened(self, B: Array) -> Array:
        """B L^-1 for B [q, n], so that R^-1 C' = unwhitened(V'): the way back to weights, which only gradients go.

        A product with the inverse is three times as fast as a solve while the factor is small. It loses digits that a
        posterior variance needs, and a gradient does not.
        """
        if self._inverse is not None:
            product: Array = B @ self._inverse
            return product
        return solve_lower(self.L, B.T, transposed=True, overwrite=True).T

    @cached_property
    def _inverse(self) -> Array | None:
        """L^-1 [n, n] of a small factor; None without data."""
        return inverted(self.L) if 0 < len(self.X) <= INVERTED_ROWS else None

    def _mean(self, C: Array, to: Array) -> Array:
        """The mean for C(x, X) [q, n] at features `to` [q, d + 2]; [J, q]."""
        mean: Array = self.weights.T @ C.T
        mean += self._level
        if self.drift:
            mean += self.scale * self.drift.at(to[:, :-2] * self.lengths)
        return mean

    def drift_slope(self, to: Array) -> Array:
        """The gradient of the drift in inner units at features `to` [q, d + 2]; [q, d]."""
        if not self.drift:
            return np.zeros((len(to), len(self.lengths)))
        return self.scale * self.drift.slope(to[:, :-2] * self.lengths)

    def _variance(self, V: Array, to: Array) -> Array:
        """v at features `to` [q, d + 2] for V [n, q]; [q]."""
        rest: Array = np.vecdot(V.T, V.T)
        prior = self.hyper.at(to)
        np.subtract(prior, rest, out=rest)
        np.maximum(rest, VARIANCE_FLOOR * prior if self.trend else VARIANCE_FLOOR, out=rest)
        if self.hyper.doubt > 1.0:
            rest *= 1.0 + (self.hyper.doubt - 1.0) * rest / (rest + DOUBTFUL)
        rest *= self.amplitude
        return rest

    def doubt_slope(self, var: Array) -> Array | float:
        """d v'/dv for variances v' [q]."""
        F, t = self.hyper.doubt, DOUBTFUL
        if F <= 1.0:
            return 1.0
        w = var / self.amplitude
        v = 0.5 / F * (w - t + np.sqrt((w - t) ** 2 + 4.0 * F * t * w))
        slope: Array = 1.0 + (F - 1.0) * v * (v + 2.0 * t) / (v + t) ** 2
        return slope

    def covariance(self, a: Posterior, b: Posterior) -> Array:
        """cov(a.x, b.x) = scale^2 a (C(a, b) - V_a' V_b), without the rough part of one place; returns [p, q]."""
        to = distance_features(a.features)
        C = self.hyper.smooth(correlation(to, b.features), to, b.features)
        C -= a.V.T @ b.V
        C *= self.amplitude
        return C

    def posterior_with_gradient(self, x: Array) -> PosteriorWithGradient:
        """The posterior at x with everything its gradient needs."""
        to = features(x, self.hyper.l)
        C, D = correlation_with_slope(to, self.data_distance_features)
        mean = self._mean(self.hyper.finished(C, to, self.data_distance_features, self.share), to)
        V = self._whitened(C)
        return PosteriorWithGradient(self, Posterior(x, to, V, mean, self._variance(V, to)), D)

    def observed(self, x: Array, y: Array) -> GP:
        """The same process after observing y [n_new, J] (inner units) at x [n_new, d]; hyperparameters kept."""
        old = np.repeat(self.y, y.shape[1] // self.y.shape[1], axis=1)
        L = appended(self.L, self.X, x, self.hyper.l, self.hyper.rho, self.trend) if len(self.X) else None
        share = None if self.share is None else np.append(self.share, np.ones(len(x)))
        X, known = np.vstack([self.X, x]), np.vstack([old, y])
        return condition(X, known, self.hyper, self.offset, self.scale, L, share, self.drift)

    def repeated(self, fantasies: int) -> GP:
        """The same process with its single column of means repeated."""
        return replace(self, y=np.repeat(self.y, fantasies, axis=1), alpha=np.repeat(self.alpha, fantasies, axis=1))


def condition(
    X: Array,
    y: Array,
    hyper: Hyper,
    offset: float,
    scale: float,
    L: Array | None = None,
    share: Array | None = None,
    drift: Drift | None = None,
) -> GP:
    """The process given y [n, J] (inner units) at X [n, d] for fixed hyperparameters; L: factor if it is known."""
    if L is None:
        whole, rho = cholesky(X, hyper.l, hyper.rho, share, hyper.trend)
        L, hyper = stored(whole), replace(hyper, rho=rho)
    standard = (y - offset) / scale - hyper.m
    if drift:
        standard -= drift.at(X - 0.5)[:, None]
    alpha = solve_lower(L, solve_lower(L, standard), transposed=True) if len(X) else standard
    return GP(X, y, hyper, L, alpha, offset, scale, share, drift)
