"""Confidence bounds of decoupled constraints (UCB-D), in standardised units of each function.

| symbol | meaning | shape |
| --- | --- | --- |
| w | half-width of the bounds in standard deviations | scalar |
| u_0, l_0 | (mu_0 - offset +- w sigma_0)/scale | [q] |
| u_k, l_k | (max(mu_k - upper, lower - mu_k) +- w sigma_k)/scale_k; the constraint holds where it is <= 0 | [K, q] |
| z_k | score of a success; a function can be computed more probably than not where it is >= 0 | [K + 1, q] |
| O | optimistic set {x : l_k(x) <= 0 and z_k(x) >= 0 for all k} | |
| x_t | argmax of u_0 over O; if O is empty, argmin max_k l_k | [d] |
| nu | u_0(x_t) - l_0(x_t) = 2 w sigma_0(x_t)/scale | scalar |

At x_t the constraint with the largest u_k/b_k is evaluated if that exceeds nu/b_0, otherwise the objective. Widths of
objective and constraints are compared, so all of them have to be in units of their own data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.acquisition.settings import CONFIDENCE, ConfidenceSettings
from taut.base.arrays import Array
from taut.base.distinct import best_apart, distinct
from taut.base.domain import Domain
from taut.base.slsqp import NonlinearProgram
from taut.surrogate.gp import GP
from taut.surrogate.posterior import PosteriorWithGradient
from taut.surrogate.success import Successes


def half_width(d: int, K: int, step: int, settings: ConfidenceSettings) -> float:
    """w at decision t = 0, 1, ... with d parameters and K constraints, by the rule of the settings."""
    if settings.width == "constant":
        return settings.constant
    return theory(d, K, step + 1, settings) if settings.width == "theory" else schedule(d, step, settings.divisor)


def schedule(d: int, step: int, divisor: float, settings: ConfidenceSettings = CONFIDENCE) -> float:
    """w = 2 log(|X| (t + 1)^2/0.6)/divisor for t = 0, 1, ... and |X| = 1000 d: what the published code runs."""
    return float(2.0 * np.log(settings.cells * d * (step + 1.0) ** 2 / 0.6) / divisor)


def theory(d: int, K: int, step: int, settings: ConfidenceSettings = CONFIDENCE) -> float:
    """w = sqrt(2 log((K + 1) |X| t^2 pi^2/(6 delta))) for t = 1, 2, ... and |X| = 1000 d."""
    size = (K + 1.0) * settings.cells * d * max(step, 1) ** 2 * np.pi**2 / (6.0 * settings.delta)
    return float(np.sqrt(2.0 * np.log(size)))


@dataclass(frozen=True)
class ConfidenceBounds:
    """Bounds at q points: upper, lower [K + 1, q], the objective first; doubt: -z_k, -inf if it never failed."""

    upper: Array
    lower: Array
    doubt: Array

    @property
    def width(self) -> Array:
        """upper - lower; [K + 1, q]."""
        return self.upper - self.lower

    @property
    def violation(self) -> Array:
        """max_k (l_k, -z_k), -inf without constraints and failures; at most 0 in the optimistic set; [q]."""
        worst: Array = np.max(np.vstack([self.lower[1:], self.doubt]), axis=0)
        return worst

    @property
    def obstacle(self) -> Array:
        """What each function contributes to that: l_k and -z_k, of the objective -z_0 alone; [K + 1, q]."""
        return np.vstack([self.doubt[:1], np.maximum(self.lower[1:], self.doubt[1:])])

    @property
    def certified(self) -> Array:
        """max(nu, max_k u_k): a bound on how wrong the point can be; [q]."""
        worst: Array = np.max(np.vstack([self.width[:1], self.upper[1:]]), axis=0)
        return worst


@dataclass(frozen=True)
class OptimisticMaximum:
    """Local maxima of u_0 over the optimistic set, best first [m, d]; empty: none was found and x minimises max l_k."""

    x: Array
    empty: bool


@dataclass(frozen=True)
class Confidence:
    """Bounds of one belief: processes (objective first), feasible intervals, half-width w.

    successes: where functions can be computed; None if everywhere. within: where searches may go; None for the cube.
    """

    processes: Sequence[GP]
    bounds: Sequence[Bounds]
    w: float
    settings: ConfidenceSettings = CONFIDENCE
    successes: Successes | None = None
    within: Domain | None = None

    @cached_property
    def domain(self) -> Domain:
        return self.within or Domain(self.processes[0].X.shape[1])

    def at(self, x: Array) -> ConfidenceBounds:
        """Bounds at x [q, d]."""
        upper, lower = [], []
        for gp, b in zip(self.processes, [None, *self.bounds], strict=True):
            here = gp.posterior(x)
            mean, half = here.mean[0], self.w * np.sqrt(here.var)
            value = mean - gp.offset if b is None else np.maximum(mean - b.upper, b.lower - mean)
            upper.append((value + half) / gp.scale)
            lower.append((value - half) / gp.scale)
        return ConfidenceBounds(np.array(upper), np.array(lower), self._doubt(x))

    def _doubt(self, x: Array) -> Array:
        """-z of every function at x [q, d], -inf if it never failed; [K + 1, q]."""
        doubt = np.full((len(self.processes), len(x)), -np.inf)
        if self.successes is not None:
            scores = self.successes.scores(x)
            for k, i in enumerate(self.successes.of_function):
                if i >= 0:
                    doubt[k] = -scores[i]
        return doubt

    def optimist(self, points: Array) -> OptimisticMaximum:
        """x_t from the best points [q, d] of a search set."""
        settings, bounds = self.settings, self.at(points)
        if bounds.violation.min() > 0.0:
            least = self._least(points[int(bounds.violation.argmin())])
            points, bounds = least[None, :], self.at(least[None, :])
            if bounds.violation[0] > 0.0:
                return OptimisticMaximum(points, True)
        value = np.where(bounds.violation <= 0.0, bounds.upper[0], -np.inf)
        starts = points[best_apart(points, value, settings.starts)]
        ends = np.vstack([starts, *(self._maximum(start)[None, :] for start in starts)])
        there = self.at(ends)
        value = np.where(there.violation <= settings.slack, there.upper[0], -np.inf)
        return OptimisticMaximum(ends[distinct(ends, value, settings.same_maximum)], False)

    def _maximum(self, start: Array) -> Array:
        """max u_0 subject to l_k <= 0 for all k, from start [d]."""
        end = self.domain.solve(BoundProgram(self), start, self.settings.tolerance, self.settings.steps)
        return start if end is None else end

    def _least(self, start: Array) -> Array:
        """min max_k l_k from start [d]; the start if that leads nowhere."""
        program = LeastProgram(self)
        worst = program.violation(start)
        end = self.domain.solve(program, np.append(start, worst), self.settings.tolerance, self.settings.steps)
        better = end is not None and self.at(end[None, :-1]).violation[0] < worst
        return end[:-1] if end is not None and better else start


class BoundProgram(NonlinearProgram):
    """max u_0 subject to l_k <= 0 and z_k >= 0 for all k."""

    def __init__(self, confidence: Confidence, free: int = 0) -> None:
        successes = confidence.successes
        super().__init__(bool(confidence.bounds) or successes is not None, free)
        self.confidence = confidence
        self.failing = () if successes is None else successes.models

    def objective(self, x: Array) -> tuple[float, Array]:
        """-u_0 and its gradient."""
        gp = self.confidence.processes[0]
        value, slope = self._moved(gp.posterior_with_gradient(x[None, :]), 1.0)
        return -(value - gp.offset) / gp.scale, -slope / gp.scale

    def limits(self, x: Array) -> tuple[Array, Array]:
        """-l_k for every finite bound, and z_k; [m], and the gradients [m, d]."""
        margin, slopes = [], []
        for gp, b in zip(self.confidence.processes[1:], self.confidence.bounds, strict=True):
            here = gp.posterior_with_gradient(x[None, :])
            for bound, sign in ((b.upper, 1.0), (b.lower, -1.0)):
                if np.isfinite(bound):
                    value, slope = self._moved(here, -sign)
                    margin.append(sign * (bound - value) / gp.scale)
                    slopes.append(-sign * slope / gp.scale)
        for model in self.failing:
            score, slopes_z = model.score_with_gradient(x[None, :])
            margin.append(float(score[0]))
            slopes.append(slopes_z[0])
        return np.array(margin), np.array(slopes).reshape(-1, len(x))

    def _moved(self, here: PosteriorWithGradient, sign: float) -> tuple[float, Array]:
        """mu + sign w sigma at one point, and its gradient [d]."""
        w, sd = sign * self.confidence.w, float(np.sqrt(here.var[0]))
        slope: Array = here.gradient(np.ones((1, 1)), np.full(1, 0.5 * w / sd))[0]
        return float(here.mean[0, 0]) + w * sd, slope


class LeastProgram(BoundProgram):
    """min max_k (l_k, -z_k), as the least s with l_k(x), -z_k(x) <= s for all k; its variables are (x, s)."""

    def __init__(self, confidence: Confidence) -> None:
        super().__init__(confidence, free=1)

    def violation(self, x: Array) -> float:
        """max_k l_k at x [d]."""
        return float(-super().limits(x)[0].min())

    def objective(self, x: Array) -> tuple[float, Array]:
        return float(x[-1]), np.append(np.zeros(len(x) - 1), 1.0)

    def limits(self, x: Array) -> tuple[Array, Array]:
        margin, slopes = super().limits(x[:-1])
        return margin + x[-1], np.hstack([slopes, np.ones((len(slopes), 1))])
