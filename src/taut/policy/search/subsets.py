"""Sets of functions between single ones and all of them, compared at the points the search has found.

All sets if there are few bundles; otherwise pairs with the objective, growth from the best pair and elimination from
the full set. Growth from single functions alone would miss sets whose members are worth nothing one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from taut.policy.context import Context
from taut.policy.menu import Candidate, Set, ranked
from taut.policy.search.sets import SetCriterion

Valuation = Callable[[Set], Candidate]


def other_sets(context: Context, criterion: SetCriterion, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best new sets of several bundles at the best points, as far as they come near the best of the candidates."""
    if len(context.request.problem.bundles) < 3:
        return []  # between single bundles and all of them there is nothing
    found: dict[Set, Candidate] = {}
    for place in _distinct_points(candidates, context.settings.sets.points):
        for candidate in _sets_at(context, criterion, place):
            if candidate.S not in found or candidate.value_per_cost > found[candidate.S].value_per_cost:
                found[candidate.S] = candidate
    known = {candidate.S for candidate in candidates}
    new = ranked(candidate for candidate in found.values() if candidate.S not in known)
    least = context.settings.sets.worth * max((each.value_per_cost for each in candidates), default=0.0)
    return [each for each in new[: context.settings.sets.points] if each.value_per_cost > least]


def _distinct_points(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """The best candidates at different points."""
    chosen: list[Candidate] = []
    for candidate in ranked(candidates):
        if len(chosen) < count and all(np.abs(candidate.x - other.x).max() > 1e-9 for other in chosen):
            chosen.append(candidate)
    return chosen


def _sets_at(context: Context, criterion: SetCriterion, place: Candidate) -> list[Candidate]:
    """Sets of bundles worth comparing at a candidate's point, valued with common scenarios."""
    at, menu, x = criterion.at(place.x[None, :]), context.menu, place.x

    def value(S: Set) -> Candidate:
        return replace(place, S=S, value=float(criterion.value(at, S)[0]), cost=menu.cost(S, x), maxima=None)

    uncertain = set(context.uncertain(x))  # what is certain there adds its cost and little else
    bundles = [S for S in menu.bundles if uncertain & set(S) and menu.evaluable(x, S)]
    if len(bundles) > context.settings.sets.compared:
        bundles = _most_uncertain(context, bundles, place)
    if len(bundles) > context.settings.sets.enumerate:
        sets = _greedy(bundles, value)
    else:
        groups = [group for size in range(2, len(bundles) + 1) for group in combinations(bundles, size)]
        sets = [value(S) for S in map(_union, groups) if menu.affordable(S, x)]
    return [candidate for candidate in sets if menu.affordable(candidate.S, x)]


def _union(bundles: Sequence[Set]) -> Set:
    return tuple(sorted(k for bundle in bundles for k in bundle))


def _most_uncertain(context: Context, bundles: list[Set], place: Candidate) -> list[Set]:
    """The objective's bundle and those whose constraints are most in doubt there, per cost."""
    doubt = np.concatenate([[np.inf], 1.0 - context.feasibilities(place.x)])
    cost = {bundle: context.menu.cost(bundle, place.x) for bundle in bundles}
    order = sorted(bundles, key=lambda bundle: -float(doubt[list(bundle)].max()) / cost[bundle])
    best = order[: context.settings.sets.compared]
    return [bundle for bundle in bundles if bundle in best]


def _greedy(bundles: list[Set], value: Valuation) -> list[Candidate]:
    """Pairs with the objective, then forward from the best pair and backward from everything, while it pays."""
    objective = next((bundle for bundle in bundles if 0 in bundle), None)
    pairs = [] if objective is None else [(objective, bundle) for bundle in bundles if bundle != objective]
    seen = [value(_union(pair)) for pair in pairs]
    starts = [(_union(bundles), False)]
    starts += [(max(seen, key=lambda c: c.value_per_cost).S, True)] if seen else []
    for S, forward in starts:
        current = value(S)
        while True:
            seen.append(current)
            best = max(map(value, _steps(bundles, current.S, forward)), key=lambda c: c.value_per_cost, default=None)
            if best is None or best.value_per_cost <= current.value_per_cost:
                break
            current = best
    return seen


def _steps(bundles: list[Set], S: Set, forward: bool) -> list[Set]:
    """S with one bundle more, or less."""
    if forward:
        return [_union((S, bundle)) for bundle in bundles if not set(bundle) & set(S)]
    return [tuple(k for k in S if k not in each) for each in bundles if set(each) <= set(S) and len(each) < len(S)]
