"""PESC: the function and the point that tell most about where the constrained maximum is, per cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.entropy import Entropy
from taut.acquisition.propagation import condition
from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.fallback import fallback
from taut.policy.menu import Candidate, best_candidate
from taut.policy.method import Method
from taut.policy.search.criterion_search import CriterionSearch, InformationCriterion
from taut.policy.search.path_optima import Optima, optima
from taut.problem.problem import Problem


@dataclass(frozen=True)
class PredictiveEntropy(Method):
    """PESC: every function (or group) at the maximum of its information; the largest per cost wins.

    coupled: all functions at the maximum of the sum instead.
    """

    coupled: bool = False

    def least_cost(self, problem: Problem) -> float:
        return problem.cost(problem.functions) if self.coupled else super().least_cost(problem)

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        settings, rng = context.settings.paths, context.generator("paths")
        belief = context.posteriors, context.bounds, context.starts
        found = optima(*belief, settings, rng, context.successes, context.domain)
        if not found.found.any():
            candidate, why = fallback(context)
            why = f"no sample path has a feasible point; {why}"
            return proposal(context, self._whole(context, candidate), why, context.optimum.x)
        maximisers = found.x[found.found]
        known = context.observed_points
        if context.selection.partial:  # those that might be the optimum: it takes their square in memory
            known = context.best_observed(context.settings.model.most_values)
        given = condition(context.posteriors, context.bounds, maximisers, known, context.settings.ep)
        score = Entropy(context.posteriors, context.bounds, given)
        search = CriterionSearch.of(context, InformationCriterion(score, len(context.names), context.successes))
        sets = [context.menu.everything] if self.coupled else list(context.menu.bundles)
        candidates = [self._whole(context, each) for each in search.evaluable(search.climb(sets, maximisers))]
        trouble = _trouble(found, given.failed, score)
        if not candidates:
            candidate, why = fallback(context)
            return proposal(context, self._whole(context, candidate), "; ".join([why, *trouble]), context.optimum.x)
        best = best_candidate(candidates)
        why = f"{context.menu.label(best.S)}: information about the place of the optimum"
        return proposal(context, best, "; ".join([why, *trouble]), context.optimum.x, candidates)

    def _whole(self, context: Context, candidate: Candidate) -> Candidate:
        """The coupled method evaluates everything, what is known at the point included."""
        everything = context.menu.everything
        if not self.coupled or candidate.S == everything:
            return candidate
        return context.menu.candidate(candidate.x, everything, candidate.value)


def _trouble(found: Optima, failed: int, score: Entropy) -> list[str]:
    """What went wrong on the way, in words."""
    samples, dropped = int(found.found.sum()), int((~found.found).sum())
    words = []
    if dropped:
        words.append(f"{dropped} of {len(found.value)} sample paths have no feasible point")
    if failed:
        words.append(f"EP did not converge for {failed} of {samples} samples")
    if score.clamped:
        words.append(f"{score.clamped} of {score.looked} values were negative and count as 0")
    return words
