"""A verdict on every known constraint: where the recommendation would go without it.

G is maximised over the domain without this constraint, from x_r, the other maxima and fresh points. If that gains
anything, it matters. Nothing about the constraint itself is in doubt, but where the optimum lies may be: then its limit
has a price in some samples only (prices.py). So the verdict is that of any other constraint, with that gain in place of
evidence: it binds if nearly all samples pay for it, excludes a better region if nearly none does and yet there is
something to gain without it, and does not matter if neither is so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.base.arrays import Array
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


def judge_known(context: Context, name: str, price: Price | None) -> Judgement:
    """price: what its limit costs, if that is known."""
    problem, settings = context.request.problem, context.settings.relevance
    gain = _gain(context, name)
    margin, reach = _margin(problem.function(name), Known(problem, name), answer(context), settings.near)
    gains, binds = gain > settings.known_gain, margin <= reach
    stepped = reach == 0.0  # it depends on discrete parameters alone, which no price can see
    active = float(gains and binds) if price is None or stepped else price.active
    return Judgement(
        name,
        1.0 if gains else active,
        float(binds),
        _verdict(gains, active, settings) if context.optimum.feasible else "undecided",
        margin=(margin, 0.0),
        price=None if price is None else price.price,
        valid=None if price is None else price.valid,
        limit=None if price is None else price.limit,
    )


def _verdict(gains: bool, active: float, settings: RelevanceSettings) -> Verdict:
    """gains: is there something to gain without it? active: share of samples that pay for its limit."""
    if active >= settings.sure:
        return "binding"
    if gains:
        return "excluding" if active <= 1.0 - settings.sure else "undecided"
    return "irrelevant" if active <= settings.never else "undecided"


def _gain(context: Context, name: str) -> float:
    """By which share max G - M rises without a known constraint: searches are precise by that measure."""
    utility, settings = context.utility, context.settings.optimum
    within = replace(everywhere(context.request.problem), limits=KnownLimits(context.request.problem, without=name))
    wider = replace(utility, within=within)
    fresh = within.sample(len(context.raw), context.generator("relevance"))
    starts = np.vstack([context.optimum.x, context.optimum.maxima[: settings.starts], fresh])
    found = recommend(wider, wider.raw_samples(starts), settings, context.precise)
    return float(np.expm1(min(found.log_value - float(utility.log_value(context.optimum.x[None, :])[0]), 700.0)))


def _margin(function: object, known: Known, x: Array, near: float) -> tuple[float, float]:
    """Distance of the value at x [d] from the nearest limit, and how far it moves within `near` of x."""
    assert isinstance(function, Constraint)
    value = known.value(from_unit(known.problem, x))
    ends = [np.inf if function.at_most is None else function.at_most - value]
    ends += [np.inf if function.at_least is None else value - function.at_least]
    return float(min(ends)), near * float(np.abs(known.with_gradient(x[None, :])[1]).sum())
