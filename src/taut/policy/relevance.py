"""Does a constraint matter? Joint posterior samples of all functions on a set of points around and away from x_r.

| quantity | definition |
| --- | --- |
| matters | share of samples whose constrained maximum over the set rises when this constraint is dropped |
| binds | posterior probability that x_r lies within 1 % of the parameters' ranges of the constraint's boundary |
| telling | share of samples that have a feasible point at all, with or without the constraint |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from taut.acquisition.utility import Utility
from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions
from taut.base.quasirandom import sobol
from taut.policy.context import Context
from taut.policy.search.inner import inner_points
from taut.policy.search.optimum import Optimum
from taut.surrogate.gp import GP


@dataclass(frozen=True)
class Shares:
    """Of one constraint; see above. without: the maximum of G without it, as far as ascents from x_r find it [d]."""

    matters: float
    binds: float
    telling: float
    without: Array


def shares(context: Context, more: Array | None = None) -> list[Shares]:
    """Of every constraint, in the order of the context. more: further points to look at [m, d]."""
    utility, settings = context.utility, context.settings.relevance
    if not utility.bounds:
        return []
    rng = context.generator("relevance")
    points, ends = _points(context, rng)
    points = _computable(context, points if more is None else np.vstack([points, more]))
    samples = [sample(gp, points, settings.samples, rng) for gp in utility.processes]
    matters, telling = dropped_share(utility, samples)
    binds = [_binds(utility, context.optimum, k, settings.near) for k in range(len(utility.bounds))]
    return [Shares(float(m), p, float(t), end) for m, p, t, end in zip(matters, binds, telling, ends, strict=True)]


def _points(context: Context, rng: np.random.Generator) -> tuple[Array, list[Array]]:
    """Where an optimum with or without a constraint may lie, and the ends of the ways.

    An inner set, a cloud at all scales around x_r, so that both sides of an active boundary are seen, and for every
    constraint the way from x_r to the optimum without it.
    """
    utility, optimum, settings = context.utility, context.optimum, context.settings.relevance
    best = context.best_observed(settings.known)
    d = len(optimum.x)
    u = sobol(settings.cloud, d + 1, rng)
    cloud = utility.domain.folded(optimum.x + (2.0 * u[:, :d] - 1.0) * (10.0 ** (-3.5 + 3.0 * u[:, d:])))
    inner = replace(context.settings.inner, size=settings.inner)
    ways = [_way(utility, optimum, k, np.array(settings.way)) for k in range(len(utility.bounds))]
    return np.vstack([inner_points(utility, optimum, best, inner, rng), cloud, *ways]), [way[-1] for way in ways]


def _computable(context: Context, points: Array) -> Array:
    """Those of the points [N, d] where every function can be computed more probably than not; all if there is none."""
    if context.successes is None:
        return points
    fine = context.successes.scores(points).min(axis=0) >= 0.0
    return points[fine] if fine.any() else points


def _way(utility: Utility, optimum: Optimum, k: int, steps: Array) -> Array:
    """Points from x_r towards the maximum of G without constraint k, denser near x_r; [m, d]."""
    keep = [i for i in range(len(utility.bounds)) if i != k]
    without = Utility(
        (utility.processes[0], *(utility.processes[i + 1] for i in keep)),
        tuple(utility.bounds[i] for i in keep),
        utility.M,
        successes=utility.successes,
        within=utility.within,
    )

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        return without.log_value_with_gradient(x)

    starts = optimum.maxima[:3]
    metric = utility.domain.curvature(score, starts)
    goal = utility.domain.ascend(score, starts, AscentOptions(tolerance=1e-11, calls=60), metric)
    end = goal.x[int(np.argmax(goal.value))]
    return utility.domain.along(optimum.x, end, steps)


def sample(gp: GP, points: Array, count: int, rng: np.random.Generator) -> Array:
    """Joint posterior draws at points [N, d]; [count, N]. Student-t where the signal variance was integrated out."""
    table = gp.posterior(points)
    cov = gp.covariance(table, table)
    values, vectors = np.linalg.eigh(cov)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    deviation: Array = rng.standard_normal((count, len(points))) @ root.T
    if np.isfinite(gp.hyper.nu):
        deviation = deviation * np.sqrt(gp.hyper.nu / rng.chisquare(gp.hyper.nu, (count, 1)))
    draws: Array = table.mean[0] + deviation
    return draws


def dropped_share(utility: Utility, samples: list[Array]) -> tuple[Array, Array]:
    """For each constraint the share of samples whose constrained maximum rises without it, and the share that can tell.

    A sample without any feasible point, with or without the constraint, says nothing and is not counted; ([K], [K]).
    """
    f = samples[0]
    ok = [(c >= b.lower) & (c <= b.upper) for c, b in zip(samples[1:], utility.bounds, strict=True)]
    violated = np.sum([~each for each in ok], axis=0)
    everything = np.where(violated == 0, f, -np.inf).max(axis=1)
    tolerance = 1e-9 * utility.processes[0].scale
    shares, telling = [], []
    for each in ok:
        without = np.where(violated - ~each == 0, f, -np.inf).max(axis=1)
        tells = np.isfinite(without)
        rises = without[tells] - everything[tells] > tolerance
        shares.append(float(np.mean(rises)) if tells.any() else 0.0)
        telling.append(float(np.mean(tells)))
    return np.array(shares), np.array(telling)


def _binds(utility: Utility, optimum: Optimum, k: int, near: float) -> float:
    """P(a boundary of constraint k is crossed within `near` of x_r), by the slope of its mean."""
    gp, bounds = utility.processes[k + 1], utility.bounds[k]
    trace = gp.posterior_with_gradient(optimum.x[None, :])
    slope = float(np.abs(trace.gradient(np.ones((1, 1)), None)[:, utility.domain.free]).sum())
    mean, sd = float(trace.mean[0, 0]), float(np.sqrt(trace.var[0]))
    reach = near * slope
    edges = [edge for edge in (bounds.lower, bounds.upper) if np.isfinite(edge)]
    p = sum(float(ndtr((edge + reach - mean) / sd) - ndtr((edge - reach - mean) / sd)) for edge in edges)
    return min(p, 1.0)
