"""The utility G of recommending a point.

| symbol | meaning | shape |
| --- | --- | --- |
| M | value of an infeasible design: the smallest posterior mean of the objective | scalar |
| q_k(x) | probability that function k can be computed, 1 if it never failed; k = 0 is the objective | [q] |
| G(x) | M + (mu_0(x) - M) prod_k q_k(x) PF_k(x) | [q] |
| x_r | argmax G, searched as log(mu_0 - M) + sum_k (log q_k + log PF_k) | [d] |

A design whose functions cannot be computed is no answer, and worth as much as an infeasible one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability, log_probability_with_gradient
from taut.acquisition.settings import UTILITY, UtilitySettings
from taut.base.arrays import Array, Flags, Ints
from taut.base.domain import Domain
from taut.surrogate.gp import GP
from taut.surrogate.success import Successes

EVERY_FUNCTION = -1  # all functions are optimistic
EXCESS_FLOOR = 1e-9  # of mu_0 - M, in the objective's scale: keeps its logarithm finite


class Moments(NamedTuple):
    """Mean [q] and, if it was computed, standard deviation [q] of a process."""

    mean: Array
    sd: Array | None


@dataclass(frozen=True)
class Utility:
    """G of one belief: processes (objective first), feasible intervals of the constraints, penalty M.

    successes: where functions can be computed; None if everywhere. within: where searches may go; None for the cube.
    """

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float
    settings: UtilitySettings = UTILITY
    successes: Successes | None = None
    within: Domain | None = None

    @cached_property
    def domain(self) -> Domain:
        return self.within or Domain(self.processes[0].X.shape[1])

    def log_value(self, x: Array) -> Array:
        """log(G(x) - M), by means over the fantasies; [q]."""
        return self.log_mean_excess(self.processes[0].mean(x).mean(axis=0)) + self.log_feasibility(x)

    def log_mean_excess(self, mean: Array) -> Array:
        """log(mu_0 - M), finite below M."""
        excess: Array = np.maximum(mean - self.M, self._floor)
        return np.log(excess)

    def log_feasibility(self, x: Array) -> Array:
        """sum_k (log q_k + log PF_k); [q]."""
        total = np.zeros(len(x)) if self.successes is None else self.successes.log(x)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            here = gp.posterior(x)
            total += log_probability(bounds, here.mean.mean(axis=0), np.sqrt(here.var))
        return total

    def raw_samples(self, x: Array, objective: Moments | None = None, observed: Flags | None = None) -> RawSamples:
        """What searches start from, at x [q, d]; objective: its moments there, if known; observed: which are data."""
        mean, sd = objective or moments(self.processes[0], x, self.settings)
        observed = np.zeros(len(x), dtype=bool) if observed is None else observed
        if len(x) * max(len(gp.X) for gp in self.processes) > self.settings.cheap:
            keep = self._shortlist(x, mean, observed)
            x, mean, observed, sd = x[keep], mean[keep], observed[keep], None if sd is None else sd[keep]
        constraint_mean, constraint_sd = np.empty((2, len(self.bounds), len(x)))
        for k, gp in enumerate(self.processes[1:]):
            mean_k, var = gp.approximate_posterior(x)
            constraint_mean[k], constraint_sd[k] = mean_k[0], np.sqrt(var)
        log_success = None if self.successes is None else self.successes.log(x)
        return RawSamples(self, x, mean, constraint_mean, constraint_sd, observed, sd, log_success)

    def _shortlist(self, x: Array, mean: Array, observed: Flags) -> Ints:
        """Points that may score well, by means alone: variances cost O(n^2) a point.

        The best observed ones are always among them: they have the incumbent.
        """
        settings = self.settings
        score = self.log_mean_excess(mean)
        if self.successes is not None:
            score += self.successes.log(x)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            score += log_probability(bounds, gp.mean(x)[0], np.full(len(x), settings.shortlist_sd * np.sqrt(gp.size)))
        order = np.argsort(-score, kind="stable")
        return np.union1d(order[: settings.shortlist], order[observed[order]][: settings.shortlist_observed])

    def log_value_with_gradient(self, x: Array, soft: float = 0.0) -> tuple[Array, Array]:
        """log(G - M) [q] and its gradient [q, d]; soft: see log_feasibility_with_gradient."""
        mean, slope = self.processes[0].mean_with_gradient(x)
        excess = np.maximum(mean - self.M, self._floor)
        ratio = np.where(excess > self._floor, 1.0 / excess, 0.0)
        value, gradient = self.log_feasibility_with_gradient(x, soft)
        return value + np.log(excess), gradient + ratio[:, None] * slope

    def log_optimistic_with_gradient(self, x: Array, which: Ints) -> tuple[Array, Array]:
        """log(G - M) with an optimistic mean of one function per row, and its gradient; [q], [q, d].

        which: 0 for the objective, whose mean is some standard deviations better, k for the k-th constraint, whose mean
        is as much further inside, EVERY_FUNCTION for all at once.
        """
        every, sds = which == EVERY_FUNCTION, self.settings.optimism_sds
        here = self.processes[0].posterior_with_gradient(x)
        sd, shift = np.sqrt(here.var), sds * (every | (which == 0))
        excess = np.maximum(here.mean[0] + shift * sd - self.M, self._floor)
        ratio = np.where(excess > self._floor, 1.0 / excess, 0.0)
        value, gradient = np.log(excess), here.gradient(ratio[None, :], 0.5 * ratio * shift / sd)
        for k, (gp, bounds) in enumerate(zip(self.processes[1:], self.bounds, strict=True), start=1):
            here = gp.posterior_with_gradient(x)
            mean, sd = here.mean[0], np.sqrt(here.var)
            shift = -sds * (every | (which == k)) * outward(bounds, mean)
            log_p, by_mean, by_sd = log_probability_with_gradient(bounds, mean + shift * sd, sd)
            value += log_p
            gradient += here.gradient(by_mean[None, :], 0.5 * (by_sd + by_mean * shift) / sd)
        return self._computed(x, value, gradient)

    def log_feasibility_with_gradient(self, x: Array, soft: float = 0.0) -> tuple[Array, Array]:
        """sum_k (log q_k + log PF_k) [q], its gradient [q, d]; soft: prior sds added to every constraint."""
        value, gradient = np.zeros(len(x)), np.zeros(x.shape)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            here = gp.posterior_with_gradient(x)
            sd = np.sqrt(here.var + soft * soft * gp.size if soft else here.var)
            log_p, by_mean, by_sd = log_probability_with_gradient(bounds, here.mean[0], sd)
            value += log_p
            gradient += here.gradient(by_mean[None, :], 0.5 * by_sd / sd)
        return self._computed(x, value, gradient)

    def _computed(self, x: Array, value: Array, gradient: Array) -> tuple[Array, Array]:
        """With sum_k log q_k added."""
        if self.successes is None:
            return value, gradient
        more, slope = self.successes.log_with_gradient(x)
        return value + more, gradient + slope

    @cached_property
    def _floor(self) -> float:
        return EXCESS_FLOOR * self.processes[0].scale


@dataclass(frozen=True)
class RawSamples:
    """Points x [q, d] from which searches may start, with what is believed there.

    mean: of the objective [q]; constraint_mean, constraint_sd: of the constraints [K, q]; observed: whether the point
    is data [q]; objective_sd: standard deviation of the objective [q], if it was computed; log_success: sum_k log q_k
    [q], None where that is 0.
    """

    utility: Utility
    x: Array
    mean: Array
    constraint_mean: Array
    constraint_sd: Array
    observed: Flags
    objective_sd: Array | None = None
    log_success: Array | None = None

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
        """sum_k (log q_k + log PF_k); [q]."""
        return self._computed(self.log_pf.sum(axis=0))

    @cached_property
    def log_value(self) -> Array:
        """log(G - M); [q]."""
        return self.utility.log_mean_excess(self.mean) + self.log_feasibility

    def log_optimistic(self, which: int) -> Array:
        """log(G - M) with optimistic means (see Utility.log_optimistic_with_gradient); [q]."""
        sds = self.utility.settings.optimism_sds
        mean = self.mean + sds * self.sd if which in (EVERY_FUNCTION, 0) else self.mean
        shift = np.array([which in (EVERY_FUNCTION, k) for k in range(1, len(self.constraint_mean) + 1)])
        return self._computed(self.utility.log_mean_excess(mean) + self._log_pf(sds * shift).sum(axis=0))

    def _computed(self, value: Array) -> Array:
        return value if self.log_success is None else value + self.log_success

    def _log_pf(self, shift: Array) -> Array:
        """log PF_k with means moved inside by shift [K] standard deviations; [K, q]."""
        logs = np.empty_like(self.constraint_mean)
        for k, bounds in enumerate(self.utility.bounds):
            mean, sd = self.constraint_mean[k], self.constraint_sd[k]
            logs[k] = log_probability(bounds, mean - shift[k] * outward(bounds, mean) * sd, sd)
        return logs


def moments(gp: GP, x: Array, settings: UtilitySettings = UTILITY) -> Moments:
    """Mean [q] of a process, and its standard deviation [q] where that costs little more."""
    if len(x) * len(gp.X) > settings.cheap:
        return Moments(gp.mean(x)[0], None)
    mean, var = gp.approximate_posterior(x)
    return Moments(mean[0], np.sqrt(var))


def outward(bounds: Bounds, mean: Array) -> Array:
    """+1 where a constraint's mean is nearer to its upper bound, -1 where to its lower one."""
    return np.where(mean + mean < bounds.lower + bounds.upper, -1.0, 1.0)


def penalty(
    gp: GP, raw: Array, mean: Array, settings: UtilitySettings = UTILITY, within: Domain | None = None
) -> float:
    """M = min over the domain of mu_0, and no more than the smallest value seen. raw [q, d] with means [q]."""
    starts = raw[np.argsort(mean, kind="stable")[: settings.penalty_starts]]

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        mean, slope = gp.mean_with_gradient(x)
        return -mean / gp.scale, -slope / gp.scale

    found = (within or Domain(raw.shape[1])).ascend(score, starts, settings.penalty_ascent)
    lowest = -gp.scale * float(np.max(found.value))
    return min(lowest, float(gp.y.min()) if gp.y.size else lowest)
