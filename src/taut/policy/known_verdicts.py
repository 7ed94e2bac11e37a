"""A verdict on every known constraint: where the recommendation would go without it.

G is maximised over the domain without this constraint, from x_r, the other maxima and fresh points. If that gains
anything, it matters. Nothing about the constraint itself is in doubt, but where the optimum lies may be: then its limit
has a price in some samples only (prices.py). So the verdict is that of any other constraint, with that gain in place of
evidence: it binds if nearly all samples pay for it, excludes a better region if nearly none does and yet there is
something to gain without it, and does not matter if neither is so, and no point on its other side may well be better:
no value will ever come from there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.acquisition.feasibility import log_probability
from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.base.normal import student_cdf
from taut.data.results import Judgement, Verdict
from taut.policy.context import Context
from taut.policy.prices import Price
from taut.policy.question_settings import RelevanceSettings
from taut.policy.search.optimum import recommend
from taut.policy.verify import answer
from taut.problem.functions import Constraint
from taut.problem.known import Known
from taut.problem.limits import KnownLimits
from taut.problem.space import everywhere, from_unit

TIE = 1e-8
"""Of the objective's scale: what is better by less is as good."""


def judge_known(context: Context, name: str, price: Price | None) -> Judgement:
    """price: what its limit costs, if that is known."""
    problem, settings = context.request.problem, context.settings.relevance
    within = replace(everywhere(problem), limits=KnownLimits(problem, without=name))
    fresh = within.sample(len(context.raw), context.generator("relevance"))
    gain, hope = _gain(context, within, fresh), _hope(context, fresh)
    margin, reach = _margin(problem.function(name), Known(problem, name), answer(context), settings.near)
    gains, binds = gain > settings.known_gain, margin <= reach
    stepped = reach == 0.0  # it depends on discrete parameters alone, which no price can see
    active = float(gains and binds) if price is None or stepped else price.active
    return Judgement(
        name,
        1.0 if gains else max(active, hope),
        float(binds),
        _verdict(gains, active, hope, settings) if context.optimum.feasible else "undecided",
        margin=(margin, 0.0),
        price=None if price is None else price.price,
        valid=None if price is None else price.valid,
        limit=None if price is None else price.limit,
    )


def _verdict(gains: bool, active: float, hope: float, settings: RelevanceSettings) -> Verdict:
    """gains: is there something to gain without it? active: share of samples that pay for it; hope: see _hope."""
    if active >= settings.sure:
        return "binding"
    if gains:
        return "excluding" if active <= 1.0 - settings.sure else "undecided"
    return "irrelevant" if active <= settings.never and hope <= settings.likely else "undecided"


def _gain(context: Context, within: Domain, fresh: Array) -> float:
    """By which share max G - M rises in a wider domain: searches are precise by that measure. fresh: points of it."""
    utility, settings = context.utility, context.settings.optimum
    wider = replace(utility, within=within)
    starts = np.vstack([context.optimum.x, context.optimum.maxima[: settings.starts], fresh])
    found = recommend(wider, wider.raw_samples(starts), settings, context.precise)
    return float(np.expm1(min(found.log_value - float(utility.log_value(context.optimum.x[None, :])[0]), 700.0)))


def _hope(context: Context, points: Array) -> float:
    """Largest probability of one of the points [m, d] outside the domain that it is better than x_r and feasible."""
    outside = points[~context.domain.allowed(points)]
    if not len(outside):
        return 0.0
    f = context.surrogate.honest(0)
    here, best = f.posterior(outside), f.mean(context.optimum.x[None, :])[0, 0]
    log = np.zeros(len(outside)) if context.successes is None else context.successes.log(outside)
    for k, bounds in enumerate(context.bounds):
        there = context.surrogate.honest(k + 1).posterior(outside)
        log = log + log_probability(bounds, there.mean[0], np.sqrt(there.var))
    least = best + TIE * f.scale
    better = 1.0 - student_cdf((least - here.mean[0]) / np.sqrt(here.var), f.hyper.nu)
    return float((better * np.exp(log)).max())


def _margin(function: object, known: Known, x: Array, near: float) -> tuple[float, float]:
    """Distance of the value at x [d] from the nearest limit, and how far it moves within `near` of x."""
    assert isinstance(function, Constraint)
    value = known.value(from_unit(known.problem, x))
    ends = [np.inf if function.at_most is None else function.at_most - value]
    ends += [np.inf if function.at_least is None else value - function.at_least]
    return float(min(ends)), near * float(np.abs(known.with_gradient(x[None, :])[1]).sum())
