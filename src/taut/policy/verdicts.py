"""A verdict on every constraint, from what is known of its boundary, of its price, and of what lies behind it.

| quantity | definition |
| --- | --- |
| active | share of posterior samples at whose optimum, next to x_r, the limit has a price (prices.py) |
| evidence | largest probability of any one point that it is better than x_r and violates this constraint and no other |
| matters | share of samples whose maximum rises without the constraint (relevance.py) |

A region where nothing is known has a better point somewhere in nearly every sample: there `matters` is near 1, and says
no more than that nobody looked. `evidence` asks for one and the same point in most samples.
"""

from __future__ import annotations

import numpy as np

from taut.acquisition.feasibility import log_probability
from taut.base.arrays import Array
from taut.base.normal import student_cdf
from taut.data.results import Judgement, Verdict
from taut.policy.behind import behind
from taut.policy.belief import belief
from taut.policy.context import Context
from taut.policy.known_verdicts import judge_known
from taut.policy.prices import Price, Prices, known_constraints
from taut.policy.question_settings import RelevanceSettings
from taut.policy.relevance import Shares, shares
from taut.policy.verify import answer


def judge(context: Context) -> list[Judgement]:
    """One judgement per constraint, in the order of the context, then of known ones."""
    known, count = known_constraints(context), len(context.bounds)
    if not count and not known:
        return []
    costs = Prices.of(context)
    prices: list[Price | None] = [None] * (count + len(known)) if costs is None else list(costs.all())
    judged = [judge_known(context, view.name, each) for view, each in zip(known, prices[count:], strict=True)]
    more = np.empty((0, context.dataset.dimension)) if costs is None else behind(costs)
    return _judged(context, more, prices[:count]) + judged if count else judged


def _judged(context: Context, more: Array, prices: list[Price | None]) -> list[Judgement]:
    """more: further points to look at [m, d]; so are those of most evidence, or `matters` would not know of them."""
    proof, places = evidence(context, np.vstack([more, context.raw_samples.x, context.observed_points]))
    found = shares(context, np.vstack([more, places]))
    proof = np.maximum(proof, evidence(context, np.array([each.without for each in found]))[0])
    margins = _margins(context)
    return [
        Judgement(
            name,
            each.matters,
            each.binds,
            verdict(each, price, float(proof[k]), context.settings.relevance),
            margin=margins[k],
            price=None if price is None else price.price,
            valid=None if price is None else price.valid,
            limit=None if price is None else price.limit,
        )
        for k, (name, each, price) in enumerate(zip(context.names[1:], found, prices, strict=True))
    ]


def verdict(found: Shares, price: Price | None, evidence: float, settings: RelevanceSettings) -> Verdict:
    """In one word; undecided while few samples have a feasible point, or while it may well be otherwise."""
    sure = settings.sure
    if found.telling < sure or price is None:
        return "undecided"
    if price.active >= sure and found.matters >= sure:
        return "binding"
    if price.active <= 1.0 - sure and evidence >= sure:
        return "excluding"
    unlikely = evidence <= settings.likely or found.matters <= 1.0 - sure
    return "irrelevant" if unlikely and price.active <= settings.never else "undecided"


NEGLIGIBLE = 1e-12
"""Points that are better with no more than this probability are left out: they add no more to an evidence."""


def evidence(context: Context, points: Array) -> tuple[Array, Array]:
    """See above, for every constraint [K], and where among points [m, d] it is largest [K, d]."""
    f = context.surrogate.honest(0)
    here, best = f.posterior(points), f.mean(context.optimum.x[None, :])[0, 0]
    better = 1.0 - student_cdf((best - here.mean[0]) / np.sqrt(here.var), f.hyper.nu)
    possible = better > NEGLIGIBLE
    if not possible.any():
        return np.zeros(len(context.bounds)), points[:0]
    points, better = points[possible], better[possible]
    logs = np.zeros((len(context.bounds), len(points)))
    for k, b in enumerate(context.bounds):
        there = context.surrogate.honest(k + 1).posterior(points)
        logs[k] = log_probability(b, there.mean[0], np.sqrt(there.var))
    computed = 0.0 if context.successes is None else context.successes.log(points)
    others = np.exp(logs.sum(axis=0) - logs + computed)
    found: Array = better * others * -np.expm1(logs)
    return found.max(axis=1), points[found.argmax(axis=1)]


def _margins(context: Context) -> list[tuple[float, float]]:
    """Of every constraint at the recommended point: mean and sd of the distance to the nearest limit, user's units."""
    there = belief(context, answer(context))
    declared = context.request.problem.functions
    found = []
    for view in context.dataset.functions[1:]:
        k = declared.index(view.name)
        mean, sd = float(there.mean[k]), float(there.sd[k])
        found.append((min(view.upper / view.unit - mean, mean - view.lower / view.unit), sd))
    return found
