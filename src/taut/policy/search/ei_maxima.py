"""Local maxima of constrained expected improvement: cheap to find, and what a coupled step would look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.improvement import Improvement
from taut.acquisition.incumbent import incumbent
from taut.acquisition.utility import RawSamples
from taut.base.arrays import Array, Flags, Ints
from taut.base.ascend import AscentOptions, Score
from taut.base.distinct import best_apart, distinct
from taut.policy.context import Context
from taut.policy.menu import Set
from taut.policy.search.inner import ellipsoid_samples
from taut.policy.search.pricing import LogPrice, costs, log_price, prepared_places


@dataclass(frozen=True)
class Maxima:
    """Local maxima of log cEI, best first, those next to work under way last; known: whether there is an incumbent."""

    x: Array
    value: Array
    known: bool


@dataclass(frozen=True)
class PerCost:
    """Improvement per what all functions cost together, where that depends on the point."""

    improvement: Improvement
    price: LogPrice

    def log_value(self, samples: RawSamples) -> Array:
        return self.improvement.log_value(samples) - self._price(samples.x)[0]

    def value_with_gradient(self, x: Array) -> tuple[Array, Array]:
        (value, gradient), (cost, slope) = self.improvement.value_with_gradient(x), self._price(x)
        return value - cost, gradient - slope

    def _price(self, x: Array) -> tuple[Array, Array]:
        return self.price(x, np.zeros(len(x), dtype=np.intp))


def ei_maxima(
    context: Context,
    centre: tuple[Array, Array],
    starts: int,
    options: AscentOptions,
    finish: AscentOptions | None = None,
) -> Maxima:
    """centre: the recommendation [d] and the shape of G there [d, d]; finish: see local_maxima."""
    improvement, settings = context.settings.improvement, context.settings.ei
    tau = incumbent(context.raw_samples, context.surrogate.bent(context.dataset), improvement)
    expected, price = Improvement(context.utility, tau, improvement), log_price(context.menu, [context.menu.everything])
    score = expected if price is None else PerCost(expected, price)
    near = ellipsoid_samples(context.domain, centre, settings.near, context.generator("ei"), settings.near_radii)
    x, value = local_maxima(context, score, near, starts, options)
    if finish is not None:
        x, value = _finished(context, score, centre[0], (x, value), finish)
    order = distinct(x, value, settings.apart)
    x, value = x[order], value[order]
    if price is not None:
        x, value = _with_paid(context, expected, x, value)
    pending = _near_pending(context, x)
    if pending.all():
        x, value = _with_free(context, score, x, value)
        pending = _near_pending(context, x)
    order = np.argsort(pending, kind="stable")
    return Maxima(x[order], value[order], tau is not None)


def local_maxima(
    context: Context, score: Improvement | PerCost, near: Array, starts: int, options: AscentOptions
) -> tuple[Array, Array]:
    """Ends of short ascents of log cEI; ([m, d], [m]).

    Starts: the best distinct raw samples, and a quarter as many of a set near x_r [p, d] at many scales, because the
    way on from a recommendation in a corner of sharp constraints can be very narrow.
    """
    samples = context.raw_samples
    far = samples.x[best_apart(samples.x, score.log_value(samples), starts)]
    close = near[np.argsort(-score.log_value(context.utility.raw_samples(near)), kind="stable")[: starts // 4]]
    found = context.domain.ascend(_height(score), np.vstack([far, close]), options)
    return found.x, found.value


def _with_paid(context: Context, score: Improvement, x: Array, value: Array) -> tuple[Array, Array]:
    """The maxima with the places where a setup is paid already, at what everything costs right there; best first."""
    places = prepared_places(context)
    if not len(places):
        return x, value
    heights = score.log_value(context.utility.raw_samples(places))
    paid = np.log(costs(context.menu, context.menu.everything, places))
    x, value = np.vstack([x, places]), np.concatenate([value, heights - paid])
    order = np.argsort(-value, kind="stable")
    return x[order], value[order]


def _finished(
    context: Context, score: Improvement | PerCost, centre: Array, found: tuple[Array, Array], options: AscentOptions
) -> tuple[Array, Array]:
    """With a second ascent, which knows the curvature, from the best ends and from x_r itself.

    Once the constraints are known, the maximum is often next to x_r and so narrow that nothing else leads there.
    """
    settings, (x, value) = context.settings.ei, found
    best = np.vstack([centre, x[distinct(x, value, settings.finished_apart)[: settings.finished]]])
    last = context.domain.ascend(_height(score), best, options, context.domain.curvature(_height(score), best))
    return np.vstack([last.x, x]), np.concatenate([last.value, value])


def _height(score: Improvement | PerCost) -> Score:
    def height(x: Array, rows: Ints) -> tuple[Array, Array]:
        return score.value_with_gradient(x)

    return height


def _near_pending(context: Context, x: Array) -> Flags:
    """Is something under way close to each point of x [q, d]?"""
    under_way = np.vstack(context.dataset.pending)
    if not len(under_way):
        return np.zeros(len(x), dtype=bool)
    close: Flags = np.abs(x[:, None, :] - under_way).max(axis=2).min(axis=1) < context.settings.pending.near
    return close


def _with_free(context: Context, score: Improvement | PerCost, x: Array, value: Array) -> tuple[Array, Array]:
    """The maxima with the best raw sample that has nothing under way next to it, if there is one."""
    samples = context.raw_samples
    free = np.flatnonzero(~_near_pending(context, samples.x))
    if not len(free):
        return x, value
    heights = score.log_value(samples)
    best = free[int(np.argmax(heights[free]))]
    return np.vstack([samples.x[best], x]), np.append(heights[best], value)


def open_bundles(context: Context, x: Array) -> list[Set]:
    """Bundles that hold the objective or a constraint that is not certain at x [d], and not known there yet.

    A constraint that is certain is no reason to look: with nothing else left at x, the next maximum is the better one.
    """
    wanted = [k for k in context.uncertain(x) if context.menu.is_new(x, k)]
    return [S for S in context.menu.bundles if any(k in wanted for k in S)]
