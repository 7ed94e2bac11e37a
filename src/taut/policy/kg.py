"""Knowledge Gradient methods: dcKG (single functions and the coupled set compete per cost), its ablation, and cKG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import student_cdf
from taut.data.dataset import Proposal, Request
from taut.policy.context import Candidate, Decision, Method, best_candidate
from taut.policy.search.sets import FEW, Search
from taut.policy.search.subsets import other_sets
from taut.problem.problem import Problem

FINALISTS = 5  # choices that are valued precisely
POLISHED = 3  # sets whose best ones are climbed once more
ROUNDS = (3, 2, 1, 1)  # in many dimensions: sets whose best ones are climbed in each round
JUMPS = 2  # rounds that begin with a jump
FINAL = 0.4  # optimised sets below this share of the best are not valued precisely
CLOSE = 0.9  # of the best rate: what a last climb in few dimensions might still make the best
CONTENDER = 0.7  # of the best rate: what a last climb might still make the best
PAIR = 0.8  # of the best of the same set: another maximum below this is not valued precisely
PEAK = 0.03  # unit cube, max-norm: ends of ascents this close and of the same value are one maximum
SYNERGY = 0.7  # of its best member's rate at the same place: what makes the coupled set worth a search of its own
RACE = 0.02  # sets whose best raw rate is below this share of the best are not searched further;
RACE_FEW = 0.3  # in few dimensions raw candidates miss less


@dataclass(frozen=True)
class DecoupledKG(Method):
    """dcKG: the set and the point with the largest Knowledge Gradient per cost.

    coupled: whether the filtered set of all functions competes with the single ones (the ablation leaves it out).
    """

    coupled: bool = True

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        search = Search(decision)
        choices = self._choices(decision, search)
        if not choices:
            choice, why = decision.fallback()
            if self.settings.pure and not self.coupled:
                choice = _in_turn(decision, choice)
            return decision.proposal(choice, why)
        best = best_candidate(choices)
        if self.settings.instalments and len(best.S) > 1:
            part, why = _instalment(decision, best)
            return decision.proposal(part, why, [other for other in choices if other.S != best.S], best)
        kind = "single evaluation" if len(best.S) == 1 else "coupled evaluation"
        return decision.proposal(best, f"{decision.label(best.S)}: {kind}", choices)

    def _choices(self, decision: Decision, search: Search) -> list[Candidate]:
        """Admissible choices of measurable value: from the sets in the race, and if there is none, from the others."""
        rates, raws = self._rates(decision, search)
        least = (RACE_FEW if decision.dataset.dimension <= FEW else RACE) * max(rates.values(), default=0.0)
        for heat in ([S for S in rates if rates[S] >= least], [S for S in rates if rates[S] < least]):
            finalists = self._finalists(decision, search, [S for S in heat if rates[S] > 0.0], rates, raws)
            choices = _evaluable(decision, search.refine_finalists(finalists), search) if finalists else []
            if choices and self.coupled and self.settings.subsets == "search":
                choices += other_sets(decision, search, choices)
            choices = [choice for choice in choices if choice.value > search.nothing]
            if choices:
                return self._polished(decision, search, sorted(choices, key=lambda choice: -choice.value_per_cost))
        return []

    def _polished(self, decision: Decision, search: Search, choices: list[Candidate]) -> list[Candidate]:
        """The best choices climbed on; in many dimensions the inner set has to follow them.

        There the best of different sets race: one that was compared only where others are best has most to gain.
        """
        if decision.dataset.dimension <= FEW:
            best, rest = _of_different_sets(choices, POLISHED, CLOSE)
            return search.polish(best) + rest
        for done, count in enumerate(ROUNDS):
            best, rest = _of_different_sets(choices, count, CONTENDER)
            choices = sorted(
                search.polish_with_refined_set(best, jump=done < JUMPS) + rest,
                key=lambda choice: -choice.value_per_cost,
            )
        return choices

    def _finalists(
        self,
        decision: Decision,
        search: Search,
        sets: list[tuple[int, ...]],
        rates: dict[tuple[int, ...], float],
        raws: dict[tuple[int, ...], Array],
    ) -> list[Candidate]:
        """The two best local maxima of every set, as far as they are close to the best and no more than one a peak."""
        costs = [float(raws[S].max()) / rates[S] for S in sets]
        climbed = search.optimise(sets, [raws[S] for S in sets], costs)
        found = [self._reduced(decision, search, choice) for choices in climbed for choice in choices[:2]]
        found = distinct_maxima(sorted(found, key=lambda choice: -choice.value_per_cost))
        return [choice for choice in found[:FINALISTS] if choice.value_per_cost >= FINAL * found[0].value_per_cost]

    def _rates(
        self, decision: Decision, search: Search
    ) -> tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], Array]]:
        """Best raw value per cost of every set that can be afforded there, and all raw values."""
        sets = list(decision.bundles)
        everything = tuple(range(len(decision.names)))
        raws = {S: search.raw_values(S) for S in sets}
        if self.coupled and len(decision.problem.bundles) > 1:
            raws[everything] = self._coupled_raw(decision, search, raws, everything)
        rates = {}
        for S in raws:
            x = search.raw[int(raws[S].argmax())]
            if S != everything or decision.affordable(decision.uncertain(x)):
                rates[S] = float(raws[S].max()) / self._cost(decision, S, x)
        return rates, raws

    def _coupled_raw(
        self, decision: Decision, search: Search, raws: dict[tuple[int, ...], Array], everything: tuple[int, ...]
    ) -> Array:
        """Raw values of the coupled set; in few dimensions only where it is more than its best member. [q].

        Where it is not, or only one bundle is in doubt, a search for that bundle will find the place too. In many
        dimensions a raw candidate says little about its surroundings.
        """
        if decision.dataset.dimension > FEW or self.settings.subsets == "paper" or not raws:
            return search.raw_values(everything)
        uncertain = search.raw_uncertain(self.settings.delta)
        needed = np.array([uncertain[list(bundle)].any(axis=0) for bundle in raws])
        several = needed.sum(axis=0) > 1
        values = search.raw_values(everything, several)
        costs = np.array([decision.cost(bundle) for bundle in raws])
        alone = np.max([raws[bundle] / cost for bundle, cost in zip(raws, costs, strict=True)], axis=0)
        more = several & (values >= SYNERGY * alone * (costs @ needed))
        return np.where(more, values, 0.0)

    def _reduced(self, decision: Decision, search: Search, choice: Candidate) -> Candidate:
        """The coupled set reduced to what is uncertain at its point; any other set as it is.

        What is left out may have had a value, for other places: what is left counts by its own.
        """
        if len(choice.S) < len(decision.names) or len(decision.bundles) == 1:
            return choice
        reduced = self._filtered(decision, choice)
        if self.settings.subsets == "paper" or reduced.S == choice.S:
            return reduced
        return search.estimate(reduced)

    def _cost(self, decision: Decision, S: tuple[int, ...], x: Array) -> float:
        if len(S) < len(decision.names) or self.settings.divisor == "total":
            return decision.cost(S)
        return decision.cost(decision.uncertain(x))

    def _filtered(self, decision: Decision, choice: Candidate) -> Candidate:
        """The coupled set without constraints that are certain at the point; its value is that of all functions."""
        S = decision.uncertain(choice.x)
        cost = decision.cost(S) if self.settings.divisor == "filtered" else decision.cost(choice.S)
        return Candidate(choice.x, S, choice.value, cost)


def distinct_maxima(choices: list[Candidate]) -> list[Candidate]:
    """The choices without those next to a better one of the same set, or far below it; best first."""
    kept: list[Candidate] = []
    for choice in choices:
        if not any(choice.S == other.S and _behind(choice, other) for other in kept):
            kept.append(choice)
    return kept


def _behind(choice: Candidate, other: Candidate) -> bool:
    """Is this the same maximum as a better one of its set, or so much lower that a precise value will not help it?"""
    near = choice.value >= 0.9 * other.value and float(np.abs(choice.x - other.x).max()) < PEAK
    return near or choice.value < PAIR * other.value


def _of_different_sets(choices: list[Candidate], count: int, share: float) -> tuple[list[Candidate], list[Candidate]]:
    """The best choice of each of the `count` best sets within a share of the best, and the rest; best first."""
    found: dict[tuple[int, ...], Candidate] = {}
    for choice in choices:
        if choice.value_per_cost >= share * choices[0].value_per_cost:
            found.setdefault(choice.S, choice)
    best = list(found.values())[:count]
    return best, [choice for choice in choices if all(choice is not other for other in best)]


def _in_turn(decision: Decision, choice: Candidate) -> Candidate:
    """One bundle of a fallback: the bundles take turns with the number of values known, known ones are skipped."""
    turn = sum(len(y) for y in decision.dataset.y) % len(decision.bundles)
    rotated = decision.bundles[turn:] + decision.bundles[:turn]
    S = next((bundle for bundle in rotated if decision.evaluable(choice.x, bundle)), None)
    return decision.most_uncertain() if S is None else Candidate(choice.x, S, 0.0, decision.cost(S))


def _evaluable(decision: Decision, choices: list[Candidate], search: Search) -> list[Candidate]:
    """Choices that can be afforded and bring something new; a known member is dropped and the rest valued again.

    Late in a study the best place is often next to a known one, which then has to do: the best of those beside it.
    """
    result = []
    for choice in choices:
        S = decision.evaluable(choice.x, choice.S)
        if not S:
            result += search.nearest_evaluable(choice)
        elif decision.affordable(S):
            result.append(choice if S == choice.S else search.revalue(Candidate(choice.x, S, 0.0, decision.cost(S))))
    return [choice for choice in result if decision.affordable(choice.S)]


def _instalment(decision: Decision, choice: Candidate) -> tuple[Candidate, str]:
    """The bundle of a coupled choice to buy first: the most likely to spoil the point, per cost.

    A constraint spoils it by being violated, the objective by falling short of the recommendation's value.
    """
    x = choice.x
    spoil = 1.0 - np.concatenate([[_surpasses(decision, x)], decision.feasibilities(x)])
    parts = [bundle for bundle in decision.bundles if set(bundle) <= set(choice.S)]
    best = max(parts, key=lambda bundle: (1.0 - np.prod(1.0 - spoil[list(bundle)])) / decision.cost(bundle))
    share = Candidate(x, best, choice.value * decision.cost(best) / choice.cost, decision.cost(best))
    return share, f"{decision.label(best)}: first instalment of {decision.label(choice.S)}"


def _surpasses(decision: Decision, x: Array) -> float:
    """P(f(x) > mu_0(x_r)), Student-t."""
    gp = decision.posteriors[0]
    here, there = gp.posterior(x[None, :]), gp.posterior(decision.optimum.x[None, :])
    score = (here.mean[0] - there.mean[0]) / np.sqrt(here.var)
    return float(student_cdf(score, gp.hyper.nu)[0])


@dataclass(frozen=True)
class CoupledKG(Method):
    """cKG: every function at the maximum of the coupled Knowledge Gradient."""

    def least_cost(self, problem: Problem) -> float:
        return problem.cost(problem.functions)

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        everything = tuple(range(len(decision.names)))
        search = Search(decision)
        found = search.optimise([everything], [search.raw_values(everything)], [1.0])[0][:2]
        options = [
            c for c in search.refine_finalists(found) if c.value > search.nothing and decision.evaluable(c.x, c.S)
        ]
        if options:
            best = best_candidate(options)
            return decision.proposal(best, "all functions: coupled Knowledge Gradient")
        choice, why = decision.fallback()
        return decision.proposal(Candidate(choice.x, everything, 0.0, decision.cost(everything)), why)
