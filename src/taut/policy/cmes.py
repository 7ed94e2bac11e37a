"""CMES-IBO, decoupled: the set of functions that tells most about the constrained maximum per cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.acquisition.maxvalue import MaxValue
from taut.base.arrays import Array
from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.fallback import fallback
from taut.policy.menu import Candidate, best_candidate, ranked
from taut.policy.method import Method
from taut.policy.search.criterion_search import CriterionSearch, InformationCriterion
from taut.policy.search.path_optima import optima
from taut.policy.search.sets import reduced
from taut.policy.search.subsets import other_sets


@dataclass(frozen=True)
class MaxValueEntropy(Method):
    """The point and the set with the largest information about f* per cost."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        settings = replace(context.settings.paths, redraws=0)  # a path without a feasible point says so
        count, rng = settings.paths, context.generator("paths")
        belief = context.posteriors, context.bounds, context.starts
        found = optima(*belief, settings, rng, context.successes, context.domain)
        score = MaxValue(context.posteriors, context.bounds, found.value, context.settings.max_value)
        search = CriterionSearch.of(context, InformationCriterion(score, len(context.names), context.successes))
        candidates = self._candidates(context, search, found.x[found.found])
        if not candidates:
            return proposal(context, *fallback(context), context.optimum.x)
        best = best_candidate(candidates)
        why = f"{context.menu.label(best.S)}: information about the best feasible value"
        if not found.found.all():
            why += f" ({count - int(found.found.sum())} of {count} paths have no feasible point)"
        return proposal(context, best, why, context.optimum.x, candidates)

    def _candidates(self, context: Context, search: CriterionSearch, maximisers: Array) -> list[Candidate]:
        """Bundles and the coupled set, each at its maximum, then other sets at the best points."""
        menu = context.menu
        sets = [*menu.bundles, *([menu.everything] if len(context.request.problem.bundles) > 1 else [])]
        climbed = search.climb(sets, maximisers)
        found = search.evaluable(ranked(reduced(context, each, search.search.valued) for each in climbed))
        if context.settings.sets.subsets == "search" and found:
            others = search.evaluable(other_sets(context, search.search.criterion, found))
            found += search.evaluable(search.polish(others)) + others
        return found
