"""A verdict on every known constraint: where the recommendation would go without it.

G is maximised over the domain without this constraint, from x_r, the other maxima and fresh points. If that gains
anything, or if its limit has a price next to x_r, it matters: it binds if x_r lies on its boundary, and excludes a
better region otherwise. Nothing about the constraint itself is in doubt; `matters` and `binds` are 1 or 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.base.arrays import Array
from taut.data.results import Judgement, Verdict
from taut.policy.context import Context
from taut.policy.prices import Price
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
    paid = price is not None and price.price[0] > 0.0
    matters, binds = float(gain > settings.known_gain or paid), float(margin <= reach)
    word: Verdict = "irrelevant" if not matters else "binding" if binds else "excluding"
    return Judgement(
        name,
        matters,
        binds,
        word if context.optimum.feasible else "undecided",
        margin=(margin, 0.0),
        price=None if price is None else price.price,
        valid=None if price is None else price.valid,
        limit=None if price is None else price.limit,
    )


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
