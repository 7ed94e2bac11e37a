"""A process at fixed points, and the way back from there to the points: adjoints of means, variances and covariances.

Notation as in gp.py.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from taut.base.arrays import Array, Ints
from taut.surrogate.drift import Drift
from taut.surrogate.kernels import correlation_with_slope, distance_features, pull_back
from taut.surrogate.trend import Trend


class Posterior(NamedTuple):
    """A process at fixed points x [q, d]: their features [q, d + 2], V [n, q], mean [J, q], variance [q]."""

    x: Array
    features: Array
    V: Array
    mean: Array
    var: Array

    def part(self, rows: Ints) -> Posterior:
        """The same at some of the points."""
        return Posterior(self.x[rows], self.features[rows], self.V.T[rows].T, self.mean[:, rows], self.var[rows])

    def joined(self, other: Posterior) -> Posterior:
        """The points of both."""
        return Posterior(
            np.concatenate([self.x, other.x]),
            np.concatenate([self.features, other.features]),
            np.concatenate([self.V.T, other.V.T]).T,
            np.concatenate([self.mean, other.mean], axis=1),
            np.concatenate([self.var, other.var]),
        )


class Process(Protocol):
    """What gradients need of a process; the GP of gp.py is one."""

    @property
    def X(self) -> Array: ...

    @property
    def lengths(self) -> Array: ...

    @property
    def amplitude(self) -> float: ...

    @property
    def trend(self) -> Trend | None: ...

    @property
    def noise(self) -> float: ...

    @property
    def weights(self) -> Array: ...

    @property
    def data_features(self) -> Array: ...

    @property
    def drift(self) -> Drift | None: ...

    def drift_slope(self, to: Array) -> Array: ...

    def unwhitened(self, B: Array) -> Array: ...

    def doubt_slope(self, var: Array) -> Array | float: ...


class PosteriorWithGradient(NamedTuple):
    """Posterior at x together with the radial slope D(x, X) [q, n]; pulls adjoints back to x."""

    gp: Process
    posterior: Posterior
    D: Array

    @property
    def mean(self) -> Array:
        """[J, q]."""
        return self.posterior.mean

    @property
    def var(self) -> Array:
        """[q]."""
        return self.posterior.var

    def part(self, rows: Ints) -> PosteriorWithGradient:
        """The same at some of the points."""
        return PosteriorWithGradient(self.gp, self.posterior.part(rows), self.D[rows])

    def gradient(self, g_mean: Array | None, g_var: Array | None, cross: CrossCovariance | None = None) -> Array:
        """sum of g_mean[j, q] dmu_j(x_q)/dx + g_var[q] dv(x_q)/dx, and of the covariances in `cross`; returns [q, d].

        dmu/dx = scale sum_n alpha_n dC(X_n, x)/dx;   dv/dx = -2 scale^2 a sum_n (R^-1 C(X, x))_n dC(X_n, x)/dx,
        and with a trend + scale^2 a dp(x, x)/dx;
        dcov(x, y)/dx = scale^2 a (dC(x, y)/dx - sum_n (R^-1 C(X, y))_n dC(X_n, x)/dx). One solve for all of them.
        """
        gp, to, known = self.gp, self.posterior.features, len(self.gp.X) > 0
        weights: Array | None = None
        if known and (g_var is not None or cross is not None):
            if g_var is None:
                weights = np.zeros(self.D.shape)
            else:
                weights = self.posterior.V.T * (-2.0 * g_var * gp.doubt_slope(self.var))[:, None]
            if cross is not None:
                weights[cross.rows] -= cross.weight @ cross.other.V.T
            weights = gp.unwhitened(weights)
            weights *= gp.amplitude
        if g_mean is not None:
            by_mean = g_mean.T @ gp.weights.T
            weights = by_mean if weights is None else np.add(weights, by_mean, out=weights)
        if weights is None:
            total: Array = np.zeros((len(to), len(gp.lengths)))
        else:
            total = pull_back(weights.T, self.D.T, gp.data_features, to, gp.lengths)
        if gp.drift and g_mean is not None:
            total += g_mean.sum(axis=0)[:, None] * gp.drift_slope(to)
        if gp.trend and weights is not None:
            total += gp.trend.pulled_back(weights.T, gp.data_features, to, gp.lengths)
        if gp.trend and g_var is not None:  # of the prior variance
            by_prior = gp.amplitude * g_var * gp.doubt_slope(self.var)
            total += by_prior[:, None] * gp.trend.slope_at(to, gp.lengths)
        if cross is not None:
            here = to[cross.rows]
            direct = pull_back(cross.weight.T, cross.slope.T, cross.other.features, here, gp.lengths)
            if gp.trend:
                direct += gp.trend.pulled_back(cross.weight.T, cross.other.features, here, gp.lengths)
            direct *= gp.amplitude
            total[cross.rows] += direct
        return total

    def cross(self, other: Posterior) -> tuple[Array, Array]:
        """cov(x, other.x) [q, p], see GP.covariance, and the radial slope D(x, other.x) [q, p] for the gradient."""
        to = distance_features(self.posterior.features)
        C, D = correlation_with_slope(to, other.features)
        if self.gp.trend:
            self.gp.trend.added(C, to, other.features, self.gp.lengths)
        C -= self.posterior.V.T @ other.V
        C *= self.gp.amplitude
        return C, D


class CrossCovariance(NamedTuple):
    """A sum of covariances whose gradient is asked for: sum_p weight[r, p] cov(x_rows[r], other_p).

    rows: [r] or a slice; slope: the radial slope D(x_rows, other) [r, p].
    """

    rows: Ints | slice
    other: Posterior
    slope: Array
    weight: Array
