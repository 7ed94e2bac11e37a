"""CMES-IBO, decoupled: the set of functions that tells most about the constrained maximum per cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.acquisition.maxvalue import MaxValue
from taut.data.dataset import Proposal, Request
from taut.policy.context import Candidate, Decision, Method, best_candidate
from taut.policy.search.information import Explorer, Set
from taut.policy.search.path_optima import optima
from taut.policy.search.subsets import compared

PLACES = 3  # best places at which other sets are compared, and best sets among them that are climbed


@dataclass(frozen=True)
class MaxValueEntropy(Method):
    """The place and the set with the largest information about f* per cost."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        processes, count = decision.posteriors, self.settings.paths
        found = optima(processes, decision.bounds, decision.starts, count, rng, redraws=0)
        score = MaxValue(processes, decision.bounds, found.value)
        explorer = Explorer(decision, score, found.x[found.found])
        choices = self._choices(decision, explorer)
        if not choices:
            return decision.proposal(*decision.fallback())
        best = best_candidate(choices)
        why = f"{decision.label(best.S)}: information about the best feasible value"
        if not found.found.all():
            why += f" ({count - int(found.found.sum())} of {count} paths have no feasible point)"
        return decision.proposal(best, why, choices)

    def _choices(self, decision: Decision, explorer: Explorer) -> list[Candidate]:
        """Units and the coupled set, each at its maximum, then other sets at the best places."""
        sets: list[Set] = list(decision.bundles)
        everything = tuple(range(len(decision.names)))
        if len(decision.problem.bundles) > 1:
            sets.append(everything)
        found = [self._reduced(decision, explorer, choice) for choice in explorer.optimise(sets)]
        choices = explorer.evaluable(sorted(found, key=lambda choice: -choice.value_per_cost))
        if self.settings.subsets == "search" and len(decision.bundles) > 1 and choices:
            others = explorer.evaluable(_other_sets(decision, explorer, choices))
            choices += explorer.evaluable(explorer.polish(others)) + others
        return choices

    def _reduced(self, decision: Decision, explorer: Explorer, choice: Candidate) -> Candidate:
        """The coupled set without constraints that are certain at the point; any other set as it is."""
        if len(choice.S) < len(decision.names):
            return choice
        kept = decision.uncertain(choice.x)
        return choice if kept == choice.S else explorer.valued(choice.x, kept)


def _other_sets(decision: Decision, explorer: Explorer, choices: list[Candidate]) -> list[Candidate]:
    """The best sets of several bundles at the best places, as far as they beat what is known there."""
    found: dict[Set, Candidate] = {}
    places: list[Candidate] = []
    for choice in sorted(choices, key=lambda c: -c.value_per_cost):
        if len(places) < PLACES and all(np.abs(choice.x - other.x).max() > 1e-6 for other in places):
            places.append(choice)
    for place in places:
        parts = explorer.score.at(place.x[None, :])

        def value(S: Set, place: Candidate = place, parts: object = parts) -> Candidate:
            return replace(place, S=S, value=float(explorer.score.value(parts, S)[0]), cost=decision.cost(S))

        bundles = [S for S in decision.bundles if decision.evaluable(place.x, S)]
        for choice in compared(decision, bundles, place.x, value):
            if choice.S not in found or choice.value_per_cost > found[choice.S].value_per_cost:
                found[choice.S] = choice
    ranked = sorted(found.values(), key=lambda c: -c.value_per_cost)
    least = 0.5 * max(choice.value_per_cost for choice in choices)
    return [choice for choice in ranked[:PLACES] if choice.value_per_cost > least]
