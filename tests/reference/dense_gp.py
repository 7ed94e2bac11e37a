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
    """Posterior given y [n, J] at X [n, d]; prior mean, signal and noise variance in inner units."""

    X: Array
    y: Array
    length: Array
    prior_mean: float
    signal: float
    noise: float

    @staticmethod
    def like(gp: GP) -> DenseGP:
        """The same belief as a fast process, from its data and hyperparameters only."""
        prior_mean = gp.offset + gp.scale * gp.hyper.m
        return DenseGP(gp.X, gp.y, gp.hyper.l, prior_mean, gp.amplitude, gp.noise)

    def mean(self, x: Array) -> Array:
        """[J, q]."""
        return self.prior_mean + (self._weights(x) @ (self.y - self.prior_mean)).T

    def covariance(self, x: Array, other: Array) -> Array:
        """[q, p]."""
        return self.signal * (matern52(x, other, self.length) - self._weights(x) @ matern52(self.X, other, self.length))

    def variance(self, x: Array) -> Array:
        """[q]."""
        gained = np.einsum("qn,nq->q", self._weights(x), matern52(self.X, x, self.length))
        return self.signal * (1.0 - gained)

    def given(self, x: Array, y: Array) -> DenseGP:
        """After observing y [m, J] at x [m, d], from scratch; a single column of old data is repeated."""
        old = self.y if self.y.shape[1] == y.shape[1] else np.repeat(self.y, y.shape[1], axis=1)
        return DenseGP(
            np.vstack([self.X, x]), np.vstack([old, y]), self.length, self.prior_mean, self.signal, self.noise
        )

    def _weights(self, x: Array) -> Array:
        """k(x, X) (K + r I)^-1; [q, n]."""
        K = self.signal * matern52(self.X, self.X, self.length) + self.noise * np.eye(len(self.X))
        return self.signal * matern52(x, self.X, self.length) @ np.linalg.inv(K)
