"""Hyperparameters of one process, and the prior covariance they stand for, in units of the signal variance.

c(x, x') = C(x, x') + p(x, x') + rough 1{x = x'},   C: Matern-5/2 (kernels.py), p: the trend (trend.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.kernels import nearly_one
from taut.surrogate.trend import Trend

ONE_PLACE = 1e-9  # of the unit cube: places this close are one, as for values that are merged (repeats.py)


@dataclass(frozen=True)
class Hyper:
    """Hyperparameters in standardised units: length-scales l [d], variance a, noise ratio rho, mean m, freedom nu.

    rough: the part of rho that is roughness of a deterministic function; doubt: factor on variances far from data;
    trend: a polynomial part in units of a.
    """

    l: Array
    a: float
    rho: float
    m: float
    nu: float
    rough: float = 0.0
    doubt: float = 1.0
    trend: Trend | None = None

    def at(self, to: Array) -> Array | float:
        """c(x, x) at features [q, d + 2]; [q], or one number for all."""
        flat = 1.0 + self.rough
        return flat + self.trend.at(to, self.l) if self.trend else flat

    def smooth(self, C: Array, A: Array, B: Array) -> Array:
        """Matern's correlations C [n, m] of features A and distance features B with the trend added in place."""
        return self.trend.added(C, A, B, self.l) if self.trend else C

    def finished(self, C: Array, A: Array, B: Array, share: Array | None) -> Array:
        """The same with the roughness at one place as well; share: of the values of B (gp.py).

        By distance: where a length-scale is large, different places are correlated to the last digit.
        """
        if self.rough:
            i, j = np.nonzero(C > self._nearly_one)
            u_B = B[j, :-2] * -0.1
            one = np.abs((A[i, :-2] - u_B) * self.l).max(axis=1, initial=0.0) <= ONE_PLACE
            C[i[one], j[one]] += self.rough * (1.0 if share is None else share[j[one]])
        return self.smooth(C, A, B)

    @cached_property
    def _nearly_one(self) -> float:
        return nearly_one(self.l, ONE_PLACE)
