"""Information about the constrained maximum (CMES-IBO), for any set of functions.

| symbol | meaning | shape |
| --- | --- | --- |
| f*_j | constrained maximum of sample path j, -inf if the path has no feasible point | [J] |
| a_j(x) | P(f(x) >= f*_j) = Phi((mu_0 - f*_j)/sigma_0) | [J, q] |
| P, W | product of a_j (for 0) and PF_k (for k) over the set S, and over all other functions | [J, q] |
| Z | 1 - P W | [J, q] |

Knowing f*_j forbids that f(x) >= f*_j and all constraints hold. That changes the distribution of what S would return by

    KL_S = (P (1 - W)/Z) log(1 - W) - log Z,     alpha_S(x) = mean over j of KL_S

For S = everything W is 1 and alpha is the mean of -log(1 - a_j PF); without constraints of -log Phi((f*_j - mu)/sigma).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from taut.acquisition.feasibility import Bounds, log_probability, log_probability_with_gradient
from taut.acquisition.settings import MAX_VALUE, MaxValueSettings
from taut.base.arrays import Array
from taut.base.normal import inverse_mills, log1mexp, log_cdf
from taut.surrogate.gp import GP

SERIES_BELOW = 1e-5  # below this W differences of logarithms lose digits and a series is used
HIGHEST_LOG = -1e-22  # log P W is kept below: an event that was certain and is forbidden tells 50 nats at most


def divergence(log_p: Array, log_w: Array) -> tuple[Array, Array, Array]:
    """KL_S for log P and log W, and its derivatives by log P and log W; elementwise.

    dKL/dP = (1 - W) log(1 - W)/Z^2 + W/Z and dKL/dW = -P (1 - P) log(1 - W)/Z^2. For small W the first terms of the
    series: KL = P (1 - P) W^2/2 (1 + (1 + 4 P) W/3).
    """
    both = np.minimum(log_p + log_w, HIGHEST_LOG)
    P, W = np.exp(log_p), np.exp(log_w)
    log_z = log1mexp(both)
    Z = np.exp(log_z)
    no_p, no_w = -np.expm1(log_p), -np.expm1(log_w)
    entropy = xlogy(no_w, no_w)  # (1 - W) log(1 - W), 0 at W = 1
    small = W < SERIES_BELOW
    series = 0.5 * P * no_p * W * W
    value = np.where(small, series * (1.0 + (1.0 + 4.0 * P) * W / 3.0), P * entropy / Z - log_z)
    by_p = P * np.where(small, W * W * (0.5 - P), entropy / (Z * Z) + W / Z)
    log_no_w = np.log(np.maximum(no_w, 1e-300))  # multiplied by 1 - P or by a flat log W: any finite value will do
    by_w = np.where(small, 2.0 * series, -W * P * no_p * log_no_w / (Z * Z))
    return np.maximum(value, 0.0), by_p, by_w


@dataclass(frozen=True)
class Logs:
    """log a_j [J, q] and log PF_k [K, q] at q points."""

    above: Array
    feasible: Array

    def split(self, member: Array) -> tuple[Array, Array]:
        """log P and log W [J, q] for sets given as 1 (inside) or 0 in member [K + 1, q]."""
        inside, outside = member[1:] * self.feasible, (1.0 - member[1:]) * self.feasible
        return (
            member[0] * self.above + inside.sum(axis=0),
            (1.0 - member[0]) * self.above + outside.sum(axis=0),
        )


@dataclass(frozen=True)
class MaxValue:
    """alpha_S of one belief: processes (objective first), feasible intervals, maxima f* [J]."""

    processes: Sequence[GP]
    bounds: Sequence[Bounds]
    maxima: Array
    settings: MaxValueSettings = MAX_VALUE

    def at(self, x: Array) -> Logs:
        """What the value of every set at x [q, d] is made of."""
        here = self.processes[0].posterior(x)
        above = log_cdf((here.mean[0] - self.raised[:, None]) / np.sqrt(here.var))
        feasible = np.empty((len(self.bounds), len(x)))
        for k, (gp, b) in enumerate(zip(self.processes[1:], self.bounds, strict=True)):
            here = gp.posterior(x)
            feasible[k] = log_probability(b, here.mean[0], np.sqrt(here.var))
        return Logs(above, feasible)

    def value(self, logs: Logs, S: Sequence[int]) -> Array:
        """alpha_S; [q]."""
        member = np.zeros((len(self.processes), logs.above.shape[1]))
        member[list(S)] = 1.0
        mean: Array = divergence(*logs.split(member))[0].mean(axis=0)
        return mean

    def value_with_gradient(self, x: Array, member: Array) -> tuple[Array, Array]:
        """alpha [q] of each row's set (member: [K + 1, q], 1 or 0) at x [q, d], and its gradient [q, d]."""
        top, *rest = (gp.posterior_with_gradient(x) for gp in self.processes)
        sd = np.sqrt(top.var)
        z = (top.mean[0] - self.raised[:, None]) / sd
        parts = [
            log_probability_with_gradient(b, here.mean[0], np.sqrt(here.var))
            for here, b in zip(rest, self.bounds, strict=True)
        ]
        logs = Logs(log_cdf(z), np.array([part[0] for part in parts]).reshape(len(parts), len(x)))
        value, by_p, by_w = divergence(*logs.split(member))
        J = len(self.maxima)
        by_log = (member[0] * by_p + (1.0 - member[0]) * by_w) * inverse_mills(z) / J
        by_var = -0.5 * (by_log * np.where(np.isfinite(z), z, 0.0)).sum(axis=0) / (sd * sd)
        gradient = top.gradient((by_log.sum(axis=0) / sd)[None, :], by_var)
        for k, (here, (_, by_mean, by_sd)) in enumerate(zip(rest, parts, strict=True), start=1):
            share = (member[k] * by_p + (1.0 - member[k]) * by_w).mean(axis=0)
            gradient += here.gradient((share * by_mean)[None, :], 0.5 * share * by_sd / np.sqrt(here.var))
        return value.mean(axis=0), gradient

    @cached_property
    def raised(self) -> Array:
        """The maxima, a little higher: where f is known, rounding must not decide whether f >= f*; [J]."""
        gp, settings = self.processes[0], self.settings
        noise = gp.amplitude * min(gp.hyper.rho, settings.rounding**2)
        raised: Array = self.maxima + settings.raised_sds * np.sqrt(noise)
        return raised
