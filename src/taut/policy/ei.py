"""Expected-improvement methods: cEI evaluates everything at its maximum, cEI+ only the most valuable function there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.base.ascend import AscentOptions
from taut.data.dataset import Proposal, Request
from taut.policy.context import Candidate, Decision, Maxima, Method
from taut.policy.search.sets import LEADERS, Search
from taut.problem.problem import Problem

SHORT = AscentOptions(tolerance=1e-4, radius=0.03, calls=3, behind=4.0, patience=2, shrink=0.8, apart=0.003)
THOROUGH = AscentOptions(tolerance=1e-4, calls=10, behind=3.0, patience=3, shrink=0.7, smooth=True)


def _why(known: bool) -> str:
    return "constrained expected improvement" if known else "probability of feasibility (nothing feasible is known yet)"


@dataclass(frozen=True)
class CoupledEI(Method):
    """cEI: every function at the maximum of constrained expected improvement."""

    def least_cost(self, problem: Problem) -> float:
        return problem.cost(problem.functions)

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        everything = tuple(range(len(decision.names)))
        found = decision.ei_maxima(self.settings.search_starts, SHORT, THOROUGH)
        for x, value in zip(found.x, found.value, strict=True):
            if decision.evaluable(x, everything):
                note = f"all functions: {_why(found.known)}, log value {value:.3g}"
                return decision.proposal(Candidate(x, everything, 0.0, decision.cost(everything)), note)
        choice = decision.most_uncertain()
        note = "all functions: every maximum of expected improvement is known already, most uncertain place"
        return decision.proposal(Candidate(choice.x, everything, 0.0, decision.cost(everything)), note)


@dataclass(frozen=True)
class ImprovementPlus(Method):
    """cEI+: at the maximum of cEI, the one function with the largest Knowledge Gradient per cost there."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        _ = decision.optimum  # its surroundings are searched, and values refer to it
        found = decision.ei_maxima(self.settings.search_starts, SHORT, THOROUGH)
        for x in found.x:
            bundles = _open(decision, x)
            if bundles:
                return self._at(decision, x, bundles, found)
        return decision.proposal(
            decision.most_uncertain(), "every maximum of expected improvement is known already: most uncertain place"
        )

    def _at(self, decision: Decision, x: Array, bundles: list[tuple[int, ...]], found: Maxima) -> Proposal:
        search = Search(decision, found.x)
        choices = search.refine_finalists(self._leading(decision, search, x, [S for S in bundles if search.live(S)]))
        valued = [choice for choice in choices if choice.value > search.nothing]
        if valued:
            best = max(valued, key=lambda c: (c.value_per_cost, -c.S[0]))
            return decision.proposal(best, f"{decision.label(best.S)} at the maximum of {_why(found.known)}", choices)
        best = self._widest(decision, x, bundles)
        return decision.proposal(
            best, f"{decision.label(best.S)} at the maximum of {_why(found.known)}: none has value, the most uncertain"
        )

    def _leading(self, decision: Decision, search: Search, x: Array, bundles: list[tuple[int, ...]]) -> list[Candidate]:
        """The bundles that are worth valuing precisely at x, at most LEADERS."""
        at = search.ahead.candidates(x[None, :], gradients=False)
        choices = [Candidate(x, S, float(search.ahead.value(search.live(S), at)[0]), decision.cost(S)) for S in bundles]
        if len(choices) <= LEADERS:
            return choices
        return sorted(choices, key=lambda choice: -choice.value_per_cost)[:LEADERS]

    def _widest(self, decision: Decision, x: Array, bundles: list[tuple[int, ...]]) -> Candidate:
        """Largest v_k/(b_k scale_k^2) among the objective and the constraints that are not certain at x."""
        uncertain = set(decision.uncertain(x))

        def width(S: tuple[int, ...]) -> float:
            processes = [decision.posteriors[k] for k in S if k in uncertain]
            return max(float(gp.posterior(x[None, :]).var[0]) / gp.scale**2 for gp in processes) / decision.cost(S)

        S = max(bundles, key=width)
        return Candidate(x, S, 0.0, decision.cost(S))


def _open(decision: Decision, x: Array) -> list[tuple[int, ...]]:
    """Units that hold the objective or a constraint that is not certain at x [d], and not known there yet.

    A constraint that is certain is no reason to look: with nothing else left at x, the next maximum is the better one.
    """
    wanted = [k for k in decision.uncertain(x) if decision.is_new(x, k)]
    return [S for S in decision.bundles if any(k in wanted for k in S)]
