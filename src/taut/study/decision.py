"""The next suggestion: a function of the seed, its number and the rows that are visible, and of nothing else."""

import json
import math
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.base.threads import one_thread
from taut.data.dataset import Request
from taut.data.history import Moment
from taut.data.rows import Suggestion
from taut.problem.design import domain
from taut.problem.problem import Problem
from taut.problem.space import from_unit
from taut.study import method as methods
from taut.study.initial import Plan, next_point
from taut.study.method import Policy


@dataclass(frozen=True)
class Decision:
    """Makes suggestions: first those of the initial design, then what the method says."""

    problem: Problem
    policy: Policy
    seed: int
    design: Plan
    cache: MutableMapping[str, Any] = field(default_factory=dict)
    """Intermediate results of the method; never changes an answer."""

    @property
    def cheapest(self) -> float:
        """The least that a step of the method costs."""
        return methods.least_cost(self.policy, self.problem)

    def make(self, moment: Moment, left: float, verify: bool) -> Suggestion | None:
        """The suggestion that follows this moment; None if none is affordable. Writes nothing.

        left: what it may cost. verify: keep the last part of the budget for a verified answer?
        """
        number = moment.number + 1
        proposal = next_point(self.problem, self.design, moment)
        initial = proposal is not None
        payable = math.inf if initial else left * (1.0 + 1e-12)  # forgives the rounding of sums of costs
        if proposal is None:
            if self.cheapest > payable or not self.problem.simulated:
                return None
            with one_thread():
                request = self.request(moment, left, verify)
                proposal = methods.decide(self.policy, request, np.random.default_rng([self.seed, number]))
        functions = self.problem.complete(proposal.functions)
        cost = self.problem.cost(functions)
        if cost > payable:
            return None
        return Suggestion(
            number=number,
            point=from_unit(self.problem, domain(self.problem).settled(proposal.point)),
            functions=functions,
            cost=cost,
            note=proposal.note,
            seen=moment.seen,
            initial=initial,
            remaining=None if math.isinf(left) else left,
            memory=json.loads(json.dumps(proposal.memory)),
        )

    def request(self, moment: Moment, left: float, verify: bool) -> Request:
        """What the method gets to see."""
        budget = moment.committed + left
        return Request(self.problem, moment.dataset, left, moment.memory, self.cache, moment.errors, budget, verify)
