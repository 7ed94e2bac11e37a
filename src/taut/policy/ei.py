"""Expected-improvement methods: cEI evaluates everything at its maximum, cEI+ only the most valuable function there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.fallback import most_uncertain
from taut.policy.menu import Candidate, Set, ranked
from taut.policy.method import Method
from taut.policy.search.candidates import points_at
from taut.policy.search.ei_maxima import Maxima, ei_maxima, open_bundles
from taut.policy.search.finalists import Finalists, FirstLook, nothing
from taut.problem.problem import Problem


def _why(known: bool) -> str:
    return "constrained expected improvement" if known else "probability of feasibility (nothing feasible is known yet)"


def maxima(context: Context, centre: tuple[Array, Array]) -> Maxima:
    """Maxima of cEI, climbed to the last; centre: x_r and the shape of G there."""
    settings = context.settings
    return ei_maxima(context, centre, settings.optimum.starts, settings.ei.short, settings.ei.thorough)


@dataclass(frozen=True)
class CoupledEI(Method):
    """cEI: every function at the maximum of constrained expected improvement."""

    def least_cost(self, problem: Problem) -> float:
        return problem.cost(problem.functions)

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        menu, best = context.menu, context.quick_optimum
        found = maxima(context, (best, context.shape(best)))
        for x, value in zip(found.x, found.value, strict=True):
            if menu.evaluable(x, menu.everything):
                note = f"all functions: {_why(found.known)}, log value {value:.3g}"
                return proposal(context, menu.candidate(x, menu.everything), note, best)
        x = most_uncertain(context).x
        note = "all functions: every maximum of expected improvement is known already, most uncertain place"
        return proposal(context, menu.candidate(x, menu.everything), note, best)


@dataclass(frozen=True)
class ImprovementPlus(Method):
    """cEI+: at the maximum of cEI, the one function with the largest Knowledge Gradient per cost there."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        optimum = context.optimum
        found = maxima(context, (optimum.x, optimum.metric))
        for x in found.x:
            bundles = open_bundles(context, x)
            if bundles:
                return self._at(context, x, bundles, found)
        why = "every maximum of expected improvement is known already: most uncertain place"
        return proposal(context, most_uncertain(context), why, optimum.x)

    def _at(self, context: Context, x: Array, bundles: list[Set], found: Maxima) -> Proposal:
        look = FirstLook(context, points_at(context, found.x))
        informative = [S for S in bundles if look.criterion.informative(S)]
        finalists = Finalists.of(context, look.ahead, look.winners, self._leading(context, look, x, informative))
        valued = [each for each in finalists.candidates if each.value > nothing(context)]
        if valued:
            best, end, others = max(valued, key=lambda c: (c.value_per_cost, -c.S[0])), "", finalists.candidates
        else:
            best, end, others = _widest(context, x, bundles), ": none has value, the most uncertain", []
        why = f"{context.menu.label(best.S)} at the maximum of {_why(found.known)}{end}"
        return proposal(context, best, why, context.optimum.x, others)

    def _leading(self, context: Context, look: FirstLook, x: Array, bundles: list[Set]) -> list[Candidate]:
        """The bundles that are worth valuing precisely at x [d]."""
        at, most = look.criterion.at(x[None, :]), context.settings.climb.leaders
        candidates = [context.menu.candidate(x, S, float(look.criterion.value(at, S)[0])) for S in bundles]
        return candidates if len(candidates) <= most else ranked(candidates)[:most]


def _widest(context: Context, x: Array, bundles: list[Set]) -> Candidate:
    """Largest v_k/(b_k scale_k^2) among the objective and the constraints that are not certain at x."""
    uncertain = set(context.uncertain(x))

    def width(S: Set) -> float:
        processes = [context.posteriors[k] for k in S if k in uncertain]
        return max(float(gp.posterior(x[None, :]).var[0]) / gp.scale**2 for gp in processes) / context.menu.cost(S, x)

    return context.menu.candidate(x, max(bundles, key=width))
