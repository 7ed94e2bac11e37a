"""Posterior sample paths.

| symbol | meaning | shape |
| --- | --- | --- |
| omega | frequencies diag(1/l) g / sqrt(t), g ~ N(0, I), t ~ Gamma(5/2, rate 5/2) | [F, d] |
| tau | phases ~ U(0, 2 pi) | [F] |
| p_j(x) | prior path sqrt(2 a/F) sum_m W_mj cos(omega_m . x + tau_m), W ~ N(0, 1) | [J, q] |
| p_j(x) | with a trend + sqrt(a) G_j'F(x), F: its features, G ~ N(0, 1); its weights are the last rows of W | [J, q] |
| h_j(x) | m + p_j(x) + C(x, X) R^-1 (y - m - p_j(X) - eps_j), eps_j ~ N(0, a rho) | [J, q] |

The Fourier features approximate the prior only. What the data say enters exactly (Matheron's rule), so a path runs
through the data and its spread between them does not starve, however many values there are. A path is a plain function:
it can be evaluated anywhere, with its gradient.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.triangular import solve_lower
from taut.surrogate.gp import GP
from taut.surrogate.kernels import correlation, correlation_with_slope, features, pull_back
from taut.surrogate.known import KnownProcess
from taut.surrogate.trend import Trend


@dataclass(frozen=True)
class FourierFeatures:
    """Random Fourier features of a Matern-5/2 correlation: omega [F, d], tau [F]; a trend has features of its own."""

    omega: Array
    tau: Array
    trend: Trend | None = None

    @property
    def count(self) -> int:
        """Of weights of a path."""
        return len(self.tau) + (self.trend.count(self.omega.shape[1]) if self.trend else 0)

    @property
    def steep(self) -> float:
        """Factor on features of the trend beside cosines, whose weights have the variance 2 a/F."""
        return float(np.sqrt(0.5 * len(self.tau)))

    def values(self, x: Array) -> Array:
        """Features at x [q, d]; [q, F], and with those of a trend [q, count]."""
        angle = self.angles(x)
        cosines: Array = np.cos(angle, out=angle)
        return np.hstack([cosines, self.steep * self.trend.features(x)]) if self.trend else cosines

    def angles(self, x: Array) -> Array:
        """omega_m . x + tau_m at x [q, d]; [q, F]."""
        angle: Array = x @ self.omega.T
        angle += self.tau
        return angle


def fourier_features(
    lengths: Array, count: int, rng: np.random.Generator, trend: Trend | None = None
) -> FourierFeatures:
    """The spectral density of Matern-5/2 is a multivariate t with 5 degrees of freedom; lengths: [d]."""
    g = rng.standard_normal((count, len(lengths)))
    t = rng.gamma(2.5, 0.4, count)
    return FourierFeatures(g / (np.sqrt(t)[:, None] * lengths), rng.uniform(0.0, 2.0 * np.pi, count), trend)


@dataclass(frozen=True)
class Paths:
    """J paths of one process, inner units. W: weights of the features [F, J]; weights: of the data term [n, J]."""

    gp: GP
    fourier: FourierFeatures
    W: Array
    weights: Array

    def values(self, x: Array) -> Array:
        """All paths at x [q, d]; [J, q]."""
        return self.values_on(Grid.of(self.gp, self.fourier, x))

    def values_on(self, grid: Grid) -> Array:
        """All paths at a prepared grid; [J, q]."""
        gp = self.gp
        path: Array = gp.offset + gp.scale * (gp.hyper.m + (grid.cosines @ self.W).T + self.weights.T @ grid.C)
        if grid.drift is not None:
            path += grid.drift
        return path

    def values_with_gradient(self, x: Array, rows: Ints) -> tuple[Array, Array]:
        """Path rows[i] at x[i]: values [p] and gradients [p, d]."""
        gp = self.gp
        fourier, angle, mine = self.fourier, self.fourier.angles(x), self.W[:, rows].T
        W, G = mine[:, : len(fourier.tau)], mine[:, len(fourier.tau) :] * fourier.steep
        value = np.einsum("pf,pf->p", np.cos(angle), W)
        slope = -(np.sin(angle) * W) @ fourier.omega
        if fourier.trend:
            value += np.vecdot(G, fourier.trend.features(x))
            slope += fourier.trend.feature_slope(x, G)
        to = features(x, gp.hyper.l)
        C, D = correlation_with_slope(gp.data_distance_features, to)
        gp.hyper.smooth(C, gp.data_distance_features, to)
        weights = self.weights[:, rows]
        value += np.einsum("np,np->p", C, weights)
        slope += pull_back(weights, D, gp.data_features, to, gp.hyper.l)
        if gp.trend:
            slope += gp.trend.pulled_back(weights, gp.data_features, to, gp.hyper.l)
        value, slope = gp.offset + gp.scale * (gp.hyper.m + value), gp.scale * slope
        if gp.drift:
            value += gp.scale * gp.drift.at(x - 0.5)
            slope += gp.drift_slope(to)
        return value, slope

    def part(self, rows: Ints) -> Paths:
        """Some of the paths."""
        return replace(self, W=self.W[:, rows], weights=self.weights[:, rows])

    def with_part(self, rows: Ints, new: Paths) -> Paths:
        """The paths with some replaced by others of the same features."""
        W, weights = self.W.copy(), self.weights.copy()
        W[:, rows], weights[:, rows] = new.W, new.weights
        return replace(self, W=W, weights=weights)


@dataclass(frozen=True)
class KnownPaths(Paths):
    """All paths of a known function are the function."""

    def values_on(self, grid: Grid) -> Array:
        return np.repeat(grid.cosines.T, self.W.shape[1], axis=0)

    def values_with_gradient(self, x: Array, rows: Ints) -> tuple[Array, Array]:
        assert isinstance(self.gp, KnownProcess)
        return self.gp.values(x)


@dataclass(frozen=True)
class Grid:
    """Points prepared for one process: its features [q, F] and correlations with the data C [n, q].

    Of a known function its values [q, 1]. drift: of the mean in inner units [q], if there is one.
    """

    cosines: Array
    C: Array
    drift: Array | None = None

    @staticmethod
    def of(gp: GP, fourier: FourierFeatures, x: Array) -> Grid:
        if isinstance(gp, KnownProcess):
            return Grid(gp.values(x)[0][:, None], np.empty((0, len(x))))
        to = features(x, gp.hyper.l)
        C = gp.hyper.smooth(correlation(gp.data_distance_features, to), gp.data_distance_features, to)
        return Grid(fourier.values(x), C, gp.scale * gp.drift.at(x - 0.5) if gp.drift else None)


def draw(gp: GP, fourier: FourierFeatures, count: int, rng: np.random.Generator) -> Paths:
    """count paths given the data; a process with several fantasies is taken at the first one."""
    if isinstance(gp, KnownProcess):
        return KnownPaths(gp, fourier, np.ones((1, count)), np.empty((0, count)))
    hyper, F = gp.hyper, len(fourier.tau)
    W = rng.standard_normal((fourier.count, count)) * np.sqrt(2.0 * hyper.a / F)
    noise = rng.standard_normal((len(gp.X), count)) * np.sqrt(hyper.a * hyper.rho)
    if gp.share is not None:
        noise *= np.sqrt(gp.share)[:, None]
    weights = np.repeat(gp.alpha[:, :1], count, axis=1)
    if len(gp.X):
        prior = fourier.values(gp.X) @ W + noise
        weights = weights - solve_lower(gp.L, solve_lower(gp.L, prior), transposed=True)
    return Paths(gp, fourier, W, weights)
