"""Where each function can be computed: the probability of a success, from points with a value and points that failed.

    q(x) = Q(x) (1 - exp(-r^2/2)),   Q = Phi(z) + c Phi(-z) where c >= 0, (1 + c) Phi(z) where c < 0

| symbol | meaning | shape |
| --- | --- | --- |
| g | a process; a function can be computed at x with probability Phi(g(x)) | |
| mu, v | mean and variance of g given successes and failures, by EP (labels.py) | [q] |
| z | score mu/sqrt(1 + v); Phi(-z) is the doubt that EP leaves, Phi(z) the hope | [q] |
| c | closeness kappa (exp(-u_s/reach) - exp(-u_f/reach)) to the nearest success, u_s length-scales away, | [q] |
| | rather than to the nearest failure, u_f length-scales away | |
| kappa | sharpness a^2/(a^2 + sharp^4), a: signal variance of g | scalar |
| r | distance to the nearest failed place, in units of `spot` | [q] |

The unit of g is the randomness of failures. Where successes and failures are apart, a is large, the zero of g is the
edge of a region and kappa is about 1. Where they are mixed, a is small, kappa about 0, and q is the share of successes
everywhere but in a spot around each failed place: what failed there would fail again, and a design next to it is as
good. Next to a success EP leaves too much doubt, because a normal distribution of g reaches below 0 where the success
says that g does not, and next to a failure too much hope; c takes them away.

Where designs are compared, a function that can be computed with a probability of at least `sure` counts as if it were
certain: otherwise a doubt of one in a hundred would weigh as much as a hundredth of all that the objective varies, and
no search would leave the places where everything was measured.

A function that has never failed has no model: it can be computed everywhere, exactly. Functions that fail together,
and never one without the other, have one model and count once: what breaks them is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.normal import inverse_mills, log1mexp, log_cdf
from taut.surrogate.gp import GP
from taut.surrogate.settings import SuccessSettings

FAR = 1e6  # length-scales to a point that there is not
LEAST_HALF, MOST_HALF = 1e-12, 100.0  # of r^2/2: keep the logarithm at a failed place, and exponentials, finite


class _Doubt(NamedTuple):
    """log Q and its derivatives by z and c; [q] each."""

    log: Array
    by_z: Array
    by_c: Array

    @staticmethod
    def of(z: Array, c: Array) -> _Doubt:
        hope, gain = log_cdf(z) + np.log1p(np.minimum(c, 0.0)), np.maximum(c, 0.0)
        with np.errstate(divide="ignore"):
            log = np.minimum(np.logaddexp(hope, log_cdf(-z) + np.log(gain)), 0.0)
        other = np.exp(log_cdf(-z) - log)
        by_z = np.exp(hope - log) * inverse_mills(z) - gain * other * inverse_mills(-z)
        return _Doubt(log, by_z, np.where(c < 0.0, 1.0 / (1.0 + np.minimum(c, 0.0)), other))


@dataclass(frozen=True)
class Nearest:
    """Points [n, d] among which the nearest is looked up, by length-scales l [d]."""

    points: Array
    l: Array

    def step(self, x: Array) -> Array:
        """From the nearest point to each of x [q, d], in length-scales; far away if there is none; [q, d]."""
        if not len(self.points):
            return np.full(x.shape, FAR)
        scaled, squares = self._scaled
        to = x / self.l
        step: Array = to - scaled[np.argmin(squares - 2.0 * (to @ scaled.T), axis=1)]
        return step

    @cached_property
    def _scaled(self) -> tuple[Array, Array]:
        """The points in length-scales [n, d], and squares of their norms [n]."""
        scaled = self.points / self.l
        return scaled, np.vecdot(scaled, scaled)


@dataclass(frozen=True)
class SuccessModel:
    """Of one function: the process g, and the points with a value [n, d] and without [m, d]."""

    latent: GP
    X: Array
    failed: Array
    settings: SuccessSettings

    def score(self, x: Array) -> Array:
        """z at x [q, d]; [q]."""
        mean, var = self.latent.approximate_posterior(x)
        z: Array = mean[0] / np.sqrt(1.0 + var)
        return z

    def score_with_gradient(self, x: Array) -> tuple[Array, Array]:
        """z [q] and its gradient [q, d] at x [q, d]: dz = dmu/sqrt(1 + v) - z dv/(2 (1 + v))."""
        here = self.latent.posterior_with_gradient(x)
        spread = 1.0 + here.var
        root = np.sqrt(spread)
        z = here.mean[0] / root
        return z, here.gradient(1.0 / root[None, :], -0.5 * z / spread)

    def probability(self, x: Array) -> Array:
        """q at x [q, d]; [q]."""
        q: Array = np.exp(self._log(x))
        return q

    def log(self, x: Array) -> Array:
        """log min(q/sure, 1) at x [q, d]: the doubt that counts where designs are compared; [q]."""
        return self._counted(self._log(x))

    def _log(self, x: Array) -> Array:
        step = self._broken.step(x)
        c = self._close(self._succeeded.step(x))[0] - self._close(step)[0]
        return _Doubt.of(self.score(x), self._kappa * c).log + self._spots(step)[0]

    def log_after(self, x: Array) -> Array:
        """The same as `log` once it has succeeded there: u_s = 0; [q]."""
        c = self._kappa * (1.0 - self._close(self._broken.step(x))[0])
        return self._counted(_Doubt.of(self.score(x), c).log)

    def _counted(self, log_q: Array) -> Array:
        counted: Array = np.minimum(log_q - float(np.log(self.settings.sure)), 0.0)
        return counted

    def log_with_gradient(self, x: Array, weight: Array, after: Array | None = None) -> tuple[Array, Array]:
        """`log` and `log_after` at x [q, d], each times its weight [q], and the gradient; [q], [q, d]."""
        z, slope = self.score_with_gradient(x)
        step = self._broken.step(x)
        (success, to_success), (failure, to_failure) = self._close(self._succeeded.step(x)), self._close(step)
        now, (spots, to_spot) = _Doubt.of(z, self._kappa * (success - failure)), self._spots(step)
        log_q = self._counted(now.log + spots)
        value, weight = weight * log_q, weight * (log_q < 0.0)
        by_success = self._kappa * weight * now.by_c
        by_z, by_failure = weight * now.by_z, -by_success
        if after is not None:
            then = _Doubt.of(z, self._kappa * (1.0 - failure))
            log_q = self._counted(then.log)
            value, after = value + after * log_q, after * (log_q < 0.0)
            by_z, by_failure = by_z + after * then.by_z, by_failure - self._kappa * after * then.by_c
        gradient = by_z[:, None] * slope + by_success[:, None] * to_success
        return value, gradient + by_failure[:, None] * to_failure + weight[:, None] * to_spot

    @cached_property
    def _kappa(self) -> float:
        return 1.0 / (1.0 + self.settings.sharp**4 / self.latent.hyper.a**2)

    @cached_property
    def _succeeded(self) -> Nearest:
        return Nearest(self.X, self.latent.hyper.l)

    @cached_property
    def _broken(self) -> Nearest:
        return Nearest(self.failed, self.latent.hyper.l)

    def _close(self, step: Array) -> tuple[Array, Array]:
        """exp(-u/reach) [q] for steps from the nearest point, in length-scales [q, d], and its gradient in x [q, d].

        Rounded off at the point itself, over a spot.
        """
        l, reach = self.latent.hyper.l, self.settings.reach
        round_off = self.settings.spot / float(np.min(l))
        distance = np.sqrt(np.vecdot(step, step) + round_off**2)
        close = np.exp((round_off - distance) / reach)
        return close, step * (-close / (reach * distance))[:, None] / l

    def _spots(self, step: Array) -> tuple[Array, Array]:
        """log(1 - exp(-r^2/2)) [q] and its gradient [q, d]; at a failed place itself 0 is only nearly reached."""
        r = step * (self.latent.hyper.l / self.settings.spot)
        half = np.maximum(0.5 * np.vecdot(r, r), LEAST_HALF)
        slope = 1.0 / np.expm1(np.minimum(half, MOST_HALF))
        return log1mexp(-half), r * (slope / self.settings.spot)[:, None]


@dataclass(frozen=True)
class Successes:
    """Of all functions. of_function: for each the position of its model, -1 if it never failed.

    caution: power of the probability that the news of an evaluation come at all.
    """

    models: tuple[SuccessModel, ...]
    of_function: tuple[int, ...]
    caution: float = 1.0

    def of(self, S: Iterable[int]) -> list[int]:
        """Positions of the models of a set of functions, each once; increasing."""
        return sorted({self.of_function[k] for k in S} - {-1})

    def member(self, groups: Iterable[tuple[Iterable[int], Ints]], count: int) -> Array:
        """1 where a row's set has a function of the model; groups: sets with their rows; [m, count]."""
        found = np.zeros((len(self.models), count))
        for S, rows in groups:
            for i in self.of(S):
                found[i, rows] = 1.0
        return found

    def scores(self, x: Array) -> Array:
        """z of every model at x [q, d]; [m, q]."""
        return np.array([model.score(x) for model in self.models])

    def logs(self, x: Array) -> Array:
        """log min(q/sure, 1) of every model at x [q, d]; [m, q]."""
        return np.array([model.log(x) for model in self.models])

    def logs_after(self, x: Array) -> Array:
        """The same once it has succeeded there; [m, q]."""
        return np.array([model.log_after(x) for model in self.models])

    def log(self, x: Array) -> Array:
        """Sum of the same over all models: the doubt that all functions can be computed at x [q, d]; [q]."""
        total: Array = self.logs(x).sum(axis=0)
        return total

    def log_with_gradient(
        self, x: Array, weight: Array | None = None, after: Array | None = None
    ) -> tuple[Array, Array]:
        """Sum of the same at x [q, d], each times its weight [m, q] or 1, and the gradient in x; [q], [q, d].

        after: weights of the same once they have succeeded there [m, q].
        """
        value, gradient = np.zeros(len(x)), np.zeros_like(x)
        for i, model in enumerate(self.models):
            mine = np.ones(len(x)) if weight is None else weight[i]
            then = None if after is None else after[i]
            if mine.any() or (then is not None and then.any()):
                log_q, slope = model.log_with_gradient(x, mine, then)
                value += log_q
                gradient += slope
        return value, gradient
