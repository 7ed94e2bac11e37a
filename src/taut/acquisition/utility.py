"""The value of recommending a point, and the recommendation.

| symbol | meaning | shape |
| --- | --- | --- |
| M | value of an infeasible design: the smallest posterior mean of the objective | scalar |
| G(x) | M + (mu_0(x) - M) prod_k PF_k(x) | [q] |
| x_r | argmax G, searched as log(mu_0 - M) + sum_k log PF_k | [d] |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability, log_probability_with_gradient
from taut.base.arrays import Array, Flags, Ints
from taut.base.ascend import AscentOptions, ascend
from taut.surrogate.gp import GP

OPTIMISM_SDS = 1.5  # standard deviations of good shift
EVERY_FUNCTION = -1  # good shift about all functions
SHORT = 256
CHEAP = 300_000  # points times values up to which variances are computed without looking at the means first


class Moments(NamedTuple):
    """Mean [q] and, if it was computed, standard deviation [q] of a process."""

    mean: Array
    sd: Array | None


@dataclass(frozen=True)
class Utility:
    """G of one belief: processes (objective first), feasible intervals of the constraints, penalty M."""

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float

    def log_value(self, x: Array) -> Array:
        """log(G(x) - M), averaged means if the processes carry draws; [q]."""
        return self.log_mean_excess(self.processes[0].mean(x).mean(axis=0)) + self.log_feasibility(x)

    def log_mean_excess(self, mean: Array) -> Array:
        """log(mu_0 - M), finite below M."""
        excess: Array = np.maximum(mean - self.M, 1e-9 * self.processes[0].scale)
        return np.log(excess)

    def log_feasibility(self, x: Array) -> Array:
        """sum_k log PF_k(x); [q]."""
        total = np.zeros(len(x))
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            table = gp.posterior(x)
            total += log_probability(bounds, table.mean.mean(axis=0), np.sqrt(table.var))
        return total

    def raw_samples(self, x: Array, objective: Moments | None = None, observed: Flags | None = None) -> RawSamples:
        """What searches start from, at x [q, d]; objective: its moments there, if known; observed: which are data."""
        mean, sd = objective or moments(self.processes[0], x)
        observed = np.zeros(len(x), dtype=bool) if observed is None else observed
        if len(x) * max(len(gp.X) for gp in self.processes) > CHEAP:
            keep = self._shortlist(x, mean, observed)
            x, mean, observed, sd = x[keep], mean[keep], observed[keep], None if sd is None else sd[keep]
        constraint_mean, constraint_sd = np.empty((2, len(self.bounds), len(x)))
        for k, gp in enumerate(self.processes[1:]):
            mean_k, var = gp.approximate_posterior(x)
            constraint_mean[k], constraint_sd[k] = mean_k[0], np.sqrt(var)
        return RawSamples(self, x, mean, constraint_mean, constraint_sd, observed, sd)

    def _shortlist(self, x: Array, mean: Array, observed: Flags) -> Ints:
        """Points that may score well, by means alone: variances cost O(n^2) a point. Doubt: a tenth of the prior's.

        The best observed ones are always among them: they have the incumbent.
        """
        score = self.log_mean_excess(mean)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            score += log_probability(bounds, gp.mean(x)[0], np.full(len(x), 0.1 * np.sqrt(gp.amplitude)))
        order = np.argsort(-score, kind="stable")
        return np.union1d(order[:SHORT], order[observed[order]][: SHORT // 4])

    def log_value_with_gradient(self, x: Array, soft: float = 0.0) -> tuple[Array, Array]:
        """log(G - M) [q] and its gradient [q, d]; soft: see log_feasibility_with_gradient."""
        mean, slope = self.processes[0].mean_with_gradient(x)
        floor = 1e-9 * self.processes[0].scale
        excess = np.maximum(mean - self.M, floor)
        value, gradient = self.log_feasibility_with_gradient(x, soft)
        return value + np.log(excess), gradient + np.where(mean - self.M > floor, 1.0 / excess, 0.0)[:, None] * slope

    def log_optimistic_with_gradient(self, x: Array, which: Ints) -> tuple[Array, Array]:
        """log(G - M) as it would be after good shift about one function per row, and its gradient; [q], [q, d].

        which: 0 for the objective, whose mean is HOPE standard deviations better, k for the k-th constraint, whose mean
        is as much further inside, EVERYTHING for all at once.
        """
        every = which == EVERY_FUNCTION
        trace = self.processes[0].posterior_with_gradient(x)
        sd, share = np.sqrt(trace.var), OPTIMISM_SDS * (every | (which == 0))
        floor = 1e-9 * self.processes[0].scale
        excess = np.maximum(trace.mean[0] + share * sd - self.M, floor)
        ratio = np.where(excess > floor, 1.0 / excess, 0.0)
        value, gradient = np.log(excess), trace.gradient(ratio[None, :], 0.5 * ratio * share / sd)
        for k, (gp, bounds) in enumerate(zip(self.processes[1:], self.bounds, strict=True), start=1):
            trace = gp.posterior_with_gradient(x)
            mean, sd = trace.mean[0], np.sqrt(trace.var)
            share = -OPTIMISM_SDS * (every | (which == k)) * outward(bounds, mean)
            log_p, by_mean, by_sd = log_probability_with_gradient(bounds, mean + share * sd, sd)
            value += log_p
            gradient += trace.gradient(by_mean[None, :], 0.5 * (by_sd + by_mean * share) / sd)
        return value, gradient

    def log_feasibility_with_gradient(self, x: Array, soft: float = 0.0) -> tuple[Array, Array]:
        """sum_k log PF_k [q] and its gradient [q, d]; soft: objective_sd added to every constraint, in prior sds."""
        value, gradient = np.zeros(len(x)), np.zeros_like(x)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            trace = gp.posterior_with_gradient(x)
            sd = np.sqrt(trace.var + soft * soft * gp.amplitude)
            log_p, by_mean, by_sd = log_probability_with_gradient(bounds, trace.mean[0], sd)
            value += log_p
            gradient += trace.gradient(by_mean[None, :], 0.5 * by_sd / sd)
        return value, gradient


@dataclass(frozen=True)
class RawSamples:
    """Points x [q, d] from which searches may start, with what is believed there.

    mean: of the objective [q]; constraint_mean, constraint_sd: of the constraints [K, q]; observed: whether the point
    is data [q]; objective_sd: standard deviation of the objective [q], if it was computed.
    """

    utility: Utility
    x: Array
    mean: Array
    constraint_mean: Array
    constraint_sd: Array
    observed: Flags
    objective_sd: Array | None = None

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of the objective; [q]."""
        if self.objective_sd is not None:
            return self.objective_sd
        return np.sqrt(self.utility.processes[0].posterior(self.x).var)

    @cached_property
    def log_pf(self) -> Array:
        """log PF_k; [K, q]."""
        return self._log_pf(np.zeros(len(self.constraint_mean)))

    @cached_property
    def log_feasibility(self) -> Array:
        """sum_k log PF_k; [q]."""
        total: Array = self.log_pf.sum(axis=0)
        return total

    @cached_property
    def log_value(self) -> Array:
        """log(G - M); [q]."""
        return self.utility.log_mean_excess(self.mean) + self.log_feasibility

    def log_optimistic(self, which: int) -> Array:
        """log(G - M) with optimistic means (see Utility.log_optimistic_with_gradient); [q]."""
        mean = self.mean + OPTIMISM_SDS * self.sd if which in (EVERY_FUNCTION, 0) else self.mean
        shift = np.array([which in (EVERY_FUNCTION, k) for k in range(1, len(self.constraint_mean) + 1)])
        total: Array = self.utility.log_mean_excess(mean) + self._log_pf(OPTIMISM_SDS * shift).sum(axis=0)
        return total

    def _log_pf(self, shift: Array) -> Array:
        """log PF_k with means moved inside by shift [K] standard deviations; [K, q]."""
        logs = np.empty_like(self.constraint_mean)
        for k, bounds in enumerate(self.utility.bounds):
            mean, sd = self.constraint_mean[k], self.constraint_sd[k]
            logs[k] = log_probability(bounds, mean - shift[k] * outward(bounds, mean) * sd, sd)
        return logs


def moments(gp: GP, x: Array) -> Moments:
    """Mean [q] of a process, and its standard deviation [q] where that costs little more."""
    if len(x) * len(gp.X) > CHEAP:
        return Moments(gp.mean(x)[0], None)
    mean, var = gp.approximate_posterior(x)
    return Moments(mean[0], np.sqrt(var))


def outward(bounds: Bounds, mean: Array) -> Array:
    """+1 where a constraint's mean is nearer to its upper bound, -1 where to its lower one."""
    return np.where(mean + mean < bounds.lower + bounds.upper, -1.0, 1.0)


def penalty(gp: GP, raw: Array, mean: Array) -> float:
    """M = min over the cube of mu_0, and no more than the smallest value seen. raw [q, d] with means [q]."""
    starts = raw[np.argsort(mean, kind="stable")[:4]]

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        mean, slope = gp.mean_with_gradient(x)
        return -mean / gp.scale, -slope / gp.scale

    found = ascend(score, starts, AscentOptions(tolerance=1e-4, calls=8))
    lowest = -gp.scale * float(np.max(found.value))
    return min(lowest, float(gp.y.min()) if gp.y.size else lowest)
