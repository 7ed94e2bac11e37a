"""A known function in the place of a process: its mean is the function, and there is nothing to learn about it.

Its variance is a share of the function's scale that only keeps divisions finite, and covariances are 0: no evaluation
moves it, whatever is asked of a look-ahead. Where the function cannot be computed it is far below anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from taut.base.arrays import Array, Ints
from taut.data.bend import Bend
from taut.surrogate.gp import GP
from taut.surrogate.hyper import Hyper
from taut.surrogate.posterior import CrossCovariance, Posterior, PosteriorWithGradient

Inner = Callable[[Array], tuple[Array, Array]]
"""Values [q] and gradients [q, d] at x [q, d], in inner units; nan where it cannot be computed."""

NO_DOUBT = 1e-10  # standard deviation in scales of the function
LOWEST = 100.0  # scales below its lowest value, where it cannot be computed


class KnownWithGradient(PosteriorWithGradient):
    """D holds the gradient of the function itself, [q, d]."""

    __slots__ = ()

    def part(self, rows: Ints) -> PosteriorWithGradient:
        return KnownWithGradient(self.gp, self.posterior.part(rows), self.D[rows])

    def gradient(self, g_mean: Array | None, g_var: Array | None, cross: CrossCovariance | None = None) -> Array:
        if g_mean is None:
            return np.zeros_like(self.D)
        total: Array = g_mean.sum(axis=0)[:, None] * self.D
        return total

    def cross(self, other: Posterior) -> tuple[Array, Array]:
        nothing = np.zeros((len(self.D), len(other.var)))
        return nothing, nothing


@dataclass(frozen=True)
class BentFunction:
    """A known function on another scale."""

    function: Inner
    bend: Bend

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Values [q] and gradients [q, d] at x [q, d]."""
        value, gradient = self.function(x)
        return self.bend.of(value), gradient * self.bend.slope(value)[:, None]


@dataclass(frozen=True)
class KnownProcess(GP):
    """function: in inner form."""

    function: Inner | None = None

    @staticmethod
    def of(function: Inner, dimension: int, offset: float, scale: float) -> KnownProcess:
        """offset: its lowest value; scale: of its values where it matters."""
        nothing = np.empty((0, 1))
        hyper = Hyper(np.ones(dimension), NO_DOUBT**2, 0.0, 0.0, np.inf)
        return KnownProcess(
            np.empty((0, dimension)), nothing, hyper, np.empty((0, 0)), nothing, offset, scale, function=function
        )

    def values(self, x: Array) -> tuple[Array, Array]:
        """[q] and [q, d], finite everywhere."""
        assert self.function is not None
        value, gradient = self.function(x)
        lost = np.isnan(value)
        if lost.any():
            value = np.where(lost, self.offset - LOWEST * self.scale, value)
            gradient = np.where(lost[:, None], 0.0, gradient)
        return value, gradient

    def _at(self, x: Array, value: Array) -> Posterior:
        mean = np.repeat(value[None, :], self.y.shape[1], axis=0)
        return Posterior(x, np.empty((len(x), 0)), np.empty((0, len(x))), mean, np.full(len(x), self.amplitude))

    def posterior(self, x: Array) -> Posterior:
        return self._at(x, self.values(x)[0])

    def approximate_posterior(self, x: Array) -> tuple[Array, Array]:
        here = self.posterior(x)
        return here.mean, here.var

    def mean(self, x: Array) -> Array:
        return self.posterior(x).mean

    def mean_with_gradient(self, x: Array) -> tuple[Array, Array]:
        return self.values(x)

    def posterior_with_gradient(self, x: Array) -> PosteriorWithGradient:
        value, gradient = self.values(x)
        return KnownWithGradient(self, self._at(x, value), gradient)

    def covariance(self, a: Posterior, b: Posterior) -> Array:
        return np.zeros((len(a.var), len(b.var)))

    def observed(self, x: Array, y: Array) -> GP:
        raise AssertionError("a known function is never observed")

    def repeated(self, fantasies: int) -> GP:
        return replace(self, y=np.empty((0, fantasies)))
