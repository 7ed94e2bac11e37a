"""What to evaluate where no evaluation has a measurable value."""

from __future__ import annotations

import numpy as np

from taut.acquisition.feasibility import probability
from taut.base.arrays import Array, Flags
from taut.data.exhausted import ExhaustedError, no_better, settled
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set


def fallback(context: Context) -> tuple[Candidate, str]:
    """A candidate and why.

    No feasible region: the constraint most likely to forbid the most feasible point, per cost. Otherwise everything
    uncertain at x_r; and where that is known already, the most uncertain point.
    """
    x, menu = context.optimum.x, context.menu
    if not context.optimum.feasible:
        with np.errstate(divide="ignore"):
            doubt = -np.log(context.feasibilities(x))
        for S in sorted(
            menu.bundles, key=lambda S: -max((doubt[k - 1] for k in S if k), default=0.0) / menu.cost(S, x)
        ):
            if any(k > 0 for k in S) and menu.evaluable(x, S) and menu.affordable(S, x):
                why = "no feasible region yet: most doubtful constraint of the best guess"
                return menu.candidate(x, S), why
    S = menu.evaluable(x, context.uncertain(x))
    if S and menu.affordable(S, x):
        return menu.candidate(x, S), "no evaluation has a measurable value: checking the recommendation"
    return most_uncertain(context), "no evaluation has a measurable value: most uncertain place"


def most_uncertain(context: Context) -> Candidate:
    """Most uncertain (x, bundle) per cost: the last resort.

    argmax of v_k(x)/(b_k a_k) over raw points, the objective and the constraints that are not certain everywhere, times
    the probability that the bundle can be computed there.
    """
    menu, raw, successes = context.menu, context.raw, context.successes
    logs = None if successes is None else successes.logs(raw)
    rated: list[tuple[float, Candidate]] = []
    for S in menu.bundles:
        new = _new(context, S)
        if not new.any():
            continue
        open_ = [k for k in S if k == 0 or _uncertain_somewhere(context, k)]
        processes = [context.posteriors[k] for k in open_ or S]
        ratio = np.max([gp.posterior(raw).var / gp.size for gp in processes], axis=0)
        if successes is not None and logs is not None:
            ratio = ratio * np.exp(logs[successes.of(S)].sum(axis=0))
        ratio = np.where(new, ratio, 0.0)
        if menu.prices is not None:
            ratio = ratio / _prices(context, S)
        row = next((i for i in np.argsort(-ratio, kind="stable") if _untold(context, S, raw[i])), None)
        if row is None:
            continue
        best = menu.candidate(raw[row], S)
        weight = float(ratio.max()) if open_ else 1e-6 * float(ratio.max())
        rated.append((weight / best.cost if menu.prices is None else weight, best))
    if not rated:
        raise ExhaustedError("no evaluation brings anything new")
    return max(rated, key=lambda pair: pair[0])[1]


def _new(context: Context, S: Set) -> Flags:
    """At which raw points something of S would be new; in a finite domain where that can change the answer. [m].

    Points of which a formula says that they are no better than the best verified design are left out if there are
    others.
    """
    raw, menu, measured = context.raw, context.menu, context.measured
    hope = ~no_better(context.dataset, measured, raw)
    if not context.domain.finite:
        return hope if hope.any() else ~hope
    done = measured.points[settled(measured)]
    new = np.array([not (done == x).all(axis=1).any() and bool(menu.evaluable(x, S)) for x in raw], dtype=bool)
    return new & hope if (new & hope).any() else new


def _untold(context: Context, S: Set, x: Array) -> bool:
    """Would a value of S at x [d] be another one than those that are known? Next to one, x would be moved onto it."""
    same = context.menu.same_point
    return context.domain.finite or any(context.menu.is_new(x, k, same) for k in S)


def _prices(context: Context, S: Set) -> Array:
    """What S costs at the raw points, infinitely much where it cannot be paid; [m]."""
    menu = context.menu
    assert menu.prices is not None
    cost = menu.prices.costs([menu.names[k] for k in S], context.raw)
    return np.where(cost <= menu.payable, cost, np.inf)


def _uncertain_somewhere(context: Context, k: int) -> bool:
    there = context.posteriors[k].posterior(context.raw)
    holds = probability(context.bounds[k - 1], there.mean[0], np.sqrt(there.var))
    return bool(holds.min() < 1.0 - context.settings.sets.delta)
