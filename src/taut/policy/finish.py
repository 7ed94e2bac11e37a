"""Finish what has been found, and come home.

The Knowledge Gradient is a mean: a gain of 10 with a chance of 1e-3 counts like ten sure gains of 1e-3. Whoever stops
after the next evaluation prefers the sure ones. Once x_r is probably feasible and a sure gain next to it is small,
long shots count by a utility that saturates,

    u(V) = p eps log(1 + g/eps),   eps = 10 K,   V = p g

K: largest KG per cost near x_r; p: chance of a gain, by the set's value V and the gain g if it comes. If none of them
is better than K, and a sceptical model (surrogate/sceptic.py) expects few better places,

    E = prod_i 1/l_i * mean over far x of P(f(x) > mu_0(x_r) + 0.01 scale) PF(x),   length-scales l of the sceptic

the search keeps to the surroundings of x_r. prod 1/l is the number of places that may differ: where a function has
many bumps each of them is unlikely to be better, and one of them probably is. Looks (sceptic.py) in between, one after
so many such decisions, keep a run from finishing in the wrong place for long.

Come home: while finishing, a choice near x_r that holds the objective is made at x_r itself if it is worth nearly as
much there, and the objective is not known as near to x_r as the choice. A value at x_r stays useful, which a look-ahead
of one step does not count, and what is recommended gets measured; a second one beside the first tells no slope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.normal import student_cdf
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set
from taut.policy.search.finalists import Finalists
from taut.policy.search.pricing import cost_unit
from taut.policy.search.sets import Ranking
from taut.surrogate.kernels import matern52
from taut.surrogate.sceptic import sceptical


def near(context: Context, x: Array) -> Flags:
    """Are places x [q, d] next to x_r? [q]."""
    close: Flags = context.settings.finish.near <= likeness(context, x, context.optimum.x)
    return close


def likeness(context: Context, x: Array, centre: Array) -> Array:
    """The prior correlation of the objective at places x [q, d] with it at a centre [d]; [q].

    Of a known one that says nothing: then of the constraints, with the shortest length-scale in each direction.
    """
    known = context.dataset.functions[0].known is not None and len(context.posteriors) > 1
    lengths = np.min([gp.hyper.l for gp in context.posteriors[1 if known else 0 : None if known else 1]], axis=0)
    return matern52(x, centre[None, :], lengths)[:, 0]


def finishing(context: Context, ranking: Ranking) -> Ranking:
    """The ranking, without what is far from x_r if nothing there is worth a long shot."""
    settings, scale = context.settings.finish, context.posteriors[0].scale
    close = near(context, ranking.x)
    if not settings.finish or not context.optimum.feasible or not ranking.values:
        return ranking
    sure, unit = max(ranking.per_cost(S, value, close) for S, value in ranking.values.items()), cost_unit(context)
    probable = float(np.prod(context.feasibilities(context.optimum.x)))
    if not 0.0 < sure * unit < settings.gate * scale or probable < settings.probable:
        return ranking
    far = max(_worth(context, ranking, ~close, settings.unit * sure * unit).values())
    if far > sure or better_places(context) > settings.better_places:
        return ranking
    kept = {S: np.where(close, value, 0.0) for S, value in ranking.values.items()}
    return replace(ranking, values=kept, finishing=True)


def better_places(context: Context) -> float:
    """E: how many places that beat x_r the sceptical model expects."""
    plain, x = context.posteriors[0], context.raw
    sceptic = sceptical(context.surrogate.processes[0], context.dataset.functions[0].noise, context.settings.model)
    best = float(plain.mean(context.optimum.x[None, :])[0, 0]) + context.settings.look.worthwhile * plain.scale
    here = sceptic.posterior(x)
    beats = student_cdf((here.mean[0] - best) / np.sqrt(here.var), sceptic.hyper.nu)
    samples = context.raw_samples
    known = np.array_equal(samples.x[-len(x) :], x)  # not with a shortlist, nor behind places of other discrete values
    holds = np.exp(samples.log_feasibility[-len(x) :] if known else context.utility.log_feasibility(x))
    return float(np.mean(np.where(near(context, x), 0.0, beats * holds)) / np.prod(np.minimum(sceptic.hyper.l, 1.0)))


def _worth(context: Context, ranking: Ranking, where: Flags, eps: float) -> Mapping[Set, float]:
    """The largest utility per cost of every set at the places `where` [q]."""
    if not where.any():
        return {S: 0.0 for S in ranking.values}
    settings, x, gp = context.settings.finish, ranking.x[where], context.posteriors[0]
    here, best = gp.posterior(x), float(gp.mean(context.optimum.x[None, :])[0, 0])
    z = (here.mean[0] - best) / np.sqrt(here.var)
    beats = np.maximum(student_cdf(z, gp.hyper.nu), 1e-300) * np.exp(context.utility.log_feasibility(x))
    hope = np.maximum(here.mean[0] - best, settings.least_hope * np.sqrt(here.var))
    found = {}
    everywhere = np.zeros(len(ranking.x))
    for S, values in ranking.values.items():
        V = values[where]
        p = np.clip(beats, V / (settings.most * gp.scale), 1.0) if 0 in S else np.minimum(V / hope, 1.0)
        g = V / np.maximum(p, 1e-300)
        everywhere[where] = p * eps * np.log1p(g / eps)
        found[S] = ranking.per_cost(S, everywhere, where)
    return found


def at_home(context: Context, finalists: Finalists, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, the best of them at x_r if it is near, holds the objective, and is worth enough there."""
    settings, x_r = context.settings.finish, context.optimum.x
    best, known = candidates[0], context.dataset.X[0]
    if not settings.home or 0 not in best.S or not near(context, best.x[None, :])[0]:
        return candidates
    distance = (np.abs(np.vstack([best.x, known]) - x_r) / context.posteriors[0].hyper.l).max(axis=1)
    if distance[1:].min(initial=np.inf) < distance[0] or context.menu.evaluable(x_r, best.S) != best.S:
        return candidates
    cost = context.menu.cost(best.S, x_r)
    there = finalists.revalue(replace(best, x=x_r, cost=cost, metric=None, maxima=None))
    enough = settings.home_share * best.value * (cost / best.cost)
    return [there, *candidates[1:]] if there.value >= enough and context.menu.affordable(best.S, x_r) else candidates
