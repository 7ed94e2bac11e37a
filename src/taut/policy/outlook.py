"""What there is left to gain: joint posterior samples of all functions on a set of points where an optimum may lie.

| symbol | meaning | shape |
| --- | --- | --- |
| x | points: the recommendation first, an inner set, a cloud around it, optimistic and quasi-random points | [N, d] |
| f_s, ok_s | the objective of sample s there, and where it meets all constraints | [S, N] |
| gap_s | max(0, max over x of f_s where ok_s, minus f_s at the recommendation) | [S] |
| rest | mean of gap_s: what perfect knowledge would bring, so no budget brings more | scalar |
| gain | max over x of the mean of ok_s max(0, f_s(x) - f_s at the recommendation) | scalar |
| next | gain per cost of all functions | scalar |
| tenth | rest (1 - exp(-next b/rest)) for a tenth b of the budget: begins like next, and never exceeds rest | scalar |

Samples are of the processes with all doubts there are (Surrogate.honest): roughness, calibration by earlier errors, and
doubt about the model far from data, by which deviations from the mean are multiplied there.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from taut.acquisition.utility import EVERY_FUNCTION
from taut.base.arrays import Array
from taut.base.distinct import best_apart
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.data.exhausted import exhausted
from taut.data.results import Outlook
from taut.policy.context import Context, without_pending
from taut.policy.noisy_answer import noisy
from taut.policy.relevance import sample
from taut.policy.search.inner import inner_points
from taut.policy.settings import Settings
from taut.policy.verify import answer, verified
from taut.surrogate.gp import GP


def outlook(context: Context) -> Outlook:
    """For the recommendation of a context, with what is left of its request's budget; user's units."""
    left, budget = context.request.remaining, context.request.budget
    if exhausted(context.dataset, context.domain):  # no evaluation that is left can change the answer
        return Outlook(0.0, 0.0, 0.0, left, () if context.measured.best is None else (0.0,))
    if not context.optimum.feasible or not all(len(context.dataset.y[k]) for k in context.menu.everything):
        return Outlook(math.inf, math.inf, math.inf, left)
    gains, feasible = _gains(context)
    gap = gains.max(axis=1)
    rest = float(gap.mean()) if left > 0.0 else 0.0
    problem, menu = context.request.problem, context.menu
    everything = problem.cost(problem.functions) or math.inf  # all known: no more
    if menu.prices is not None:
        everything = menu.cost(menu.everything, context.optimum.x)
    rate = min(float(gains.mean(axis=0).max()), rest) / everything
    tenth = min(left, 0.1 * budget)
    soon = rest * -math.expm1(-rate * tenth / rest) if rate > 0.0 else 0.0  # nothing, also of a budget without end
    gaps = np.where(feasible, gap, np.inf)
    return Outlook(rate, soon, rest, left, tuple(float(each) for each in np.sort(gaps)))


def nothing_left(request: Request, settings: Settings) -> bool:
    """Is the expected gain of all that is left below what the user would stop at? Random numbers are of its own."""
    if request.stop is None:
        return False
    rng = np.random.default_rng([len(y) for y in request.dataset.y])
    return outlook(Context.of(without_pending(request), settings, rng, precise=True)).rest < request.stop


def _gains(context: Context) -> tuple[Array, Array]:
    """max(0, f_s(x) - f_s at the recommendation) where ok_s [S, N], in the user's unit; is the latter feasible? [S]."""
    rng, points = context.generator("outlook"), _points(context)
    drawn = [_sample(context.surrogate.honest(k), points, context, rng) for k in range(len(context.names))]
    ok = np.ones(drawn[0].shape, dtype=bool)
    for c, b in zip(drawn[1:], context.bounds, strict=True):
        ok &= (c >= b.lower) & (c <= b.upper)
    if not noisy(context) and verified(context) is not None:
        ok[:, 0] = True  # as measured; samples are not as exact
    f = context.surrogate.unscaled(0, drawn[0]) / context.dataset.functions[0].unit
    return np.where(ok, np.maximum(f - f[:, :1], 0.0), 0.0), ok[:, 0]


def _points(context: Context) -> Array:
    """See above; only where everything can be computed more probably than not, the recommendation in any case."""
    settings, x, rng = context.settings.outlook, answer(context), context.generator("outlook")
    d, domain, raw = len(x), context.domain, context.raw_samples
    inner = replace(context.settings.inner, size=settings.inner)
    near = inner_points(context.utility, context.optimum, context.best_observed(settings.known), inner, rng)
    u = sobol(settings.cloud, d + 1, rng)
    cloud = domain.folded(x + (2.0 * u[:, :d] - 1.0) * (10.0 ** (-3.5 + 3.0 * u[:, d:])))
    hopeful = raw.x[best_apart(raw.x, raw.log_optimistic(EVERY_FUNCTION), min(settings.optimistic, len(raw.x)))]
    points = np.vstack([near, cloud, hopeful, domain.sample(settings.wide, rng)])
    if context.successes is not None:
        points = points[context.successes.scores(points).min(axis=0) >= 0.0]
    return np.vstack([x, points])


def _sample(gp: GP, points: Array, context: Context, rng: np.random.Generator) -> Array:
    """Joint samples [S, N] with the doubt about the model far from data."""
    drawn = sample(gp, points, context.settings.outlook.samples, rng)
    if gp.hyper.doubt <= 1.0:
        return drawn
    there, plain = gp.posterior(points), replace(gp, hyper=replace(gp.hyper, doubt=1.0)).posterior(points)
    wider: Array = there.mean[0] + (drawn - there.mean[0]) * np.sqrt(there.var / plain.var)
    return wider
