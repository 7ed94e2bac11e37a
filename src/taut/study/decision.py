"""The next suggestion: a function of the seed, its number and the rows that are visible, and of nothing else."""

import json
import math
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.threads import one_thread
from taut.data.charges import COSTS
from taut.data.dataset import Request
from taut.data.durations import DURATIONS
from taut.data.exhausted import ExhaustedError, exhausted
from taut.data.history import History, Moment
from taut.data.rows import Suggestion
from taut.problem.design import domain
from taut.problem.problem import Problem
from taut.problem.space import from_unit, to_unit
from taut.study import method as methods
from taut.study.initial import Plan, next_point
from taut.study.method import Policy

RETURNS = 5
"""A point on the border of a known constraint is moved inwards at most so often; once is nearly always enough."""


@dataclass(frozen=True)
class Decision:
    """Makes suggestions: first those of the initial design, then what the method says."""

    problem: Problem
    policy: Policy
    seed: int
    design: Plan
    cache: MutableMapping[str, Any] = field(default_factory=dict)
    """Intermediate results of the method; never changes an answer."""

    def cheapest(self, moment: Moment) -> float:
        """The least that a step of the method costs."""
        return methods.least_cost(self.policy, self.problem, moment.prices)

    @property
    def least_budget(self) -> float:
        """What a budget must be before anything is known."""
        return DURATIONS.shortest if self.problem.measured else self.cheapest(History(self.problem).moment())

    def exhausted(self, moment: Moment) -> bool:
        """Is everything worth knowing known, or under way?"""
        return not self.problem.simulated or exhausted(moment.dataset, domain(self.problem))

    def make(
        self, moment: Moment, left: float, verify: bool, stop: float | None = None, patient: bool = False
    ) -> Suggestion | None:
        """The suggestion that follows this moment; None if none is affordable, new, or worth it. Writes nothing.

        left: what it may cost. verify: keep the last part of the budget for a verified answer? stop: a gain that is not
        worth all that is left. patient: none as well where the method would rather know first what is under way.
        """
        number = moment.number + 1
        proposal = next_point(self.problem, self.design, moment)
        initial = proposal is not None
        payable = math.inf if initial else left * (1.0 + 1e-12)  # forgives the rounding of sums of costs
        if proposal is None:
            if not self.problem.simulated or self.cheapest(moment) > payable or self.exhausted(moment):
                return None
            try:
                with one_thread():
                    request = self.request(moment, left, verify, stop)
                    proposal = methods.decide(self.policy, request, np.random.default_rng([self.seed, number]))
            except ExhaustedError:
                return None
            if proposal is None or (patient and proposal.waits):
                return None
        functions = self.problem.complete(proposal.functions)
        point = moment.as_written(self._settled(proposal.point))
        parts = None if moment.prices is None else moment.prices.parts(functions, to_unit(self.problem, point))
        cost = self.problem.cost(functions) if parts is None else math.fsum(parts.values())
        if cost > payable:
            return None
        memory = proposal.memory if parts is None else {**proposal.memory, COSTS: parts}
        return Suggestion(
            number=number,
            point=point,
            functions=functions,
            cost=cost,
            note=proposal.note,
            seen=moment.seen,
            initial=initial,
            remaining=None if math.isinf(left) else left,
            memory=json.loads(json.dumps(memory)),
        )

    def _settled(self, u: Array) -> dict[str, float]:
        """The point at u [d] of the unit cube, on the right side of every known constraint to the last digit.

        Also when it comes back from the user's units, or what is measured there would be of a design that violates one.
        """
        within = domain(self.problem)
        for _ in range(RETURNS):
            point = from_unit(self.problem, within.settled(u))
            u = to_unit(self.problem, point)
            if within.holds(u):
                break
        return point

    def request(self, moment: Moment, left: float, verify: bool, stop: float | None = None) -> Request:
        """What the method gets to see."""
        budget = moment.committed + left
        known = (moment.memory, self.cache, moment.errors)
        return Request(self.problem, moment.dataset, left, *known, budget, verify, moment.prices, stop)
