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

from collections.abc import Iterable, MutableMapping, Sequence
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
        success, failure = self._near(x, self.X)[0], self._near(x, self.failed)[0]
        q: Array = np.exp(_Doubt.of(self.score(x), self._kappa * (success - failure)).log + self._spots(x)[0])
        return q

    def log(self, x: Array) -> Array:
        """log min(q/sure, 1) at x [q, d]: the doubt that counts where designs are compared; [q]."""
        success, failure = self._near(x, self.X)[0], self._near(x, self.failed)[0]
        doubt = _Doubt.of(self.score(x), self._kappa * (success - failure)).log
        return self._counted(doubt + self._spots(x)[0])

    def log_after(self, x: Array) -> Array:
        """The same once it has succeeded there: u_s = 0; [q]."""
        return self._counted(_Doubt.of(self.score(x), self._kappa * (1.0 - self._near(x, self.failed)[0])).log)

    def _counted(self, log_q: Array) -> Array:
        return np.minimum(log_q - float(np.log(self.settings.sure)), 0.0)

    def log_with_gradient(self, x: Array, weight: Array, after: Array | None = None) -> tuple[Array, Array]:
        """`log` and `log_after` at x [q, d], each times its weight [q], and the gradient; [q], [q, d]."""
        z, slope = self.score_with_gradient(x)
        (success, to_success), (failure, to_failure) = self._near(x, self.X), self._near(x, self.failed)
        now, (spots, step) = _Doubt.of(z, self._kappa * (success - failure)), self._spots(x)
        log_q = self._counted(now.log + spots)
        value, weight = weight * log_q, weight * (log_q < 0.0)
        by_success = self._kappa * weight * now.by_c
        by_z, by_failure = weight * now.by_z, -by_success
        if after is not None:
            then = _Doubt.of(z, self._kappa * (1.0 - failure))
            log_q = self._counted(then.log)
            value, after = value + after * log_q, after * (log_q < 0.0)
            by_z, by_failure = by_z + after * then.by_z, by_failure - self._kappa * after * then.by_c
        terms = ((by_z, slope), (by_success, to_success), (by_failure, to_failure), (weight, step))
        return value, sum((share[:, None] * part for share, part in terms), np.zeros_like(x))

    @cached_property
    def _kappa(self) -> float:
        return 1.0 / (1.0 + self.settings.sharp**4 / self.latent.hyper.a**2)

    def _near(self, x: Array, to: Array) -> tuple[Array, Array]:
        """exp(-u/reach) [q] to points [n, d] and its gradient [q, d]; rounded off at a point itself, over a spot."""
        if not len(to):
            return np.zeros(len(x)), np.zeros_like(x)
        l, reach = self.latent.hyper.l, self.settings.reach
        step = (x - to[nearest(x / l, to / l)[0]]) / l
        round_off = self.settings.spot / float(np.min(l))
        distance = np.sqrt(np.vecdot(step, step) + round_off**2)
        near = np.exp((round_off - distance) / reach)
        return near, step * (-near / (reach * distance))[:, None] / l

    def _spots(self, x: Array) -> tuple[Array, Array]:
        """log(1 - exp(-r^2/2)) [q] and its gradient [q, d]; at a failed place itself 0 is only nearly reached."""
        step = (x - self.failed[nearest(x, self.failed)[0]]) / self.settings.spot
        half = np.maximum(0.5 * np.vecdot(step, step), LEAST_HALF)
        slope = 1.0 / np.expm1(np.minimum(half, MOST_HALF))
        return log1mexp(-half), step * (slope / self.settings.spot)[:, None]


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


def fit_successes(dataset: Dataset, settings: SuccessSettings, cache: MutableMapping[str, Any]) -> Successes | None:
    """The models of all functions; None if none has ever failed.

    cache: of this process, by function. It saves work where nothing has changed; the answer is the same without it.
    """
    models: list[SuccessModel] = []
    of_function = [-1] * len(dataset.functions)
    for together in alike(dataset):
        for k in together:
            of_function[k] = len(models)
        parts = [(dataset.X[k], dataset.failed[k]) for k in together]
        models.append(_fit_cached(dataset.functions[together[0]].name, parts, settings, cache))
    return Successes(tuple(models), tuple(of_function), settings.caution) if models else None


def alike(dataset: Dataset) -> list[list[int]]:
    """Functions that have failed, those together that have one cause: they failed at a common place, and wherever two
    of them were evaluated, both could be computed or neither.
    """
    succeeded, failed = ([{*map(bytes, column)} for column in columns] for columns in (dataset.X, dataset.failed))
    groups: list[list[int]] = []
    for k in (k for k, places in enumerate(failed) if places):
        for group in groups:
            agree = all(not (failed[k] & succeeded[j] or succeeded[k] & failed[j]) for j in group)
            if agree and all(failed[k] & failed[j] for j in group):
                group.append(k)
                break
        else:
            groups.append([k])
    return groups


def _each_once(parts: Sequence[Array]) -> Array:
    """The points of all parts [n, d], each once, in order of first appearance; [n, d]."""
    points = np.vstack(parts)
    first: Ints = np.sort(np.unique(points, axis=0, return_index=True)[1])
    return points[first]


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


Parts = Sequence[tuple[Array, Array]]
"""Of every function with one cause: points with a value [n, d] and failed ones [m, d], in order."""


def _fit_cached(name: str, parts: Parts, settings: SuccessSettings, cache: MutableMapping[str, Any]) -> SuccessModel:
    last, fitted = cache.get(name, (None, None))
    points = _joined(parts)
    if last is None or not last.answers(*points, settings):
        early = _joined([(_settled(X, settings), _settled(failed, settings)) for X, failed in parts])
        if fitted is None or not fitted.answers(*early, settings):
            fitted = _Kept(*early, settings, hyperparameters(*early, settings))
        last = _Kept(*points, settings, success_model(*points, fitted.found, settings))
        cache[name] = last, fitted
    found: SuccessModel = last.found
    return found


def _joined(parts: Parts) -> tuple[Array, Array]:
    """All points with a value, and all that failed, each once; [n, d], [m, d]."""
    return _each_once([X for X, _ in parts]), _each_once([failed for _, failed in parts])


def _settled(points: Array, settings: SuccessSettings) -> Array:
    """The first of points [n, d], which hyperparameters are fitted to: all of a few, then the same for a while."""
    n, settled = len(points), min(len(points), settings.every_until)
    while settled and settled * settings.growth <= n:
        settled = int(np.ceil(settled * settings.growth))
    return points[:settled]


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
    X, failed = selected(_each_once([X]), _each_once([failed]), settings.most)
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
