"""Knowledge Gradient methods: dcKG (single functions and the coupled set compete per cost), its ablation, and cKG."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.fallback import fallback
from taut.policy.finish import at_home, finishing
from taut.policy.instalments import first_instalment
from taut.policy.meeting import between_looks, met
from taut.policy.menu import Candidate, Set, best_candidate, ranked
from taut.policy.method import Method
from taut.policy.sceptic import look, looks_due
from taut.policy.search.ahead import ahead
from taut.policy.search.candidates import points
from taut.policy.search.finalists import Finalists, FirstLook, nothing, polished
from taut.policy.search.pricing import cost_of_needed, costs, where_payable
from taut.policy.search.sets import Ranking, Scales, SetSearch, distinct_maxima, evaluable, reduced
from taut.policy.search.subsets import other_sets
from taut.problem.problem import Problem


@dataclass(frozen=True)
class DecoupledKG(Method):
    """dcKG: the set and the point with the largest Knowledge Gradient per cost.

    coupled: whether the filtered set of all functions competes with the single ones (the ablation leaves it out).
    """

    coupled: bool = True

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        if (looked := look(context)) is not None:
            return looked
        candidates, ranking = self._candidates(context)
        made = self._chosen(context, candidates, ranking.leaders())
        every = between_looks(context) if self.coupled else 0
        return replace(made, memory={**made.memory, **looks_due(context, candidates, ranking.finishing, every)})

    def _chosen(self, context: Context, candidates: list[Candidate], rough: list[Candidate]) -> Proposal:
        """The best candidate, or the first instalment of it; rough: what every set was worth at first sight."""
        menu, x_r = context.menu, context.optimum.x
        if not candidates:
            return proposal(context, *fallback(context), x_r, rough=rough)
        best = best_candidate(candidates)
        if context.settings.sets.instalments and len(best.S) > 1:
            part, why = first_instalment(context, best)
            others = [other for other in candidates if other.S != best.S]
            return proposal(context, part, why, x_r, others, best, rough=rough)
        kind = "single evaluation" if len(best.S) == 1 else "coupled evaluation"
        return proposal(context, best, f"{menu.label(best.S)}: {kind}", x_r, candidates, rough=rough)

    def _candidates(self, context: Context) -> tuple[list[Candidate], Ranking]:
        """Evaluable candidates of measurable value: from the sets in the race, and if there is none, from the others.

        rank -> climb -> finalists -> polish -> meet. Then what every set was worth at first sight.
        """
        look, settings = FirstLook(context, points(context, ahead(context))), context.settings.sets
        ranking = finishing(context, self._rank(context, look))
        rates = {S: ranking.best(S) for S in ranking.values}
        assert settings.prune_raw is not None
        least = settings.prune_raw * max(rates.values(), default=0.0)
        for race in ([S for S in rates if rates[S] >= least], [S for S in rates if rates[S] < least]):
            climbed = self._climb(context, look, ranking.only([S for S in race if rates[S] > 0.0]))
            if not climbed:
                continue
            finalists = Finalists.of(context, look.ahead, look.winners, climbed)
            candidates = self._compared(context, finalists)
            if candidates:
                best = polished(finalists, ranked(candidates))
                found = at_home(context, *best) if ranking.finishing else best[1]
                return met(context, look, found) if self.coupled else found, ranking
        return met(context, look, []) if self.coupled else [], ranking

    def _rank(self, context: Context, look: FirstLook) -> Ranking:
        """Raw values of every bundle and of the coupled set, as far as it can be afforded at its best point."""
        menu = context.menu
        values = {S: where_payable(menu, S, look.raw, look.values(S)) for S in menu.bundles}
        paid, priced = {S: costs(menu, S, look.raw) for S in menu.bundles}, {}
        if self.coupled and len(context.request.problem.bundles) > 1:
            coupled = self._coupled_values(context, look, values)
            x = look.raw[int(coupled.argmax())]
            S = context.uncertain(x)
            if S and menu.affordable(S, x):
                values[menu.everything], paid[menu.everything] = coupled, costs(menu, S, look.raw)
                priced[menu.everything] = S
        return Ranking(look.raw, values, paid, priced)

    def _coupled_values(self, context: Context, look: FirstLook, values: dict[Set, Array]) -> Array:
        """Raw values of the coupled set; unless coupled_everywhere only where it is more than its best member. [q].

        Where it is not, or only one bundle is in doubt, a search for that bundle will find the point too. In many
        dimensions a raw candidate says little about its surroundings.
        """
        menu, settings = context.menu, context.settings.sets
        if settings.coupled_everywhere or settings.subsets == "paper" or not values:
            return look.values(menu.everything)
        uncertain = look.uncertain(settings.delta)
        needed = np.array([uncertain[list(bundle)].any(axis=0) for bundle in values])
        several = needed.sum(axis=0) > 1
        together = look.values(menu.everything, several)
        alone = np.max([values[bundle] / costs(menu, bundle, look.raw) for bundle in values], axis=0)
        whole = cost_of_needed(menu, list(values), needed, look.raw)
        return np.where(several & (together >= settings.synergy * alone * whole), together, 0.0)

    def _climb(self, context: Context, look: FirstLook, ranking: Ranking) -> list[Candidate]:
        """The two best local maxima of every set, as far as they are close to the best and no more than one a peak."""
        settings = context.settings.climb
        search = SetSearch(look.narrow(), context.menu, settings, Scales.of(context))
        paper = context.settings.sets.subsets == "paper"  # where the reduced set keeps the value of all functions

        def revalue(candidate: Candidate, S: Set) -> Candidate:
            kept = replace(candidate, S=S, cost=context.menu.cost(S, candidate.x))
            return kept if paper else search.valued(candidate, S)

        climbed = [end for ends in search.climb(ranking, settings.second) for end in ends[: settings.peaks]]
        found = [reduced(context, each, revalue) for each in [*climbed, *search.paid(ranking)]]
        best = distinct_maxima(ranked(found), settings)[: settings.finalists]
        return [each for each in best if each.value_per_cost >= settings.prune_finalists * best[0].value_per_cost]

    def _compared(self, context: Context, finalists: Finalists) -> list[Candidate]:
        """Finalists that can be evaluated, with other sets at their points, as far as they have any value."""
        found = evaluable(context.menu, finalists.candidates, finalists.reset, finalists.nearest_evaluable)
        if found and self.coupled and context.settings.sets.subsets == "search":
            found += [finalists.revalue(each) for each in other_sets(context, finalists.criterion, found)]
        return [candidate for candidate in found if candidate.value > nothing(context)]


@dataclass(frozen=True)
class CoupledKG(Method):
    """cKG: every function at the maximum of the coupled Knowledge Gradient."""

    def least_cost(self, problem: Problem) -> float:
        return problem.cost(problem.functions)

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        menu, x_r, everything = context.menu, context.optimum.x, context.menu.everything
        look = FirstLook(context, points(context))
        paid = 1.0 if menu.prices is None else costs(menu, everything, look.raw)
        ranking = Ranking(look.raw, {everything: look.values(everything)}, {everything: paid})
        search = SetSearch(look.narrow(), menu, context.settings.climb, Scales.of(context))
        climbed = search.climb(ranking, context.settings.climb.second)[0][: context.settings.climb.peaks]
        climbed += search.paid(ranking)
        finalists = Finalists.of(context, look.ahead, look.winners, climbed)
        worth = [c for c in finalists.candidates if c.value > nothing(context) and menu.evaluable(c.x, c.S)]
        if worth:
            return proposal(context, best_candidate(worth), "all functions: coupled Knowledge Gradient", x_r)
        candidate, why = fallback(context)
        return proposal(context, menu.candidate(candidate.x, everything), why, x_r)
