"""How long evaluations take: a curve through the logarithm of the time of each function, learned from all of them.

    log t_k(x) = level_k + slope_k . u + bend_k . u^2 + delta_k failed + noise of variance scatter_k,    u = x - 1/2

x: a point [d] of the unit cube. What all functions have in common comes first: one slope and bend for all, fitted to
their times less the mean of each. It is the prior of each function's own, as the mean level of all is that of its own
level; so a function that was seldom evaluated, or never, is expected to take longer where the others do. Bayesian
linear regression, with the scatter found by a few rounds of the same. Small and stiff on purpose: costs only weigh
decisions, and a model with more freedom would have to be paid for in evaluations.

The expected cost is the mean of the log-normal time, exp(level + slope . u + bend . u^2 + scatter / 2), because a
budget adds up times and not their medians; times the share of failures that took longer or shorter, 1 - p + p
exp(delta). What is uncertain about the curve itself is left out: it would make unknown regions look dear, and they are
no dearer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.knob import NEVER_TUNED, knob


@dataclass(frozen=True)
class DurationSettings:
    """The model of log time."""

    shortest: float = knob(1e-3, "seconds: shorter times count as this", NEVER_TUNED)
    level: float = knob(3.0, "prior sd of the log time of a function around that of all", NEVER_TUNED)
    slope: float = knob(2.0, "prior sd of the slope that functions share, over the width of the cube", NEVER_TUNED)
    own_slope: float = knob(1.0, "prior sd of a function's own slope around that", NEVER_TUNED)
    bend: float = knob(
        4.0,
        "prior sd of the bend that functions share, by the square of half the width",
        NEVER_TUNED,
    )
    own_bend: float = knob(2.0, "prior sd of a function's own bend around that", NEVER_TUNED)
    failed: float = knob(2.0, "prior sd of how much longer or shorter failures take, in log time", NEVER_TUNED)
    scatter: float = knob(0.1, "prior sd of log time around the line", NEVER_TUNED)
    scatter_weight: float = knob(2.0, "times that this counts as", NEVER_TUNED)
    rounds: int = knob(5, "of line and scatter in turn", NEVER_TUNED)


DURATIONS = DurationSettings()


@dataclass(frozen=True)
class Times:
    """Measured times of one function. x: [n, d]; seconds: [n]; failed: [n]."""

    x: Array
    seconds: Array
    failed: Flags

    def logs(self, settings: DurationSettings) -> Array:
        return np.log(np.maximum(self.seconds, settings.shortest))

    @property
    def columns(self) -> Array:
        """u, u^2 and whether it failed; [n, 2 d + 1]."""
        return np.column_stack([self.x - 0.5, (self.x - 0.5) ** 2, self.failed.astype(float)])


@dataclass(frozen=True)
class Curve:
    """The expected cost exp(level + slope . u + bend . u^2) of something; slope, bend: [d]."""

    level: float
    slope: Array
    bend: Array

    @staticmethod
    def flat(level: float, dimension: int) -> "Curve":
        """The same everywhere."""
        return Curve(level, np.zeros(dimension), np.zeros(dimension))

    def log(self, x: Array) -> Array:
        """At x [q, d]; [q]."""
        u = x - 0.5
        return self.level + u @ self.slope + u**2 @ self.bend

    def gradient(self, x: Array) -> Array:
        """Of log cost at x [q, d]; [q, d]."""
        return self.slope + 2.0 * (x - 0.5) * self.bend

    @property
    def reach(self) -> float:
        """How far log cost is from its level in the cube, at most."""
        return float((0.5 * np.abs(self.slope) + 0.25 * np.abs(self.bend)).sum())


def curves(measured: Mapping[str, Times], dimension: int, settings: DurationSettings = DURATIONS) -> dict[str, Curve]:
    """The expected cost of each function; 1 second everywhere as long as nothing at all was measured."""
    known = {name: times for name, times in measured.items() if len(times.seconds)}
    shared = _shared(list(known.values()), dimension, settings)
    levels = [float((each.logs(settings) - each.columns @ shared).mean()) for each in known.values()]
    level = float(np.mean(levels)) if levels else 0.0
    prior = np.concatenate([[level], shared])
    return {name: _curve(times, prior, settings) for name, times in measured.items()}


def _shared(known: list[Times], dimension: int, settings: DurationSettings) -> Array:
    """What functions have in common: slopes, bends, and how much longer failures take; [2 d + 1]."""
    sd = _spread(dimension, settings.slope, settings.bend, settings.failed)
    if not known:
        return np.zeros(len(sd))
    columns = [each.columns - each.columns.mean(axis=0) for each in known]
    logs = [each.logs(settings) - each.logs(settings).mean() for each in known]
    return _regression(np.vstack(columns), np.concatenate(logs), np.zeros(len(sd)), sd, settings)[0]


def _curve(times: Times, prior: Array, settings: DurationSettings) -> Curve:
    """prior: level, slopes, bends and the difference of failures that are expected before; [2 d + 2]."""
    d = times.x.shape[1]
    sd = np.concatenate([[settings.level], _spread(d, settings.own_slope, settings.own_bend, settings.failed)])
    columns = np.column_stack([np.ones(len(times.seconds)), times.columns])
    weights, scatter = _regression(columns, times.logs(settings), prior, sd, settings)
    failures = float(times.failed.sum()) / (len(times.seconds) + 1.0)
    with_failures = float(np.log1p(failures * np.expm1(weights[-1])))
    return Curve(float(weights[0]) + 0.5 * scatter + with_failures, weights[1 : d + 1], weights[d + 1 : -1])


def _spread(d: int, slope: float, bend: float, failed: float) -> Array:
    """Standard deviations of slopes, bends and the difference of failures; [2 d + 1]."""
    return np.concatenate([np.full(d, slope), np.full(d, bend), [failed]])


def _regression(columns: Array, y: Array, prior: Array, sd: Array, settings: DurationSettings) -> tuple[Array, float]:
    """Posterior mean of the weights [p] of columns [n, p] for y [n], and the variance around them.

    Weights are normal around prior [p] with standard deviations sd [p].
    """
    weight, scatter = settings.scatter_weight, settings.scatter**2
    gram, lifted, weights = columns.T @ columns, columns.T @ (y - columns @ prior), prior
    for _ in range(settings.rounds):
        weights = prior + np.linalg.solve(gram + np.diag(scatter / sd**2), lifted)
        left = y - columns @ weights
        scatter = (weight * settings.scatter**2 + float(left @ left)) / (weight + len(y))
    return weights, scatter
