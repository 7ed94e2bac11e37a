"""The search all methods share that choose a set of functions and a point: value of sets over the cube, per cost.

A method brings a criterion; raw candidates are ranked for every set, the best sets are climbed together, one call for
all of them, and what cannot be evaluated is dropped. KG, PESC and CMES are three criteria.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.base.ascend import AscentOptions, Score
from taut.base.distinct import apart
from taut.policy.context import Context
from taut.policy.menu import Candidate, Menu, Set
from taut.policy.search.optimum import Optimum
from taut.policy.search.pricing import LogPrice, cheaper_here, costs, log_price
from taut.policy.settings import ClimbSettings

Groups = Sequence[tuple[Set, Ints]]
"""Sets with the rows of points that they are for."""


class SetCriterion(Protocol):
    """What evaluating a set of functions at a point is worth; never negative."""

    def at(self, x: Array) -> Any:
        """What the values of all sets at x [q, d] are made of."""

    def value(self, at: Any, S: Set) -> Array:
        """Value of the set S; [q]."""

    def values_with_gradient(self, x: Array, groups: Groups) -> tuple[Array, Array]:
        """Value [q] of each row's set at x [q, d], and its gradient [q, d]."""


@dataclass(frozen=True)
class Ranking:
    """Values of sets at raw candidates x [q, d], by set [q], and the costs by which the sets are compared.

    costs: one number for a set, or at each candidate [q]; priced: what is paid for instead of a set, where it differs.
    finishing: whether those far from the recommendation were left out.
    """

    x: Array
    values: Mapping[Set, Array]
    costs: Mapping[Set, float | Array]
    priced: Mapping[Set, Set] = field(default_factory=dict)
    finishing: bool = False

    def rates(self, S: Set) -> Array:
        """Values per cost, up to a factor; [q]."""
        cost = self.costs[S]
        return self.values[S] if isinstance(cost, float) else self.values[S] / cost

    def cost(self, S: Set, i: int) -> float:
        """At candidate i."""
        cost = self.costs[S]
        return cost if isinstance(cost, float) else float(cost[i])

    def per_cost(self, S: Set, values: Array, where: Flags) -> float:
        """The largest of these values [q] of S per cost, at some of the candidates [q]."""
        cost = self.costs[S]
        if isinstance(cost, float):
            return float(values[where].max()) / cost
        return float((values[where] / cost[where]).max())

    def best(self, S: Set) -> float:
        """Best value per cost."""
        i = int(self.rates(S).argmax())
        return float(self.values[S][i]) / self.cost(S, i)

    def leaders(self) -> list[Candidate]:
        """The best raw candidate of every set that has any value, with the cost by which it was compared."""
        found = {S: int(self.rates(S).argmax()) for S, value in self.values.items() if float(value.max()) > 0.0}
        return [Candidate(self.x[i], S, float(self.values[S][i]), self.cost(S, i)) for S, i in found.items()]

    def only(self, sets: Sequence[Set]) -> Ranking:
        return replace(self, values={S: self.values[S] for S in sets}, costs={S: self.costs[S] for S in sets})


@dataclass(frozen=True)
class SetSearch:
    """Ascents of a criterion. scales: of G at x_r, by which starts are told apart and ascents begin."""

    criterion: SetCriterion
    menu: Menu
    settings: ClimbSettings
    scales: Scales

    def climb(self, ranking: Ranking, options: AscentOptions) -> list[list[Candidate]]:
        """Local maxima of every set of a ranking, best first.

        An ascent from the best raw candidates. With cross_seed a short one comes before it, after which all ends are
        valued for all sets, because a good point for one is often a good point for another.
        """
        sets = list(ranking.values)
        rank = np.argsort(np.argsort([-ranking.best(S) for S in sets], kind="stable"), kind="stable")
        counts = [self.settings.starts if place < self.settings.leaders else 1 for place in rank]
        starts = [self._starts(ranking, S, count) for S, count in zip(sets, counts, strict=True)]
        costs = [ranking.cost(S, 0) for S in sets]
        priced = [ranking.priced.get(S, S) for S in sets]
        if self.settings.cross_seed and any(len(part) for part in starts):
            ends = self.ascend(sets, starts, costs, self.settings.first, priced)
            starts = self._cross_seeded(sets, ends, costs, priced)
        return self.ascend(sets, starts, costs, options, priced)

    def paid(self, ranking: Ranking) -> list[Candidate]:
        """The best raw candidates of every set where a setup is paid already: right there, an ascent would leave it."""
        found: list[Candidate] = []
        for S in ranking.values if self.menu.prices is not None else ():
            rates = np.where(cheaper_here(self.menu, S, ranking.x), ranking.rates(S), 0.0)
            best = [i for i in np.argsort(-rates, kind="stable")[: self.settings.peaks] if rates[i] > 0.0]
            found += [self.menu.candidate(ranking.x[i], S, float(ranking.values[S][i])) for i in best]
        return found

    def _starts(self, ranking: Ranking, S: Set, count: int) -> Array:
        """The best raw candidates with any value that are not next to a better one; [p, d]."""
        value = ranking.rates(S)
        return ranking.x[apart(ranking.x, np.where(value > 0.0, value, -np.inf), count, self.scales.close)]

    def ascend(
        self,
        sets: Sequence[Set],
        starts: Sequence[Array],
        costs: Sequence[float],
        options: AscentOptions,
        priced: Sequence[Set] | None = None,
    ) -> list[list[Candidate]]:
        """Ascents of all sets from their starts [p, d], together; the ends of each set, best first.

        priced: the set that is paid for in place of each; where costs depend on the point, in place of costs.
        """
        result: list[list[Candidate]] = [[] for _ in sets]
        which = np.repeat(np.arange(len(sets)), [len(part) for part in starts])
        if not len(which):
            return result
        x = np.vstack([part for part in starts if len(part)])
        log_cost = np.log(np.asarray(costs, dtype=float) / max(costs))[which]  # a common factor must not even round
        price = log_price(self.menu, priced or sets)
        if price is not None:
            log_cost = np.zeros(len(which))
        score = log_value_per_cost(self.criterion, sets, which, log_cost, price)
        found = self.menu.domain.ascend(score, x, options, self.scales.guess(x), which)
        if price is not None:
            log_cost = price(found.x, which)[0]
        for i in np.argsort(-found.value, kind="stable"):
            S = sets[which[i]]
            value = float(np.exp(found.value[i] + log_cost[i]))
            result[which[i]].append(replace(self.menu.candidate(found.x[i], S, value), metric=found.metric[i]))
        return result

    def _cross_seeded(
        self, sets: Sequence[Set], ends: list[list[Candidate]], given: Sequence[float], priced: Sequence[Set]
    ) -> list[Array]:
        """The best points for every set among all ends, not next to each other; none for sets far behind."""
        points = np.array([end.x for of_set in ends for end in of_set[: self.settings.seeds]])
        at = self.criterion.at(points)
        paid: Sequence[float | Array] = given
        if self.menu.prices is not None:
            paid = [costs(self.menu, S, points) for S in priced]
        values = [self.criterion.value(at, S) / cost for S, cost in zip(sets, paid, strict=True)]
        least = self.settings.seed_share * max(float(value.max()) for value in values)
        orders = [apart(points, value, self.settings.seeds, self.scales.close) for value in values]
        return [points[order[value[order] > least]] for value, order in zip(values, orders, strict=True)]

    def valued(self, candidate: Candidate, S: Set) -> Candidate:
        """The set S at the candidate's point."""
        value = float(self.criterion.value(self.criterion.at(candidate.x[None, :]), S)[0])
        return replace(candidate, S=S, value=value, cost=self.menu.cost(S, candidate.x))


def log_value_per_cost(
    criterion: SetCriterion, sets: Sequence[Set], which: Ints, log_cost: Array, price: LogPrice | None = None
) -> Score:
    """log value of each row's set minus its log cost, with gradient, for an ascent; which, log_cost: [rows].

    price: what is added to log_cost where it depends on the point.
    """

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        mine = which[rows]
        value, gradient = criterion.values_with_gradient(x, [(sets[i], part) for i, part in _groups(mine)])
        value = np.maximum(value, 1e-300)
        with np.errstate(over="ignore"):  # where nothing is worth anything; ascents leave that out
            height, slope = np.log(value) - log_cost[rows], gradient / value[:, None]
        if price is not None:
            more, rise = price(x, mine)
            return height - more, slope - rise
        return height, slope

    return score


def _groups(kinds: Ints) -> list[tuple[int, Ints]]:
    """The kinds there are [q], in order, each with its rows; np.unique takes longer than all the rest."""
    different = sorted(set(kinds.tolist()))
    if len(different) == 1:
        return [(different[0], np.arange(len(kinds)))]
    return [(kind, (kinds == kind).nonzero()[0]) for kind in different]


@dataclass(frozen=True)
class Scales:
    """The lengths on which values change: the ellipsoid of G near x_r, a share of the cube elsewhere."""

    optimum: Optimum
    inverse: Array
    settings: ClimbSettings

    @staticmethod
    def of(context: Context) -> Scales:
        return Scales(context.optimum, np.linalg.inv(context.optimum.metric), context.settings.climb)

    def close(self, step: Array) -> Flags:
        """Are points with these differences next to each other? step: [d, ...]."""
        radius = np.einsum("i...,ij,j...->...", step, self.inverse, step)
        close: Flags = (np.abs(step).max(axis=0) < self.settings.apart) & (radius < self.settings.apart_radius**2)
        return close

    def guess(self, x: Array) -> Array:
        """A first guess of the inverse Hessian at each start [p, d]; [p, d, d]."""
        step = x - self.optimum.x
        near = np.einsum("qi,ij,qj->q", step, self.inverse, step) < self.settings.near_radius**2
        return np.where(near[:, None, None], self.optimum.metric, self.settings.far_square * np.eye(x.shape[1]))


Revalue = Callable[[Candidate, Set], Candidate]


def evaluable(
    menu: Menu,
    candidates: Sequence[Candidate],
    revalue: Revalue,
    beside: Callable[[Candidate], list[Candidate]] | None = None,
) -> list[Candidate]:
    """Candidates that can be afforded and bring something new; a known member is dropped and the rest valued again.

    beside: what to take where nothing at a point is new. Late in a study the best point is often next to a known one.
    """
    result: list[Candidate] = []
    for candidate in candidates:
        S = menu.evaluable(candidate.x, candidate.S)
        if not S:
            result += [] if beside is None else beside(candidate)
        elif menu.affordable(S, candidate.x):
            result.append(candidate if S == candidate.S else revalue(candidate, S))
    return [candidate for candidate in result if menu.affordable(candidate.S, candidate.x)]


def reduced(context: Context, candidate: Candidate, revalue: Revalue) -> Candidate:
    """The coupled set without constraints that are certain at its point; any other set as it is.

    What is left out may have had a value, for other points: what is left counts by its own.
    """
    if candidate.S != context.menu.everything or len(context.menu.bundles) == 1:
        return candidate
    S = context.uncertain(candidate.x)
    return candidate if not S or S == candidate.S else revalue(candidate, S)


def distinct_maxima(candidates: list[Candidate], settings: ClimbSettings) -> list[Candidate]:
    """The candidates without those next to a better one of the same set, or far below it; best first."""

    def behind(candidate: Candidate, other: Candidate) -> bool:
        """Is this the same maximum, or so much lower that a precise value will not help it?"""
        close = float(np.abs(candidate.x - other.x).max()) < settings.same_peak
        equal = other.value * (candidate.cost / other.cost)  # what it would have to be worth
        same = close and candidate.value >= settings.same_value * equal
        return same or candidate.value < settings.second_peak * equal

    kept: list[Candidate] = []
    for candidate in candidates:
        if not any(candidate.S == other.S and behind(candidate, other) for other in kept):
            kept.append(candidate)
    return kept
