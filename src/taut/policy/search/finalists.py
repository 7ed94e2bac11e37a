"""Knowledge Gradient over the cube: a first look on one inner set, and finalists on a set refined for them.

During the search all sets of functions share one finite inner set. Before the best are compared, the points where the
recommendation would really move to are added for each of them, otherwise they are compared at different tightness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from taut.acquisition.knowledge import LookAhead
from taut.acquisition.knowledge_gradient import values_with_gradient
from taut.acquisition.knowledge_update import possible
from taut.acquisition.lookahead import CandidatePosterior, InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.base.arrays import Array, Flags
from taut.policy.context import Context
from taut.policy.menu import Candidate, Menu, Set, ranked
from taut.policy.search.candidates import Points
from taut.policy.search.lookahead_maxima import lookahead_maxima
from taut.policy.search.pricing import costs, log_price
from taut.policy.search.sets import Groups, Scales, log_value_per_cost

BLOCK = 32  # points at a time where many are valued: what sets share is kept, and would fill the memory


@dataclass(frozen=True)
class KnowledgeCriterion:
    """KG of a look-ahead as a criterion. Constraints that always hold change nothing but the time it takes."""

    ahead: LookAhead

    def informative(self, S: Set) -> Set:
        return tuple(k for k in S if k not in self.ahead.inner.always_met)

    def at(self, x: Array) -> CandidatePosterior:
        return self.ahead.candidates(x, gradients=False)

    def value(self, at: CandidatePosterior, S: Set) -> Array:
        kept = self.informative(S)
        return self.ahead.value(kept, at) if kept else np.zeros(len(at.x))

    def values_with_gradient(self, x: Array, groups: Groups) -> tuple[Array, Array]:
        kept = [(self.informative(S), rows) for S, rows in groups]
        return values_with_gradient(self.ahead, kept, self.ahead.candidates(x))


class FirstLook:
    """A look-ahead on the first inner set, ranking raw candidates by coarse scenarios; remembers which points won."""

    def __init__(self, context: Context, points: Points) -> None:
        self.context, self.raw = context, points.raw
        fixed = context.settings.inner.fixed
        inner = InnerSet.of(context.fantasies, context.bounds, context.utility.M, points.inner, context.successes)
        keep = possible(inner.bounds, inner.posteriors) | (np.arange(len(points.inner)) < fixed)
        inner = inner.reduced(np.flatnonzero(keep))
        at = CandidatePosterior(inner, self.raw, gradients=False)
        least = -context.settings.sets.always_met
        met = frozenset(k for k in inner.uncertain if min(inner.log_pf[k - 1].min(), at.log_pf[k].min()) >= least)
        if met:
            inner = replace(inner, always_met=met)
            at = at.without(met, inner)
        self.at = at
        self.ahead = LookAhead(inner, context.settings.scenarios, context.seed)
        self.criterion = KnowledgeCriterion(self.ahead)
        self._coarse = self.ahead.with_options(replace(self.ahead.options, resolution="coarse"))
        self.winners = np.arange(len(inner.points)) < fixed

    def values(self, S: Set, where: Flags | None = None) -> Array:
        """KG^S at the raw candidates; 0 elsewhere than `where` [q]. [q]."""
        kept = self.criterion.informative(S)
        values: Array = np.zeros(len(self.raw))
        if not kept or (where is not None and not where.any()):
            return values
        if where is None:
            values, winners = self._coarse.value_and_winners(kept, self.at)
        else:
            rows = np.flatnonzero(where)
            values[rows], winners = self._coarse.value_and_winners(kept, self.at.part(rows))
        self.winners[winners] = True
        return values

    def uncertain(self, delta: float) -> Flags:
        """What is uncertain at the raw candidates: the objective, constraints with PF < 1 - delta; [K + 1, q]."""
        found = np.zeros((len(self.context.names), len(self.raw)), dtype=bool)
        found[0] = True
        for k in self.ahead.inner.uncertain:
            found[k] = self.at.log_pf[k].min(axis=0) < np.log1p(-delta)
        return found

    def narrow(self) -> KnowledgeCriterion:
        """The coarse look-ahead on the inner points that have won anything so far: what ascents climb."""
        return KnowledgeCriterion(self._coarse.reduced(np.flatnonzero(self.winners), self._coarse.options))


@dataclass(frozen=True)
class Finalists:
    """Candidates valued on an inner set that holds the look-ahead maxima of all of them.

    first: the look-ahead they were found with; winners: which of its inner points have won anything; ahead: the refined
    one with the finest scenarios; quick: fewer scenarios, for comparing and climbing.
    """

    context: Context
    first: LookAhead
    winners: Flags
    ahead: LookAhead
    quick: ScenarioOptions
    candidates: list[Candidate]

    @staticmethod
    def of(context: Context, first: LookAhead, winners: Flags, candidates: Sequence[Candidate]) -> Finalists:
        """Refine the inner set for these candidates, and value them on it."""
        options, times = context.settings.scenarios, context.settings.climb.refined_vectors
        exact, few = options.exact, options.vectors
        quick = replace(options, vectors=times[0] * few) if exact else options
        fine = replace(quick, vectors=times[1] * few, resolution="fine") if exact else options
        candidates = _with_maxima(context, first.with_options(replace(quick, resolution="fine")), candidates)
        informative = KnowledgeCriterion(first).informative
        different = {(informative(c.S), c.x.tobytes()): c.maxima for c in candidates}
        ahead = first.extended(
            np.vstack([*(m for m in different.values() if m is not None), first.inner.points[:0]]), fine
        )
        found = Finalists(context, first, winners, ahead, quick, [])
        return replace(found, candidates=[found.revalue(candidate) for candidate in candidates])

    @cached_property
    def criterion(self) -> KnowledgeCriterion:
        """For comparing sets at a point."""
        return KnowledgeCriterion(self.ahead.with_options(self.quick))

    @cached_property
    def _narrow(self) -> KnowledgeCriterion:
        """For climbing: the points that won anything, and all look-ahead maxima."""
        added = np.arange(len(self.first.inner.points), len(self.ahead.inner.points))
        keep = np.concatenate([np.flatnonzero(self.winners), added])
        return KnowledgeCriterion(self.ahead.reduced(keep, replace(self.quick, resolution="coarse")))

    @cached_property
    def _there(self) -> dict[bytes, CandidatePosterior]:
        """The last point that was valued: it is often asked again, for another set."""
        return {}

    def revalue(self, candidate: Candidate) -> Candidate:
        """The same point and set valued on the refined inner set."""
        S, key = self.criterion.informative(candidate.S), candidate.x.tobytes()
        if key not in self._there:
            self._there.clear()
            self._there[key] = self.ahead.candidates(candidate.x[None, :], gradients=False)
        refine = max(3 - len([k for k in S if k]), 1)  # many scenarios average over look-up points
        return replace(candidate, value=float(self.ahead.value(S, self._there[key], refine)[0]))

    def reset(self, candidate: Candidate, S: Set) -> Candidate:
        """Another set at the same point."""
        return self.revalue(replace(candidate, S=S, cost=self.context.menu.cost(S, candidate.x), maxima=None))

    def nearest_evaluable(self, candidate: Candidate) -> list[Candidate]:
        """The best of the points just far enough from a known one, along the axes of G at x_r; none without value.

        With discrete parameters also those that differ in one of them.
        """
        settings, menu = self.context.settings, self.context.menu
        axes = self.context.optimum.axes[1].T
        far = settings.climb.just_apart * menu.apart_from(candidate.S)
        steps = far * axes / np.abs(axes).max(axis=1, keepdims=True)
        points = self.context.domain.repair(candidate.x + np.vstack([steps, -steps]))
        points = np.vstack([points, self.context.domain.neighbours(candidate.x[None, :])[0]])
        free = [x for x in points if menu.evaluable(x, candidate.S) == candidate.S]
        valued = [self.revalue(_moved(menu, candidate, x)) for x in free]
        best = max(valued, key=self._rate, default=None)
        return [best] if best is not None and best.value > nothing(self.context) else []

    def polish(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Each candidate after an ascent on the refined inner set, if it gained."""
        moved = [self.revalue(each) for each in self._ascended(candidates)]
        return [self._better(new, old) for old, new in zip(candidates, moved, strict=True)]

    def polish_with_refined_set(
        self, candidates: Sequence[Candidate], restart: bool
    ) -> tuple[Finalists, list[Candidate]]:
        """The same with an inner set that follows: look-ahead maxima of old and new points alike, or the old ones win.

        restart: an ascent starts at the best point the recommendation might move to. What would be chosen after good
        news is often a better point to ask for them than the point itself.
        """
        starts = self._restarts(candidates) if restart else list(candidates)
        both = Finalists.of(self.context, self.first, self.winners, [*candidates, *self._ascended(starts)])
        old, new = both.candidates[: len(candidates)], both.candidates[len(candidates) :]
        return both, [self._better(after, before) for before, after in zip(old, new, strict=True)]

    def _better(self, new: Candidate, old: Candidate) -> Candidate:
        """The new one if it is worth more and all of its functions may be evaluated there."""
        menu = self.context.menu
        allowed = self._rate(new) > self._rate(old) and menu.evaluable(new.x, new.S) == new.S
        return new if allowed and (menu.prices is None or menu.affordable(new.S, new.x)) else old

    def _rate(self, candidate: Candidate) -> float:
        """By which candidates of one set are compared."""
        return candidate.value if self.context.menu.prices is None else candidate.value_per_cost

    def _restarts(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Every candidate at the look-ahead maximum where its set is worth most; nothing large is kept after it.

        While the mean of the objective is flat no outcome moves the recommendation more than another: there are no such
        maxima, and candidates stay where they are.
        """
        points = self.ahead.inner.points[len(self.first.inner.points) :]
        if not len(points):
            return list(candidates)
        coarse = replace(self.context.settings.scenarios, resolution="coarse")
        rough = KnowledgeCriterion(self.ahead.with_options(coarse))
        menu = self.context.menu
        values: list[list[Array]] = [[] for _ in candidates]
        for first in range(0, len(points), BLOCK):
            block = points[first : first + BLOCK]
            at = rough.at(block)
            for candidate, found in zip(candidates, values, strict=True):
                value = rough.value(at, candidate.S)
                found.append(value if menu.prices is None else value / costs(menu, candidate.S, block))
        best = [points[int(np.argmax(np.concatenate(value)))] for value in values]
        return [_moved(menu, candidate, x) for candidate, x in zip(candidates, best, strict=True)]

    def _ascended(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates where ascents from them end, not yet valued there."""
        if not candidates:
            return []
        which, x = np.arange(len(candidates)), np.array([each.x for each in candidates])
        sets, menu = [each.S for each in candidates], self.context.menu
        score = log_value_per_cost(self._narrow, sets, which, np.zeros(len(candidates)), log_price(menu, sets))
        guesses = zip(candidates, Scales.of(self.context).guess(x), strict=True)
        metric = np.array([guess if each.metric is None else each.metric for each, guess in guesses])
        found = self.context.domain.ascend(score, x, self.context.settings.climb.last, metric)
        ends = zip(candidates, found.x, found.metric, strict=True)
        return [replace(_moved(menu, each, end), metric=learnt) for each, end, learnt in ends]


def polished(finalists: Finalists, candidates: list[Candidate]) -> tuple[Finalists, list[Candidate]]:
    """The best candidates climbed on, round by round; in many dimensions the inner set has to follow them.

    There the best of different sets race: one that was compared only where others are best has most to gain.
    """
    settings = finalists.context.settings.climb
    assert settings.rounds is not None and settings.prune_polish is not None
    for done, count in enumerate(settings.rounds):
        best, rest = _of_different_sets(candidates, count, settings.prune_polish)
        if settings.follow:
            finalists, best = finalists.polish_with_refined_set(best, restart=done < settings.restarts)
        else:
            best = finalists.polish(best)
        candidates = ranked(best + rest)
    return finalists, candidates


def _of_different_sets(
    candidates: list[Candidate], count: int, share: float
) -> tuple[list[Candidate], list[Candidate]]:
    """The best candidate of each of the `count` best sets within a share of the best, and the rest; best first."""
    found: dict[Set, Candidate] = {}
    for candidate in candidates:
        if candidate.value_per_cost >= share * candidates[0].value_per_cost:
            found.setdefault(candidate.S, candidate)
    best = list(found.values())[:count]
    return best, [candidate for candidate in candidates if all(candidate is not other for other in best)]


def nothing(context: Context) -> float:
    """A smaller Knowledge Gradient counts as none."""
    return context.settings.sets.nothing * context.surrogate.processes[0].scale


def _moved(menu: Menu, candidate: Candidate, x: Array) -> Candidate:
    """The same set at another point, of which nothing is known but what it costs there."""
    cost = candidate.cost if menu.prices is None else menu.cost(candidate.S, x)
    return replace(candidate, x=x, cost=cost, metric=None, maxima=None)


def _with_maxima(context: Context, first: LookAhead, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with their look-ahead maxima; those known from the last time are kept."""
    informative = KnowledgeCriterion(first).informative
    new = {(informative(c.S), c.x.tobytes()): (informative(c.S), c.x) for c in candidates if c.maxima is None}
    found = dict(zip(new, lookahead_maxima(first, list(new.values()), context), strict=True))
    return [replace(c, maxima=found[informative(c.S), c.x.tobytes()]) if c.maxima is None else c for c in candidates]
