"""What may be evaluated next: bundles of functions with their costs, and which evaluations would be new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.data.dataset import Dataset
from taut.data.prices import Pricing
from taut.policy.settings import PendingSettings
from taut.problem.design import domain
from taut.problem.problem import Problem
from taut.surrogate.gp import GP
from taut.surrogate.hyper import Hyper

Set = tuple[int, ...]
"""Positions of functions that are evaluated together, increasing; 0 is the objective."""


@dataclass(frozen=True)
class Candidate:
    """A point [d] and a set of functions with its value and cost.

    metric: what an ascent that ended here learnt of the curvature [d, d]; maxima: where the recommendation would move
    to after this evaluation [p, d]. Both are None where nobody has looked.
    """

    x: Array
    S: Set
    value: float
    cost: float
    metric: Array | None = None
    maxima: Array | None = None

    @property
    def value_per_cost(self) -> float:
        return self.value / self.cost


def best_candidate(candidates: Sequence[Candidate]) -> Candidate:
    """Highest value per cost; ties go to the lowest function position, and a larger set must be strictly better."""
    return max(candidates, key=lambda c: (c.value_per_cost, -len(c.S), -c.S[0]))


def ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best value per cost first."""
    return sorted(candidates, key=lambda candidate: -candidate.value_per_cost)


def spacing(processes: Sequence[GP], settings: PendingSettings) -> tuple[float, ...]:
    """For each function, how far from its values another one tells anything new.

    A rough function has to change more than it is rough: closer values would only draw another lot.
    """
    return tuple(_apart(gp.hyper, settings) for gp in processes)


def _apart(hyper: Hyper, settings: PendingSettings) -> float:
    if not hyper.rough:
        return settings.same_point
    smooth = settings.rough_apart * float(hyper.l.min()) * float(np.sqrt(hyper.rough))
    return max(settings.same_point, min(smooth, settings.rough_furthest))


@dataclass(frozen=True)
class Menu:
    """names: of all functions in the order of their positions; remaining: budget left; same_point: see the settings.

    apart: distance (max-norm) from a known value of each function within which another one tells nothing new.
    """

    problem: Problem
    names: tuple[str, ...]
    dataset: Dataset
    remaining: float
    same_point: float
    apart: tuple[float, ...] = ()
    prices: Pricing | None = None
    """Where costs are not the same everywhere; see search/pricing.py."""

    @cached_property
    def domain(self) -> Domain:
        """The admissible points."""
        return domain(self.problem)

    @cached_property
    def everything(self) -> Set:
        """All functions that have to be evaluated: those that are not known."""
        return tuple(k for k, name in enumerate(self.names) if name in self.problem.simulated)

    @cached_property
    def bundles(self) -> tuple[Set, ...]:
        """Affordable bundles as sets of positions."""
        bundles = [tuple(sorted(map(self.names.index, each.functions))) for each in self.problem.bundles]
        return tuple(sorted(S for S in bundles if self.affordable(S)))

    def complete(self, S: Iterable[int]) -> Set:
        """Function positions with their group mates."""
        names = self.problem.complete(self.names[k] for k in S)
        return tuple(sorted(self.names.index(name) for name in names))

    def cost(self, S: Iterable[int], x: Array | None = None) -> float:
        """What evaluating S at x [d] is expected to cost, or, if that depends on x, where it costs least."""
        if self.prices is None:
            return self._cost(tuple(S))
        names = [self.names[k] for k in S]
        return self.prices.range(names)[0] if x is None else float(self.prices.costs(names, x[None, :])[0])

    @cached_property
    def _cost(self) -> Callable[[Set], float]:
        """Of sets that cost the same everywhere; asked for again and again."""
        return cache(lambda S: self.problem.cost(self.names[k] for k in S))

    def affordable(self, S: Iterable[int], x: Array | None = None) -> bool:
        return self.cost(S, x) <= self.payable

    @property
    def payable(self) -> float:
        return self.remaining * (1.0 + 1e-12)  # forgives the rounding of sums of costs

    def is_new(self, x: Array, k: int, apart: float | None = None) -> bool:
        """May function k be evaluated at x [d]? Not where it failed, is under way, or (deterministic) is known."""
        taken = [self.dataset.failed[k]]
        if self.dataset.functions[k].noise is None:
            taken += [self.dataset.X[k], self.dataset.pending[k]]
        near = np.vstack(taken)
        least = self.apart_from([k]) if apart is None else apart
        return not len(near) or bool(self.domain.distances(near, x).min() > least)

    def apart_from(self, S: Iterable[int]) -> float:
        """How far from known values all of S are new."""
        return max(self.apart[k] for k in S) if self.apart else self.same_point

    def evaluable(self, x: Array, S: Iterable[int]) -> Set:
        """The members of S (with group mates) whose evaluation at x [d] can bring something new."""
        return self.complete([k for k in S if self.is_new(x, k)])

    def candidate(self, x: Array, S: Set, value: float = 0.0) -> Candidate:
        """The set at x [d] at its cost."""
        return Candidate(x, S, value, self.cost(S, x))

    def label(self, S: Iterable[int]) -> str:
        """The names of a set in declared order, f+c."""
        return "+".join(name for name in self.problem.functions if name in {self.names[k] for k in S})
