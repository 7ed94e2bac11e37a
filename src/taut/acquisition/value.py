"""The value of recommending a point, and the recommendation.

| symbol | meaning | shape |
| --- | --- | --- |
| M | value of an infeasible design: the smallest posterior mean of the objective | scalar |
| G(x) | M + (mu_0(x) - M) prod_k PF_k(x) | [q] |
| x_r | argmax G, searched as log(mu_0 - M) + sum_k log PF_k | [d] |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability, log_probability_slopes
from taut.acquisition.maximise import AscentOptions, Score, ascend
from taut.arrays import Array, Ints
from taut.surrogate.gp import GP

NO_REGION = np.log(1e-6)  # a best probability of feasibility below this counts as "no feasible region yet"


@dataclass(frozen=True)
class SearchOptions:
    """raw: quasi-random points; starts: ascents from the best of them."""

    raw: int = 1024
    starts: int = 16
    iterations: int = 60


@dataclass(frozen=True)
class Landscape:
    """G of one belief: processes (objective first), feasible intervals of the constraints, penalty M."""

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float

    def log_gain(self, x: Array) -> Array:
        """log(G(x) - M), averaged means if the processes carry draws; [q]."""
        return self.log_excess(self.processes[0].at(x).mean.mean(axis=0)) + self.log_feasibility(x)

    def log_excess(self, mean: Array) -> Array:
        """log(mu_0 - M), finite below M."""
        excess: Array = np.maximum(mean - self.M, 1e-9 * self.processes[0].scale)
        return np.log(excess)

    def log_feasibility(self, x: Array) -> Array:
        """sum_k log PF_k(x); [q]."""
        total = np.zeros(len(x))
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            table = gp.at(x)
            total += log_probability(bounds, table.mean.mean(axis=0), np.sqrt(table.var))
        return total

    def log_gain_slopes(self, x: Array) -> tuple[Array, Array]:
        """log(G - M) [q] and its gradient [q, d]."""
        trace = self.processes[0].trace(x)
        excess = trace.table.mean[0] - self.M
        floor = 1e-9 * self.processes[0].scale
        value = np.log(np.maximum(excess, floor))
        gradient = trace.gradient(np.where(excess > floor, 1.0 / np.maximum(excess, floor), 0.0)[None, :], None)
        more, slope = self.log_feasibility_slopes(x)
        return value + more, gradient + slope

    def log_feasibility_slopes(self, x: Array) -> tuple[Array, Array]:
        """sum_k log PF_k [q] and its gradient [q, d]."""
        value, gradient = np.zeros(len(x)), np.zeros_like(x)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            trace = gp.trace(x)
            sd = np.sqrt(trace.table.var)
            log_p, by_mean, by_sd = log_probability_slopes(bounds, trace.table.mean[0], sd)
            value += log_p
            gradient += trace.gradient(by_mean[None, :], 0.5 * by_sd / sd)
        return value, gradient


@dataclass(frozen=True)
class Anchor:
    """The recommendation and what the look-ahead needs around it.

    x: [d]; maxima: distinct local maxima of G, best first [m, d]; metric: inverse Hessian of -log(G - M) at x [d, d];
    feasible: False if no region with a probability of feasibility above 1e-6 is known.
    """

    x: Array
    log_gain: float
    log_feasibility: float
    maxima: Array
    metric: Array
    feasible: bool


def penalty(gp: GP, raw: Array, mean: Array) -> float:
    """M = min over the cube of mu_0, and no more than the smallest value seen. raw [q, d] with means [q]."""
    starts = raw[np.argsort(mean, kind="stable")[:4]]

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        trace = gp.trace(x)
        return -trace.table.mean[0] / gp.scale, trace.gradient(np.full((1, len(x)), -1.0 / gp.scale), None)

    found = ascend(score, starts, AscentOptions(iterations=12, tolerance=1e-4))
    lowest = -gp.scale * float(np.max(found.value))
    return min(lowest, float(gp.y.min()) if gp.y.size else lowest)


def recommend(land: Landscape, raw: Array, known: Array, options: SearchOptions) -> Anchor:
    """x_r = argmax G from raw points [q, d] and known good places (data, last recommendation) [m, d]."""
    points = np.vstack([known, raw])
    gain, feasibility = land.log_gain(points), land.log_feasibility(points)
    feasible = bool(np.max(feasibility) >= NO_REGION)

    def by_gain(x: Array, rows: Ints) -> tuple[Array, Array]:
        return land.log_gain_slopes(x)

    def by_feasibility(x: Array, rows: Ints) -> tuple[Array, Array]:
        return land.log_feasibility_slopes(x)

    score = by_gain if feasible else by_feasibility
    starts = points[spread(points, gain if feasible else feasibility, options.starts)]
    # Two rounds: a short one for all starts, a long one for those still in the race.
    rough = ascend(score, starts, AscentOptions(iterations=12, tolerance=1e-6))
    order = np.argsort(-rough.value, kind="stable")
    best = rough.x[order[: max(4, options.starts // 4)]]
    fine = ascend(score, best, AscentOptions(iterations=options.iterations, tolerance=1e-10), local_metric(score, best))
    ends, values = np.vstack([fine.x, rough.x]), np.concatenate([fine.value, rough.value])
    order = distinct(ends, values, 1e-4)
    maxima = ends[order]
    x = maxima[0]
    log_feasibility = float(land.log_feasibility(x[None, :])[0])
    metric = local_metric(score, x[None, :])[0]
    return Anchor(x, float(values[order[0]]), log_feasibility, maxima, metric, feasible)


def spread(points: Array, value: Array, count: int) -> Ints:
    """Indices of the best points, skipping those next to a better one (0.02 in the max-norm), topped up by rank."""
    order = np.argsort(-value, kind="stable")
    order = order[np.isfinite(value[order])][: 20 * count]
    chosen: list[int] = []
    for i in order:
        if len(chosen) == count:
            break
        if not chosen or np.abs(points[chosen] - points[i]).max(axis=1).min() > 0.02:
            chosen.append(int(i))
    return np.array(chosen or [0], dtype=np.intp)


def distinct(points: Array, value: Array, apart: float) -> Ints:
    """Positions best first, without points within `apart` (max-norm) of a better one."""
    order = np.argsort(-value, kind="stable")
    chosen: list[int] = []
    for i in order:
        if np.isfinite(value[i]) and (not chosen or np.abs(points[chosen] - points[i]).max(axis=1).min() > apart):
            chosen.append(int(i))
    return np.array(chosen or [int(order[0])], dtype=np.intp)


def local_metric(score: Score, x: Array, step: float = 1e-5) -> Array:
    """Inverse Hessian of -score at each row of x [q, d], from 2 d gradient calls, made positive definite; [q, d, d].

    The squared gradient is added: at a bound the score falls linearly, and 1/|g| is the length that matters there.
    Semi-axes are kept between 1e-7 and 0.5 of the cube.
    """
    q, d = x.shape
    low, high = np.clip(x - step, 0.0, 1.0), np.clip(x + step, 0.0, 1.0)
    stencil = np.repeat(x[:, None, :], 2 * d + 1, axis=1)
    for i in range(d):
        stencil[:, 1 + i, i], stencil[:, 1 + d + i, i] = low[:, i], high[:, i]
    _, slopes = score(stencil.reshape(-1, d), np.repeat(np.arange(q), 2 * d + 1))
    gradient = slopes.reshape(q, 2 * d + 1, d)
    width = (high - low)[:, :, None]
    H = (gradient[:, 1 : 1 + d] - gradient[:, 1 + d :]) / width
    H = 0.5 * (H + H.transpose(0, 2, 1)) + np.einsum("qi,qj->qij", gradient[:, 0], gradient[:, 0])
    H = np.where(np.isfinite(H), H, 0.0)
    values, vectors = np.linalg.eigh(H)
    metric: Array = np.einsum("qij,qj,qkj->qik", vectors, 1.0 / np.clip(np.abs(values), 4.0, 1e14), vectors)
    return metric
