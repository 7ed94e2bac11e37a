"""Where each function can be computed: the probability of a success, from points with a value and points that failed.

    q(x) = (Phi(z) (1 - c_f) + Phi(-z) c_s) (1 - exp(-r^2/2))

| symbol | meaning | shape |
| --- | --- | --- |
| g | a process; a function can be computed at x with probability Phi(g(x)) | |
| mu, v | mean and variance of g given successes and failures, by EP (labels.py) | [q] |
| z | score mu/sqrt(1 + v); Phi(-z) is the doubt that EP leaves, Phi(z) the hope | [q] |
| c_s, c_f | closeness kappa exp(-u/reach) to the nearest success, or failure, u length-scales away | [q] |
| kappa | sharpness a^2/(a^2 + sharp^4), a: signal variance of g | scalar |
| r | distance to the nearest failed place, in units of `spot` | [q] |

The unit of g is the randomness of failures. Where successes and failures are apart, a is large, the zero of g is the
edge of a region and kappa is about 1. Where they are mixed, a is small, kappa about 0, and q is the share of successes
everywhere but in a spot around each failed place: what failed there would fail again, and a design next to it is as
good. Next to a success EP leaves too much doubt, because a normal distribution of g reaches below 0 where the success
says that g does not, and next to a failure too much hope; c_s and c_f take them away.

A function that has never failed has no model: it can be computed everywhere, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.normal import inverse_mills, log1mexp, log_cdf
from taut.data.dataset import Dataset
from taut.surrogate.gp import GP, Hyper, condition
from taut.surrogate.labels import Labels, propagate
from taut.surrogate.selection import farthest
from taut.surrogate.settings import SuccessSettings

LEAST_SITE = 1e-10  # a site of less precision says nothing; its target would overflow
LEAST_HALF, MOST_HALF = 1e-12, 100.0  # of r^2/2: keep the logarithm at a failed place, and exponentials, finite


class _Doubt(NamedTuple):
    """log(Phi(z) (1 - c_f) + Phi(-z) c_s), and its derivatives by z, log c_s and log c_f; [q] each."""

    log: Array
    by_z: Array
    by_success: Array
    by_failure: Array

    @staticmethod
    def of(z: Array, log_success: Array, log_failure: Array) -> _Doubt:
        """log_success, log_failure: log c_s and log c_f [q]."""
        left = log1mexp(log_failure)
        hope, saved = log_cdf(z) + left, log_cdf(-z) + log_success
        log = np.minimum(np.logaddexp(hope, saved), 0.0)
        hope, saved = np.exp(hope - log), np.exp(saved - log)
        by_z = hope * inverse_mills(z) - saved * inverse_mills(-z)
        return _Doubt(log, by_z, saved, -hope * np.exp(log_failure - left))


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

    def log(self, x: Array) -> Array:
        """log q at x [q, d]; [q]."""
        success, failure = self._closeness(x, self.X)[0], self._closeness(x, self.failed)[0]
        return _Doubt.of(self.score(x), success, failure).log + self._spots(x)[0]

    def log_after(self, x: Array) -> Array:
        """log q at x [q, d] once it has succeeded there; [q]."""
        return self._after(self.score(x), self._closeness(x, self.failed)[0]).log

    def _after(self, z: Array, failure: Array) -> _Doubt:
        """With c_s = kappa; failure: log c_f [q]."""
        return _Doubt.of(z, np.full(len(z), self._log_kappa), failure)

    def log_with_gradient(self, x: Array, weight: Array, after: Array | None = None) -> tuple[Array, Array]:
        """log q and log q after a success at x [q, d], each times its weight [q], and the gradient; [q], [q, d]."""
        z, slope = self.score_with_gradient(x)
        (success, to_success), (failure, to_failure) = (self._closeness(x, each) for each in (self.X, self.failed))
        now, (spots, step) = _Doubt.of(z, success, failure), self._spots(x)
        value, by_z, by_failure = weight * (now.log + spots), weight * now.by_z, weight * now.by_failure
        if after is not None:
            then = self._after(z, failure)
            value, by_z = value + after * then.log, by_z + after * then.by_z
            by_failure += after * then.by_failure
        by_success = weight * now.by_success
        terms = ((by_z, slope), (by_success, to_success), (by_failure, to_failure), (weight, step))
        return value, sum((share[:, None] * part for share, part in terms), np.zeros_like(x))

    @cached_property
    def _log_kappa(self) -> float:
        return -float(np.log1p(self.settings.sharp**4 / self.latent.hyper.a**2))

    def _closeness(self, x: Array, to: Array) -> tuple[Array, Array]:
        """log c [q] to points [n, d] and its gradient [q, d]; rounded off at a point itself, over a spot."""
        if not len(to):
            return np.full(len(x), -np.inf), np.zeros_like(x)
        l, reach = self.latent.hyper.l, self.settings.reach
        step = (x - to[nearest(x / l, to / l)[0]]) / l
        round_off = self.settings.spot / float(np.min(l))
        distance = np.sqrt(np.vecdot(step, step) + round_off**2)
        return self._log_kappa - (distance - round_off) / reach, -step / (l * reach * distance[:, None])

    def _spots(self, x: Array) -> tuple[Array, Array]:
        """log(1 - exp(-r^2/2)) [q] and its gradient [q, d]; at a failed place itself 0 is only nearly reached."""
        step = (x - self.failed[nearest(x, self.failed)[0]]) / self.settings.spot
        half = np.maximum(0.5 * np.vecdot(step, step), LEAST_HALF)
        slope = 1.0 / np.expm1(np.minimum(half, MOST_HALF))
        return log1mexp(-half), step * (slope / self.settings.spot)[:, None]


@dataclass(frozen=True)
class Successes:
    """Of all functions, in their order; None for one that never failed."""

    models: tuple[SuccessModel | None, ...]

    def known(self, S: Iterable[int] | None = None) -> list[tuple[int, SuccessModel]]:
        """The functions of a set that have failed somewhere, with their models; None: of all."""
        chosen = range(len(self.models)) if S is None else S
        return [(k, model) for k in chosen if (model := self.models[k]) is not None]

    def scores(self, x: Array) -> Array:
        """z of every function at x [q, d], inf where it never failed; [K + 1, q]."""
        found = np.full((len(self.models), len(x)), np.inf)
        for k, model in self.known():
            found[k] = model.score(x)
        return found

    def logs(self, x: Array) -> Array:
        """log q of every function at x [q, d]; [K + 1, q]."""
        found = np.zeros((len(self.models), len(x)))
        for k, model in self.known():
            found[k] = model.log(x)
        return found

    def logs_after(self, x: Array) -> Array:
        """The same once it has succeeded there; [K + 1, q]."""
        found = np.zeros((len(self.models), len(x)))
        for k, model in self.known():
            found[k] = model.log_after(x)
        return found

    def log(self, x: Array) -> Array:
        """log of the probability that all functions can be computed at x [q, d]; [q]."""
        total: Array = self.logs(x).sum(axis=0)
        return total

    def log_with_gradient(
        self, x: Array, weight: Array | None = None, after: Array | None = None
    ) -> tuple[Array, Array]:
        """sum_k log q_k at x [q, d], each times its weight [K + 1, q] or 1, and the gradient in x; [q], [q, d].

        after: weights of the same once they have succeeded there [K + 1, q].
        """
        value, gradient = np.zeros(len(x)), np.zeros_like(x)
        for k, model in self.known():
            mine = np.ones(len(x)) if weight is None else weight[k]
            then = None if after is None else after[k]
            if mine.any() or (then is not None and then.any()):
                log_q, slope = model.log_with_gradient(x, mine, then)
                value += log_q
                gradient += slope
        return value, gradient


def fit_successes(dataset: Dataset, settings: SuccessSettings, cache: MutableMapping[str, Any]) -> Successes | None:
    """The models of all functions; None if none has ever failed.

    cache: of this process, by function. It saves work where nothing has changed; the answer is the same without it.
    """
    if not any(len(failed) for failed in dataset.failed):
        return None
    models: list[SuccessModel | None] = []
    for view, X, failed in zip(dataset.functions, dataset.X, dataset.failed, strict=True):
        models.append(_fit_cached(view.name, X, failed, settings, cache) if len(failed) else None)
    return Successes(tuple(models))


@dataclass(frozen=True)
class _Kept:
    """What was found for points with a value X [n, d] and failed ones [m, d]."""

    X: Array
    failed: Array
    settings: SuccessSettings
    found: Any

    def answers(self, X: Array, failed: Array, settings: SuccessSettings) -> bool:
        same = settings == self.settings and np.array_equal(X, self.X)
        return same and np.array_equal(failed, self.failed)


def _fit_cached(
    name: str, X: Array, failed: Array, settings: SuccessSettings, cache: MutableMapping[str, Any]
) -> SuccessModel:
    last, fitted = cache.get(name, (None, None))
    if last is None or not last.answers(X, failed, settings):
        early = X[: _settled(len(X), settings)], failed[: _settled(len(failed), settings)]
        if fitted is None or not fitted.answers(*early, settings):
            fitted = _Kept(*early, settings, hyperparameters(*early, settings))
        last = _Kept(X, failed, settings, success_model(X, failed, fitted.found, settings))
        cache[name] = last, fitted
    found: SuccessModel = last.found
    return found


def _settled(n: int, settings: SuccessSettings) -> int:
    """How many of n points hyperparameters are fitted to: all of a few, then the same while a part of them comes in."""
    settled = min(n, settings.every_until)
    while settled * settings.growth <= n and settled:
        settled = int(np.ceil(settled * settings.growth))
    return settled


@dataclass(frozen=True)
class SuccessHyper:
    """Of g: length-scales l [d], signal variance a, mean m."""

    l: Array
    a: float
    m: float


def hyperparameters(X: Array, failed: Array, settings: SuccessSettings) -> SuccessHyper:
    """Maximum of the evidence of EP times the prior: log l, log sqrt(a) and m are normal."""
    from scipy.optimize import minimize

    labels, d = _labels(X, failed, settings), X.shape[1]
    centre, sd = _prior(d, settings)

    def cost(theta: Array) -> tuple[float, Array]:
        l, a, m = np.exp(theta[:d]), float(np.exp(2.0 * theta[d])), float(theta[d + 1])
        found = propagate(labels, l, a, m, settings)
        slope = found.gradient * np.append(np.ones(d), [2.0, 1.0])
        off = (theta - centre) / sd
        return 0.5 * float(off @ off) - found.evidence, off / sd - slope

    box = [(c - settings.widest * s, c + settings.widest * s) for c, s in zip(centre, sd, strict=True)]
    box[d] = float(np.log(settings.sd_box[0])), float(np.log(settings.sd_box[1]))
    options = {"maxfun": settings.evaluations, "ftol": settings.value_tolerance, "gtol": settings.slope_tolerance}
    theta = minimize(cost, centre, jac=True, method="L-BFGS-B", bounds=box, options=options).x
    return SuccessHyper(np.exp(theta[:d]), float(np.exp(2.0 * theta[d])), float(theta[d + 1]))


def _prior(d: int, settings: SuccessSettings) -> tuple[Array, Array]:
    """Means and standard deviations of (log l [d], log sqrt(a), m)."""
    length = np.log(settings.length_median * np.sqrt(d / 2.0))
    centre = np.append(np.full(d, length), [np.log(settings.sd_median), settings.mean])
    return centre, np.append(np.full(d, settings.length_sd), [settings.sd_sd, settings.mean_sd])


def success_model(X: Array, failed: Array, hyper: SuccessHyper, settings: SuccessSettings) -> SuccessModel:
    """EP's sites are observations nu/tau of g - m with noise 1/tau: given them, g is a process as any other."""
    labels = _labels(X, failed, settings)
    found = propagate(labels, hyper.l, hyper.a, hyper.m, settings)
    tau = np.maximum(found.tau, LEAST_SITE)
    target = hyper.m + found.nu / tau
    given = Hyper(hyper.l, hyper.a, 1.0, hyper.m, np.inf)
    latent = condition(labels.X, target[:, None], given, 0.0, 1.0, share=1.0 / (tau * hyper.a))
    return SuccessModel(latent, X, failed, settings)


def _labels(X: Array, failed: Array, settings: SuccessSettings) -> Labels:
    """Successes and failures, each point once; of very many those that matter."""
    X, failed = selected(np.unique(X, axis=0), np.unique(failed, axis=0), settings.most)
    return Labels(np.vstack([X, failed]), np.append(np.ones(len(X)), -np.ones(len(failed))))


def nearest(x: Array, to: Array) -> tuple[Ints, Array]:
    """Which of the points `to` [m, d] is nearest to each of x [q, d], and the square of its distance; [q], [q]."""
    squares = np.zeros((len(x), len(to)))
    for ours, theirs in zip(x.T, to.T, strict=True):
        squares += np.square(ours[:, None] - theirs)
    which = squares.argmin(axis=1)
    return which, squares[np.arange(len(x)), which]


def selected(X: Array, failed: Array, most: int) -> tuple[Array, Array]:
    """At most so many points: failures spread over the cube, no more than half; of the successes those nearest to a
    failure, which say where its region ends, and as many spread over the cube.
    """
    if len(X) + len(failed) <= most:
        return X, failed
    failed = failed[farthest(failed, max(most // 2, most - len(X)))]
    room = most - len(failed)
    if len(X) <= room:
        return X, failed
    near = np.argsort(nearest(X, failed)[1], kind="stable")
    order = np.concatenate([farthest(X, room - room // 2), near])
    first = np.sort(np.unique(order, return_index=True)[1])[:room]
    return X[np.sort(order[first])], failed
