"""The polynomial part of a process: a random linear or quadratic function beside the Matern one.

    p(x, x') = tilt t + bow t^2,   t = (x - 1/2)'(x' - 1/2)

in units of the signal variance a: slopes at the middle of the cube have the variance a tilt, second derivatives a bow.
Functions that are linear or quadratic, masses and distances say, are then known everywhere from a few values; what is
left over is what the Matern part is for.

Points are prepared as in kernels.py: features hold u = (x - 1/2)/l, distance features -10 u.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.kernels import ROUNDING


class Trend(NamedTuple):
    """Variances of slopes and of curvatures, in units of a."""

    tilt: float
    bow: float = 0.0

    def of(self, t: Array) -> Array:
        """p for products t, of any shape."""
        return (self.tilt + self.bow * t) * t if self.bow else self.tilt * t

    def slope(self, t: Array) -> Array | float:
        """dp/dt."""
        return self.tilt + 2.0 * self.bow * t if self.bow else self.tilt

    def mean(self, d: int) -> float:
        """Of p(x, x) over the cube of d dimensions."""
        return self.tilt * d / 12.0 + self.bow * (d / 80.0 + d * (d - 1) / 144.0)

    @staticmethod
    def from_logs(logs: Array) -> Trend | None:
        """From the logs of its variances, as many as there are: [0], [1] or [2]."""
        return Trend(*(float(each) for each in np.exp(logs))) if len(logs) else None

    @property
    def logs(self) -> Array:
        """[1], or [2] with a quadratic part."""
        return np.log(self[: 2 if self.bow else 1])

    @property
    def rounding(self) -> float:
        """Rounding errors of a matrix with this part.

        They are more than what a matrix of values that crowd has left in some directions, so they count as noise.
        """
        return ROUNDING * (self.tilt + self.bow)

    def between(self, A: Array, B: Array) -> Array:
        """p between points A [n, d] and B [m, d]; [n, m]."""
        return self.of((A - 0.5) @ (B - 0.5).T)

    def added(self, C: Array, A: Array, B: Array, l: Array) -> Array:
        """C [n, m] plus, in place, p between features A [n, d + 2] and distance features B [m, d + 2]."""
        C += self.of((A[:, :-2] * (-0.1 * l * l)) @ B[:, :-2].T)
        return C

    def at(self, A: Array, l: Array) -> Array:
        """p(x, x) at features A [n, d + 2]; [n]."""
        return self.of(np.square(A[:, :-2] * l).sum(axis=1))

    def slope_at(self, A: Array, l: Array) -> Array:
        """dp(x, x)/dx at features A [n, d + 2]; [n, d]."""
        centred = A[:, :-2] * l
        return 2.0 * np.reshape(self.slope(np.square(centred).sum(axis=1)), (-1, 1)) * centred

    def pulled_back(self, weights: Array, A: Array, x: Array, l: Array) -> Array:
        """sum_n weights[n, q] dp(A_n, x_q)/dx_q for features A [n, d + 2] and x [q, d + 2]; [q, d], or [1, d].

        weights: [n, q] or [n, 1].
        """
        centred = A[:, :-2] * l
        if self.bow:
            weights = weights * self.slope(centred @ (x[:, :-2] * l).T)
        pulled: Array = weights.T @ centred
        return pulled if self.bow else pulled * self.tilt

    def features(self, x: Array) -> Array:
        """F(x) with F(x) F(x')' = p(x, x') at points x [q, d]; [q, d], with a quadratic part [q, d + d d]."""
        centred = x - 0.5
        linear: Array = np.sqrt(self.tilt) * centred
        if not self.bow:
            return linear
        products = centred[:, :, None] * centred[:, None, :]
        return np.hstack([linear, np.sqrt(self.bow) * products.reshape(len(x), -1)])

    def feature_slope(self, x: Array, weights: Array) -> Array:
        """d(F(x_i) w_i)/dx_i for points x [p, d] and weights w [p, .]; [p, d]."""
        d = x.shape[1]
        slope: Array = np.sqrt(self.tilt) * weights[:, :d]
        if self.bow:
            W = weights[:, d:].reshape(-1, d, d)
            slope += np.sqrt(self.bow) * np.einsum("pij,pj->pi", W + W.transpose(0, 2, 1), x - 0.5)
        return slope

    def count(self, d: int) -> int:
        """Of features."""
        return d + d * d if self.bow else d
