"""The search shared by the entropy methods: information per cost of sets of functions over the cube."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, ascend
from taut.base.distinct import best_apart
from taut.base.quasirandom import sobol
from taut.policy.context import Candidate, Decision
from taut.policy.search.inner import ellipsoid_samples

NOTHING = 1e-12  # nats: less information counts as none
LEADERS = 8  # sets that are climbed from all starts; the others from their best one
CLIMB = AscentOptions(tolerance=2e-3, calls=16, behind=np.log(20.0), patience=4)
LAST = AscentOptions(tolerance=1e-4, calls=16)

Set = tuple[int, ...]


class Information(Protocol):
    """What is expected to be learned from evaluating a set of functions, in nats."""

    def at(self, x: Array) -> Any:
        """What the values of all sets at x [q, d] are made of."""

    def value(self, parts: Any, S: Sequence[int]) -> Array:
        """Information of the set S; [q]."""

    def value_with_gradient(self, x: Array, member: Array) -> tuple[Array, Array]:
        """Information [q] of each row's set, given as 1 or 0 in member [K + 1, q], and its gradient [q, d]."""


class Explorer:
    """Information over the cube: raw candidates, ascents, values of any set at a place."""

    def __init__(self, decision: Decision, score: Information, places: Array) -> None:
        """places: [m, d], where the optimum may be."""
        self.decision, self.score = decision, score
        settings, rng, best = decision.settings, decision.rng, decision.optimum
        near = ellipsoid_samples(best.x, best.metric, settings.raw // 3, rng)
        wide = sobol(2 * settings.raw, len(best.x), rng)
        self.raw = np.vstack([best.x[None, :], best.maxima[1:4], places, near, wide])
        self.parts = score.at(self.raw)

    def optimise(self, sets: Sequence[Set]) -> list[Candidate]:
        """Local maxima of every set's information, best per cost first."""
        raws = [self.score.value(self.parts, S) for S in sets]
        rates = np.array([raw.max() / self.decision.cost(S) for raw, S in zip(raws, sets, strict=True)])
        rank = np.argsort(np.argsort(-rates, kind="stable"), kind="stable")
        starts: list[Candidate] = []
        for S, raw, place in zip(sets, raws, rank, strict=True):
            if raw.max() <= NOTHING:
                continue
            for i in best_apart(self.raw, raw, self.decision.settings.starts if place < LEADERS else 1):
                starts.append(self.choice(self.raw[i], S, float(raw[i])))
        return self.polish(starts, CLIMB)

    def polish(self, choices: Sequence[Candidate], options: AscentOptions = LAST) -> list[Candidate]:
        """Where ascents from these choices end, best per cost first."""
        if not choices:
            return []
        member = np.zeros((len(self.decision.names), len(choices)))
        for i, choice in enumerate(choices):
            member[list(choice.S), i] = 1.0
        costs = np.array([choice.cost for choice in choices])
        log_cost = np.log(costs / costs.max())  # a common factor must not even round

        def log_rate(x: Array, rows: Ints) -> tuple[Array, Array]:
            value, gradient = self.score.value_with_gradient(x, member[:, rows])
            value = np.maximum(value, 1e-300)
            return np.log(value) - log_cost[rows], gradient / value[:, None]

        found = ascend(log_rate, np.array([choice.x for choice in choices]), options)
        values = np.exp(found.value + log_cost)
        ends = [self.choice(x, c.S, float(v)) for x, c, v in zip(found.x, choices, values, strict=True)]
        return sorted(ends, key=lambda choice: -choice.value_per_cost)

    def choice(self, x: Array, S: Set, value: float) -> Candidate:
        return Candidate(x, S, value, self.decision.cost(S))

    def valued(self, x: Array, S: Set) -> Candidate:
        """The set S at x [d] with its information."""
        return self.choice(x, S, float(self.score.value(self.score.at(x[None, :]), S)[0]))

    def evaluable(self, choices: Sequence[Candidate]) -> list[Candidate]:
        """Choices that can be afforded and tell something new; a known member is dropped and the rest valued again."""
        result = []
        for choice in choices:
            S = self.decision.evaluable(choice.x, choice.S)
            if S and self.decision.affordable(S):
                kept = choice if S == choice.S else self.valued(choice.x, S)
                result += [kept] if kept.value > NOTHING else []
        return result
