"""The whole search for a criterion that needs no look-ahead: raw candidates, ascents, what can be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from taut.base.arrays import Array
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set, ranked
from taut.policy.search.inner import ellipsoid_samples
from taut.policy.search.pricing import costs, prepared_places, where_payable
from taut.policy.search.sets import Groups, Ranking, Scales, SetCriterion, SetSearch, evaluable
from taut.surrogate.success import Successes


@dataclass(frozen=True)
class CriterionSearch:
    """Values of sets of functions over the cube, per cost."""

    context: Context
    search: SetSearch

    @staticmethod
    def of(context: Context, criterion: SetCriterion) -> CriterionSearch:
        return CriterionSearch(context, SetSearch(criterion, context.menu, context.settings.climb, Scales.of(context)))

    def climb(self, sets: Sequence[Set], known: Array) -> list[Candidate]:
        """Local maxima of every set's value, best per cost first; known [m, d]: points that are worth a look."""
        settings, best, criterion = self.context.settings, self.context.optimum, self.search.criterion
        assert settings.candidates.raw is not None
        count, rng = settings.candidates.raw, self.context.generator("candidates")
        domain = self.context.domain
        near = ellipsoid_samples(domain, best.centre, count // settings.paths.near, rng, settings.inner.radii)
        wide = domain.sample(settings.paths.wide * count, rng)
        paid = prepared_places(self.context)
        raw = np.vstack([best.x[None, :], best.maxima[1 : 1 + settings.paths.maxima], known, near, wide, paid])
        at = criterion.at(raw)
        menu = self.context.menu
        values = {S: where_payable(menu, S, raw, criterion.value(at, S)) for S in sets}
        worth = {S: value for S, value in values.items() if value.max() > settings.sets.nothing}
        ranking = Ranking(raw, worth, {S: costs(menu, S, raw) for S in worth})
        climbed = self.search.climb(ranking, settings.climb.entropy)
        return ranked([*(end for ends in climbed for end in ends), *self.search.paid(ranking)])

    def polish(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Where ascents from these candidates end, best per cost first."""
        starts, given = [each.x[None, :] for each in candidates], [each.cost for each in candidates]
        options, sets = self.context.settings.climb.entropy_last, [each.S for each in candidates]
        climbed = self.search.ascend(sets, starts, given, options, sets)
        return ranked(end for ends in climbed for end in ends)

    def evaluable(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that can be afforded and are worth something."""
        found = evaluable(self.context.menu, candidates, self.search.valued)
        return [each for each in found if each.value > self.context.settings.sets.nothing]


class Information(Protocol):
    """What is expected to be learned from evaluating a set of functions, in nats."""

    def at(self, x: Array) -> Any:
        """What the values of all sets at x [q, d] are made of."""

    def value(self, parts: Any, S: Sequence[int]) -> Array:
        """Information of the set S; [q]."""

    def value_with_gradient(self, x: Array, member: Array) -> tuple[Array, Array]:
        """Information [q] of each row's set, given as 1 or 0 in member [K + 1, q], and its gradient [q, d]."""


@dataclass(frozen=True)
class InformationCriterion:
    """Information as a criterion, times the probability that it comes at all: that the set can be computed.

    functions: how many there are; successes: where they can be computed, None if everywhere.
    """

    score: Information
    functions: int
    successes: Successes | None = None

    def at(self, x: Array) -> tuple[Any, Array | None]:
        """What the values are made of, and log q of every model of where functions can be computed [m, q]."""
        return self.score.at(x), None if self.successes is None else self.successes.logs(x)

    def value(self, at: tuple[Any, Array | None], S: Set) -> Array:
        parts, logs = at
        value = self.score.value(parts, S)
        if logs is None or self.successes is None:
            return value
        value *= np.exp(self.successes.caution * logs[self.successes.of(S)].sum(axis=0))
        return value

    def values_with_gradient(self, x: Array, groups: Groups) -> tuple[Array, Array]:
        member = np.zeros((self.functions, len(x)))
        for S, rows in groups:
            for k in S:
                member[k, rows] = 1.0
        value, gradient = self.score.value_with_gradient(x, member)
        if self.successes is None:
            return value, gradient
        log_q, slope = self.successes.log_with_gradient(
            x, self.successes.caution * self.successes.member(groups, len(x))
        )
        q = np.exp(log_q)
        return q * value, q[:, None] * (gradient + value[:, None] * slope)
