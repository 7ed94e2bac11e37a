"""Sets of functions between single ones and all of them, compared at the points the search has found.

All sets if there are few bundles; otherwise pairs with the objective, growth from the best pair and elimination from
the full set. Growth from single functions alone would miss sets whose members are worth nothing one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from taut.base.arrays import Array
from taut.policy.context import Candidate, Decision
from taut.policy.search.sets import Search

COMPARED = 8  # bundles among which sets are compared
ENUMERATE = 5  # with at most this many bundles all sets of them are compared
Valuation = Callable[[tuple[int, ...]], Candidate]


def other_sets(decision: Decision, search: Search, choices: list[Candidate]) -> list[Candidate]:
    """Any set of bundles at the finalists: all of them if few, else pairs with the objective, forward and backward."""
    if len(decision.problem.bundles) < 3:
        return []  # between single bundles and all of them there is nothing
    found: dict[tuple[int, ...], Candidate] = {}
    for x in _distinct_points(choices):
        for choice in _sets_at(decision, search, x):
            if choice.S not in found or choice.value_per_cost > found[choice.S].value_per_cost:
                found[choice.S] = choice
    known = {choice.S for choice in choices}
    fresh = sorted((c for c in found.values() if c.S not in known), key=lambda c: -c.value_per_cost)
    best = max((c.value_per_cost for c in choices), default=0.0)
    return [search.revalue(c) for c in fresh[:3] if c.value_per_cost > 0.5 * best]


def _distinct_points(choices: list[Candidate]) -> list[Array]:
    ranked = sorted(choices, key=lambda c: -c.value_per_cost)
    points: list[Array] = []
    for choice in ranked:
        if len(points) < 3 and all(np.abs(choice.x - p).max() > 1e-9 for p in points):
            points.append(choice.x)
    return points


def _sets_at(decision: Decision, search: Search, x: Array) -> list[Candidate]:
    """Sets of bundles worth comparing at x, valued with common scenarios."""
    at = search.quick.candidates(x[None, :], gradients=False)

    def value(S: tuple[int, ...]) -> Candidate:
        live = search.live(S)
        worth = float(search.quick.value(live, at)[0]) if live else 0.0
        return Candidate(x, S, worth, decision.cost(S))

    uncertain = set(decision.uncertain(x))  # what is certain there adds its cost and little else
    bundles = [S for S in decision.bundles if search.live(S) and uncertain & set(S) and decision.evaluable(x, S)]
    return compared(decision, bundles, x, value)


def compared(decision: Decision, bundles: list[tuple[int, ...]], x: Array, value: Valuation) -> list[Candidate]:
    """Sets of several of these bundles at x [d] that can be afforded: all of them if few, otherwise a greedy search."""
    bundles = _uncertain(decision, bundles, x)
    if len(bundles) <= ENUMERATE:
        sets = [
            tuple(sorted(k for bundle in group for k in bundle))
            for size in range(2, len(bundles) + 1)
            for group in combinations(bundles, size)
        ]
        return [value(S) for S in sets if decision.affordable(S)]
    return _greedy(decision, bundles, value)


def _uncertain(decision: Decision, bundles: list[tuple[int, ...]], x: Array) -> list[tuple[int, ...]]:
    """At most COMPARED bundles: the objective's and those whose constraints are most in doubt at x, per cost."""
    if len(bundles) <= COMPARED:
        return bundles
    doubt = np.concatenate([[np.inf], 1.0 - decision.feasibilities(x)])
    best = sorted(bundles, key=lambda bundle: -float(doubt[list(bundle)].max()) / decision.cost(bundle))[:COMPARED]
    return [bundle for bundle in bundles if bundle in best]


def _greedy(decision: Decision, bundles: list[tuple[int, ...]], value: Valuation) -> list[Candidate]:
    """Pairs with the objective, then forward from the best pair and backward from everything, while the rate rises."""
    objective = next((bundle for bundle in bundles if 0 in bundle), None)
    pairs = [] if objective is None else [objective + bundle for bundle in bundles if bundle != objective]
    seen = [value(tuple(sorted(S))) for S in pairs]
    full = tuple(sorted(k for bundle in bundles for k in bundle))
    starts = [(full, False)] + ([(max(seen, key=lambda c: c.value_per_cost).S, True)] if seen else [])
    for S, forward in starts:
        current = value(S)
        while True:
            seen.append(current)
            if forward:
                steps = [tuple(sorted(S + u)) for u in bundles if not set(u) & set(S)]
            else:
                steps = [tuple(k for k in S if k not in u) for u in bundles if set(u) <= set(S) and len(u) < len(S)]
            options = [value(step) for step in steps]
            best = max(options, key=lambda c: c.value_per_cost, default=None)
            if best is None or best.value_per_cost <= current.value_per_cost:
                break
            current, S = best, best.S
    return [choice for choice in seen if decision.affordable(choice.S)]
