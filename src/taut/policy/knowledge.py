"""Knowledge Gradient methods: dcKG (single functions and the coupled set compete per cost), its ablation, and cKG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from taut.acquisition.inner import around, inner_set
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.maximise import AscentOptions, ascend
from taut.acquisition.refine import moved_maxima
from taut.acquisition.scenarios import Rule
from taut.arrays import Array, Ints
from taut.data import Proposal, Request
from taut.policy.base import Bench, Choice, Recommender
from taut.quasirandom import sobol

NOTHING = 1e-12  # relative to the objective's scale: a smaller value counts as none
FINAL = 0.2  # optimised sets below this share of the best are not valued precisely
RACE = 0.02  # sets whose best raw rate is below this share of the best are not searched further
Valuation = Callable[[tuple[int, ...]], Choice]
ENUMERATE = 5  # with at most this many units all sets of them are compared at the finalists


class Search:
    """Value of sets of functions over the cube: raw candidates, ascents, finalists on a refined inner set."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.settings = bench, bench.settings
        settings, anchor, rng = bench.settings, bench.anchor, bench.rng
        self.rule = Rule(settings.tails, settings.quantiles, settings.vectors, settings.exact)
        places = bench.places
        if len(places):
            places = places[np.argsort(-bench.land.log_gain(places), kind="stable")]
        promising = bench.promising(8, 20).x[:8]
        points = inner_set(anchor, np.vstack([promising, places[:20]]), settings.inner, rng)
        self.ahead = LookAhead(bench.drawn, bench.bounds, bench.land.M, points, self.rule, bench.seed)
        local = around(anchor, settings.raw // 3, rng)
        spread = sobol(settings.raw - len(local), len(anchor.x), rng)
        self.raw = np.vstack([anchor.x[None, :], anchor.maxima[1:6], promising, local, spread])
        self.at_raw = self.ahead.candidates(self.raw)
        self.nothing = NOTHING * bench.surrogate.processes[0].scale

    def live(self, S: tuple[int, ...]) -> tuple[int, ...]:
        """S without constraints that hold for certain everywhere: they change nothing but the time it takes."""
        return tuple(k for k in S if k == 0 or self._doubtful(k))

    def _doubtful(self, k: int) -> bool:
        sure = np.log1p(-1e-12)
        return bool(self.ahead.log_pf[k - 1].min() < sure or self.at_raw.log_pf[k - 1].min() < sure)

    def raw_values(self, S: tuple[int, ...]) -> Array:
        live = self.live(S)
        return self.ahead.value(live, self.at_raw) if live else np.zeros(len(self.raw))

    def optimise(self, S: tuple[int, ...], raw: Array) -> list[Choice]:
        """Local maxima of KG^S from the best raw candidates, best first."""
        live = self.live(S)

        def score(x: Array, rows: Ints) -> tuple[Array, Array]:
            value, gradient = self.ahead.value_slopes(live, self.ahead.candidates(x))
            value = np.maximum(value, 1e-300)
            return np.log(value), gradient / value[:, None]

        order = np.argsort(-raw, kind="stable")
        starts = self._starts(order[raw[order] > 0.0])
        if not len(starts):
            return []
        found = ascend(score, self.raw[starts], AscentOptions(iterations=12, tolerance=1e-3), self._metric(starts))
        cost = self.bench.cost(S)
        choices = [Choice(x, S, float(np.exp(v)), cost) for x, v in zip(found.x, found.value, strict=True)]
        return sorted(choices, key=lambda choice: -choice.value)

    def _starts(self, order: Ints) -> Ints:
        """The best raw candidates that are not next to a better one, relative to the ellipsoid near x_r."""
        chosen: list[int] = []
        for i in order:
            if len(chosen) == self.settings.starts:
                break
            if all(not self._close(self.raw[i], self.raw[j]) for j in chosen):
                chosen.append(int(i))
        return np.array(chosen, dtype=np.intp)

    def _close(self, x: Array, y: Array) -> bool:
        step = x - y
        return bool(np.abs(step).max() < 0.05 and step @ self._inverse @ step < 0.25)

    @property
    def _inverse(self) -> Array:
        if not hasattr(self, "_inverse_metric"):
            self._inverse_metric = np.linalg.inv(self.bench.anchor.metric)
        return self._inverse_metric

    def _metric(self, starts: Ints) -> Array:
        step = self.raw[starts] - self.bench.anchor.x
        near = np.einsum("qi,ij,qj->q", step, self._inverse, step) < 25.0
        return np.where(near[:, None, None], self.bench.anchor.metric, 0.01 * np.eye(self.raw.shape[1]))

    def sharpen(self, choices: list[Choice]) -> list[Choice]:
        """Re-value choices on an inner set that holds the moved maxima of all of them."""
        extra = [moved_maxima(self.ahead, self.live(c.S), c.x[None, :], self.bench.anchor) for c in choices]
        finer = replace(self.rule, vectors=4 * self.rule.vectors) if self.rule.exact else self.rule
        self.sharp = self.ahead.extended(np.vstack([*extra, self.raw[:0]]), finer)
        return [self.revalue(choice) for choice in choices]

    def revalue(self, choice: Choice) -> Choice:
        """The same point and set valued on the refined inner set."""
        value = float(self.sharp.value(self.live(choice.S), self.sharp.candidates(choice.x[None, :]), refine=3)[0])
        return Choice(choice.x, choice.S, value, choice.cost)


@dataclass(frozen=True)
class DecoupledKG(Recommender):
    """dcKG: the set and the point with the largest Knowledge Gradient per cost.

    coupled: whether the filtered set of all functions competes with the single ones (the ablation leaves it out).
    """

    coupled: bool = True

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        bench = Bench(request, self.settings, rng)
        search = Search(bench)
        choices = self._choices(bench, search)
        if not choices:
            choice, why = bench.fallback()
            return bench.proposal(choice, why)
        best = _winner(choices)
        if self.settings.instalments and len(best.S) > 1:
            part, why = _instalment(bench, best)
            return bench.proposal(part, why, [other for other in choices if other.S != best.S])
        kind = "single evaluation" if len(best.S) == 1 else "coupled evaluation"
        return bench.proposal(best, f"{bench.label(best.S)}: {kind}", choices)

    def _choices(self, bench: Bench, search: Search) -> list[Choice]:
        """Admissible choices of measurable value: from the sets in the race, and if there is none, from the others."""
        rates, raws = self._rates(bench, search)
        best = max(rates.values(), default=0.0)
        for heat in ([S for S in rates if rates[S] >= RACE * best], [S for S in rates if rates[S] < RACE * best]):
            finalists = [c for S in heat if rates[S] > 0.0 for c in self._optimised(bench, search, S, raws[S])]
            top = max((c.rate for c in finalists), default=0.0)
            finalists = [c for c in finalists if c.rate >= FINAL * top]
            choices = _admissible(bench, search.sharpen(finalists), search) if finalists else []
            if choices and self.coupled and self.settings.subsets == "search":
                choices += _subsets(bench, search, choices)
            choices = [choice for choice in choices if choice.value > search.nothing]
            if choices:
                return choices
        return []

    def _rates(self, bench: Bench, search: Search) -> tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], Array]]:
        """Best raw value per cost of every set that can be afforded there, and all raw values."""
        sets = list(bench.units)
        everything = tuple(range(len(bench.names)))
        if self.coupled and len(bench.problem.units) > 1:
            sets.append(everything)
        raws = {S: search.raw_values(S) for S in sets}
        rates = {}
        for S in sets:
            x = search.raw[int(raws[S].argmax())]
            if S != everything or bench.affordable(bench.uncertain(x)):
                rates[S] = float(raws[S].max()) / self._cost(bench, S, x)
        return rates, raws

    def _optimised(self, bench: Bench, search: Search, S: tuple[int, ...], raw: Array) -> list[Choice]:
        """The two best local maxima of a set; the coupled one reduced to what is uncertain there."""
        found = search.optimise(S, raw)[:2]
        return [self._filtered(bench, c) if len(S) == len(bench.names) and len(bench.units) > 1 else c for c in found]

    def _cost(self, bench: Bench, S: tuple[int, ...], x: Array) -> float:
        if len(S) < len(bench.names) or self.settings.divisor == "total":
            return bench.cost(S)
        return bench.cost(bench.uncertain(x))

    def _filtered(self, bench: Bench, choice: Choice) -> Choice:
        """The coupled set without constraints that are certain at the point; its value is that of all functions."""
        S = bench.uncertain(choice.x)
        cost = bench.cost(S) if self.settings.divisor == "filtered" else bench.cost(choice.S)
        return Choice(choice.x, S, choice.value, cost)


def _winner(choices: list[Choice]) -> Choice:
    """Highest rate; ties go to the lowest function position, and a larger set must be strictly better."""
    return max(choices, key=lambda c: (c.rate, -len(c.S), -c.S[0]))


def _admissible(bench: Bench, choices: list[Choice], search: Search) -> list[Choice]:
    """Choices that can be afforded and bring something new; a known member is dropped and the rest valued again."""
    result = []
    for choice in choices:
        S = bench.admissible(choice.x, choice.S)
        if not S or not bench.affordable(S):
            continue
        result.append(choice if S == choice.S else search.revalue(Choice(choice.x, S, 0.0, bench.cost(S))))
    return result


def _subsets(bench: Bench, search: Search, choices: list[Choice]) -> list[Choice]:
    """Any set of units at the finalists: all of them if few, else pairs with the objective, forward and backward."""
    found: dict[tuple[int, ...], Choice] = {}
    for x in _distinct_points(choices):
        for choice in _sets_at(bench, search, x):
            if choice.S not in found or choice.rate > found[choice.S].rate:
                found[choice.S] = choice
    known = {choice.S for choice in choices}
    fresh = sorted((c for c in found.values() if c.S not in known), key=lambda c: -c.rate)
    best = max((c.rate for c in choices), default=0.0)
    return [_reoptimised(bench, search, c) for c in fresh[:3] if c.rate > 0.5 * best]


def _distinct_points(choices: list[Choice]) -> list[Array]:
    ranked = sorted(choices, key=lambda c: -c.rate)
    points: list[Array] = []
    for choice in ranked:
        if len(points) < 3 and all(np.abs(choice.x - p).max() > 1e-9 for p in points):
            points.append(choice.x)
    return points


def _sets_at(bench: Bench, search: Search, x: Array) -> list[Choice]:
    """Sets of units worth comparing at x, valued with common scenarios."""
    at = search.sharp.candidates(x[None, :])

    def value(S: tuple[int, ...]) -> Choice:
        live = search.live(S)
        worth = float(search.sharp.value(live, at)[0]) if live else 0.0
        return Choice(x, S, worth, bench.cost(S))

    units = [S for S in bench.units if bench.admissible(x, S) and search.live(S)]
    if len(units) <= ENUMERATE:
        sets = [
            tuple(sorted(k for unit in group for k in unit))
            for size in range(2, len(units) + 1)
            for group in combinations(units, size)
        ]
        return [value(S) for S in sets if bench.affordable(S)]
    return _greedy(bench, units, value)


def _greedy(bench: Bench, units: list[tuple[int, ...]], value: Valuation) -> list[Choice]:
    """Pairs with the objective, then forward from the best pair and backward from everything, while the rate rises."""
    objective = next((unit for unit in units if 0 in unit), None)
    pairs = [] if objective is None else [objective + unit for unit in units if unit != objective]
    seen = [value(tuple(sorted(S))) for S in pairs]
    full = tuple(sorted(k for unit in units for k in unit))
    starts = [(full, False)] + ([(max(seen, key=lambda c: c.rate).S, True)] if seen else [])
    for S, forward in starts:
        current = value(S)
        while True:
            seen.append(current)
            if forward:
                steps = [tuple(sorted(S + u)) for u in units if not set(u) & set(S)]
            else:
                steps = [tuple(k for k in S if k not in u) for u in units if set(u) <= set(S) and len(u) < len(S)]
            options = [value(step) for step in steps]
            best = max(options, key=lambda c: c.rate, default=None)
            if best is None or best.rate <= current.rate:
                break
            current, S = best, best.S
    return [choice for choice in seen if bench.affordable(choice.S)]


def _reoptimised(bench: Bench, search: Search, choice: Choice) -> Choice:
    """One ascent for a set found at somebody else's point."""
    live = search.live(choice.S)

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        value, gradient = search.sharp.value_slopes(live, search.sharp.candidates(x))
        value = np.maximum(value, 1e-300)
        return np.log(value), gradient / value[:, None]

    found = ascend(score, choice.x[None, :], AscentOptions(iterations=8, tolerance=1e-3, radius=0.01))
    moved = search.revalue(Choice(found.x[0], choice.S, 0.0, choice.cost))
    here = search.revalue(choice)
    better = moved if moved.value > here.value else here
    return better if bench.admissible(better.x, better.S) == better.S else here


def _instalment(bench: Bench, choice: Choice) -> tuple[Choice, str]:
    """The unit of a coupled choice to buy first: the most likely to spoil the point, per cost.

    A constraint spoils it by being violated, the objective by falling short of the recommendation's value.
    """
    x = choice.x
    spoil = 1.0 - np.concatenate([[_surpasses(bench, x)], bench.feasibilities(x)])
    parts = [unit for unit in bench.units if set(unit) <= set(choice.S)]
    best = max(parts, key=lambda unit: (1.0 - np.prod(1.0 - spoil[list(unit)])) / bench.cost(unit))
    share = Choice(x, best, choice.value * bench.cost(best) / choice.cost, bench.cost(best))
    return share, f"{bench.label(best)}: first instalment of {bench.label(choice.S)}"


def _surpasses(bench: Bench, x: Array) -> float:
    """P(f(x) > mu_0(x_r)), Student-t."""
    from taut.acquisition.normal import student_cdf

    gp = bench.believed[0]
    here, there = gp.at(x[None, :]), gp.at(bench.anchor.x[None, :])
    score = (here.mean[0] - there.mean[0]) / np.sqrt(here.var)
    return float(student_cdf(score, gp.hyper.nu)[0])


@dataclass(frozen=True)
class CoupledKG(Recommender):
    """cKG: every function at the maximum of the coupled Knowledge Gradient."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        bench = Bench(request, self.settings, rng)
        everything = tuple(range(len(bench.names)))
        search = Search(bench)
        found = search.optimise(everything, search.raw_values(everything))[:2]
        options = [c for c in search.sharpen(found) if c.value > search.nothing and bench.admissible(c.x, c.S)]
        if options:
            best = _winner(options)
            return bench.proposal(best, "all functions: coupled Knowledge Gradient")
        choice, why = bench.fallback()
        return bench.proposal(Choice(choice.x, everything, 0.0, bench.cost(everything)), why)
