"""PESC: the function and the place that tell most about where the constrained maximum is, per cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.entropy import Entropy
from taut.acquisition.propagation import condition
from taut.data.dataset import Proposal, Request
from taut.policy.context import Candidate, Decision, Method, best_candidate
from taut.policy.search.information import Explorer, Set
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
        decision = Decision(request, self.settings, rng)
        found = optima(decision.posteriors, decision.bounds, decision.starts, self.settings.paths, rng)
        if not found.found.any():
            choice, why = decision.fallback()
            return decision.proposal(self._whole(decision, choice), f"no sample path has a feasible point; {why}")
        maximisers = found.x[found.found]
        given = condition(decision.posteriors, decision.bounds, maximisers, decision.places)
        score = Entropy(decision.posteriors, decision.bounds, given)
        explorer = Explorer(decision, score, maximisers)
        choices = explorer.evaluable(explorer.optimise(self._sets(decision)))
        choices = [self._whole(decision, choice) for choice in choices]
        trouble = _trouble(found, given.failed, score)
        if not choices:
            choice, why = decision.fallback()
            return decision.proposal(self._whole(decision, choice), "; ".join([why, *trouble]))
        best = best_candidate(choices)
        why = f"{decision.label(best.S)}: information about the place of the optimum"
        return decision.proposal(best, "; ".join([why, *trouble]), choices)

    def _sets(self, decision: Decision) -> list[Set]:
        return [tuple(range(len(decision.names)))] if self.coupled else list(decision.bundles)

    def _whole(self, decision: Decision, choice: Candidate) -> Candidate:
        """The coupled method evaluates everything, what is known at the point included."""
        everything = tuple(range(len(decision.names)))
        if not self.coupled or choice.S == everything:
            return choice
        return Candidate(choice.x, everything, choice.value, decision.cost(everything))


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
