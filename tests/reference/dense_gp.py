"""Slow twin of taut.surrogate.gp: the posterior by explicit loops and an explicit inverse."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.gp import GP


def matern52(A: Array, B: Array, length: Array) -> Array:
    """(1 + sqrt5 r + 5 r^2/3) exp(-sqrt5 r), pair by pair."""
    C = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            r = math.sqrt(sum(((p - q) / s) ** 2 for p, q, s in zip(a, b, length, strict=True)))
            C[i, j] = (1.0 + math.sqrt(5.0) * r + 5.0 * r * r / 3.0) * math.exp(-math.sqrt(5.0) * r)
    return C


@dataclass(frozen=True)
class DenseGP:
    """Posterior given y [n, J] at X [n, d]; prior mean, signal and noise variance in inner units; trend of `signal`."""

    X: Array
    y: Array
    length: Array
    prior_mean: float
    signal: float
    noise: float
    trend: tuple[float, float] = (0.0, 0.0)

    @staticmethod
    def like(gp: GP) -> DenseGP:
        """The same belief as a fast process, from its data and hyperparameters only."""
        prior_mean = gp.offset + gp.scale * gp.hyper.m
        return DenseGP(gp.X, gp.y, gp.hyper.l, prior_mean, gp.amplitude, gp.noise, gp.trend or (0.0, 0.0))

    def mean(self, x: Array) -> Array:
        """[J, q]."""
        return self.prior_mean + (self._weights(x) @ (self.y - self.prior_mean)).T

    def covariance(self, x: Array, other: Array) -> Array:
        """[q, p]."""
        return self.signal * (self._prior(x, other) - self._weights(x) @ self._prior(self.X, other))

    def variance(self, x: Array) -> Array:
        """[q]."""
        gained = np.einsum("qn,nq->q", self._weights(x), self._prior(self.X, x))
        return self.signal * (np.array([self._prior(p, p)[0, 0] for p in x[:, None, :]]) - gained)

    def given(self, x: Array, y: Array) -> DenseGP:
        """After observing y [m, J] at x [m, d], from scratch; a single column of old data is repeated."""
        old = self.y if self.y.shape[1] == y.shape[1] else np.repeat(self.y, y.shape[1], axis=1)
        return DenseGP(
            *(np.vstack([self.X, x]), np.vstack([old, y]), self.length),
            *(self.prior_mean, self.signal, self.noise, self.trend),
        )

    def _prior(self, A: Array, B: Array) -> Array:
        """Matern's correlation and, pair by pair, the covariance of a random polynomial."""
        t = np.array([[sum((a - 0.5) * (b - 0.5)) for b in B] for a in A]).reshape(len(A), len(B))
        return matern52(A, B, self.length) + self.trend[0] * t + self.trend[1] * t**2

    def _weights(self, x: Array) -> Array:
        """k(x, X) (K + r I)^-1; [q, n]."""
        K = self.signal * self._prior(self.X, self.X) + self.noise * np.eye(len(self.X))
        return self.signal * self._prior(x, self.X) @ np.linalg.inv(K)
