"""Confidence bounds of decoupled constraints (UCB-D), in standardised units of each function.

| symbol | meaning | shape |
| --- | --- | --- |
| w | half-width of the bounds in standard deviations | scalar |
| u_0, l_0 | (mu_0 - offset +- w sigma_0)/scale | [q] |
| u_k, l_k | (max(mu_k - upper, lower - mu_k) +- w sigma_k)/scale_k; the constraint holds where it is <= 0 | [K, q] |
| O | optimistic set {x : l_k(x) <= 0 for all k} | |
| x_t | argmax of u_0 over O; if O is empty, argmin max_k l_k | [d] |
| nu | u_0(x_t) - l_0(x_t) = 2 w sigma_0(x_t)/scale | scalar |

At x_t the constraint with the largest u_k/b_k is evaluated if that exceeds nu/b_0, otherwise the objective. Widths of
objective and constraints are compared, so all of them have to be in units of their own data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.base.distinct import best_apart, distinct
from taut.surrogate.gp import GP, PosteriorWithGradient

DELTA = 0.1  # probability with which the bounds of the theory may fail
CELLS = 1000  # points per dimension that stand for the finite domain of the theory
SLACK = 1e-8  # standardised: how far outside O a refined maximum may be
STARTS = 6
STEPS = {"maxiter": 30, "ftol": 1e-9}


def schedule(d: int, step: int, divisor: float) -> float:
    """w = 2 log(|X| (t + 1)^2/0.6)/divisor for t = 0, 1, ... and |X| = 1000 d: what the published code runs."""
    return float(2.0 * np.log(CELLS * d * (step + 1.0) ** 2 / 0.6) / divisor)


def theory(d: int, K: int, step: int) -> float:
    """w = sqrt(2 log((K + 1) |X| t^2 pi^2/(6 delta))) for t = 1, 2, ... and |X| = 1000 d."""
    size = (K + 1.0) * CELLS * d * max(step, 1) ** 2 * np.pi**2 / (6.0 * DELTA)
    return float(np.sqrt(2.0 * np.log(size)))


@dataclass(frozen=True)
class ConfidenceBounds:
    """Bounds at q points: upper, lower [K + 1, q], the objective first."""

    upper: Array
    lower: Array

    @property
    def width(self) -> Array:
        """upper - lower; [K + 1, q]."""
        return self.upper - self.lower

    @property
    def excess(self) -> Array:
        """max_k l_k, -inf without constraints; at most 0 in the optimistic set; [q]."""
        worst: Array = np.max(self.lower[1:], axis=0, initial=-np.inf)
        return worst

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
    """Bounds of one belief: processes (objective first), feasible intervals, half-width w."""

    processes: Sequence[GP]
    bounds: Sequence[Bounds]
    w: float

    def at(self, x: Array) -> ConfidenceBounds:
        """Bounds at x [q, d]."""
        upper, lower = [], []
        for gp, b in zip(self.processes, [None, *self.bounds], strict=True):
            table = gp.posterior(x)
            mean, half = table.mean[0], self.w * np.sqrt(table.var)
            value = mean - gp.offset if b is None else np.maximum(mean - b.upper, b.lower - mean)
            upper.append((value + half) / gp.scale)
            lower.append((value - half) / gp.scale)
        return ConfidenceBounds(np.array(upper), np.array(lower))

    def optimist(self, points: Array) -> OptimisticMaximum:
        """x_t from the best points [q, d] of a search set."""
        bands = self.at(points)
        if bands.excess.min() > 0.0:
            least = self._least(points[int(bands.excess.argmin())])
            if self.at(least[None, :]).excess[0] > 0.0:
                return OptimisticMaximum(least[None, :], True)
            points, bands = least[None, :], self.at(least[None, :])
        height = np.where(bands.excess <= 0.0, bands.upper[0], -np.inf)
        starts = points[best_apart(points, height, STARTS)]
        ends = np.vstack([starts, *(self._refined(start)[None, :] for start in starts)])
        there = self.at(ends)
        value = np.where(there.excess <= SLACK, there.upper[0], -np.inf)
        return OptimisticMaximum(ends[distinct(ends, value, 1e-3)], False)

    def _refined(self, start: Array) -> Array:
        """max u_0 subject to l_k <= 0 for all k, from start [d]."""
        walls = BoundProgram(self)
        limits = {"type": "ineq", "fun": walls.margins, "jac": walls.margin_gradients}
        return _search(walls.objective, start, [(0.0, 1.0)] * len(start), limits if self.bounds else None)

    def _least(self, start: Array) -> Array:
        """min max_k l_k from start [d], as the least s with l_k(x) <= s for all k."""
        walls = BoundProgram(self)

        def margins(z: Array) -> Array:
            margin: Array = walls.margins(z[:-1]) + z[-1]
            return margin

        def slopes(z: Array) -> Array:
            inner = walls.margin_gradients(z[:-1])
            return np.hstack([inner, np.ones((len(inner), 1))])

        worst = float(-walls.margins(start).min())
        box: list[tuple[float | None, float | None]] = [*([(0.0, 1.0)] * len(start)), (None, None)]
        last = np.append(np.zeros(len(start)), 1.0)
        limits = {"type": "ineq", "fun": margins, "jac": slopes}
        end: Array = _search(lambda z: (float(z[-1]), last), np.append(start, worst), box, limits)[:-1]
        return end if self.at(end[None, :]).excess[0] < worst else start


def _search(
    objective: Callable[[Array], tuple[float, Array]], start: Array, box: list[Any], limits: dict[str, Any] | None
) -> Array:
    """Sequential quadratic programming; the start if that leads nowhere."""
    from scipy.optimize import minimize

    found = minimize(objective, start, jac=True, method="SLSQP", bounds=box, constraints=limits or (), options=STEPS).x
    low = np.array([-np.inf if edge[0] is None else edge[0] for edge in box])
    high = np.array([np.inf if edge[1] is None else edge[1] for edge in box])
    end: Array = np.clip(found, low, high)
    return end if np.isfinite(end).all() else start


class BoundProgram:
    """The bounds of a Confidence at one point at a time, with gradients, as SciPy's SLSQP wants them."""

    def __init__(self, confidence: Confidence) -> None:
        self.confidence = confidence
        self._last: tuple[Array, Array, Array] | None = None

    def objective(self, x: Array) -> tuple[float, Array]:
        """-u_0 and its gradient."""
        gp = self.confidence.processes[0]
        value, slope = self._moved(gp.posterior_with_gradient(x[None, :]), 1.0)
        return -(value - gp.offset) / gp.scale, -slope / gp.scale

    def margins(self, x: Array) -> Array:
        return self._at(x)[0]

    def margin_gradients(self, x: Array) -> Array:
        return self._at(x)[1]

    def _moved(self, trace: PosteriorWithGradient, sign: float) -> tuple[float, Array]:
        """mu + sign w sigma at one point, and its gradient [d]."""
        w, sd = sign * self.confidence.w, float(np.sqrt(trace.var[0]))
        slope: Array = trace.gradient(np.ones((1, 1)), np.full(1, 0.5 * w / sd))[0]
        return float(trace.mean[0, 0]) + w * sd, slope

    def _at(self, x: Array) -> tuple[Array, Array]:
        """-l_k for every finite bound [m], standardised, and the gradients [m, d]."""
        if self._last is not None and np.array_equal(self._last[0], x):
            return self._last[1], self._last[2]
        margin, slopes = [], []
        for gp, b in zip(self.confidence.processes[1:], self.confidence.bounds, strict=True):
            trace = gp.posterior_with_gradient(x[None, :])
            for bound, sign in ((b.upper, 1.0), (b.lower, -1.0)):
                if np.isfinite(bound):
                    value, slope = self._moved(trace, -sign)
                    margin.append(sign * (bound - value) / gp.scale)
                    slopes.append(-sign * slope / gp.scale)
        self._last = x.copy(), np.array(margin), np.array(slopes).reshape(-1, len(x))
        return self._last[1], self._last[2]
