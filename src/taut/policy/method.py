"""What all methods share: the recommendation argmax G, and the relevance of the constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement
from taut.policy.belief import belief
from taut.policy.context import Context, without_pending
from taut.policy.relevance import judge
from taut.policy.settings import Settings
from taut.problem.problem import Problem


@dataclass(frozen=True)
class Method(ABC):
    """A method decides where to evaluate next, and which functions; it remembers nothing itself."""

    settings: Settings

    @abstractmethod
    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        """Where to evaluate next, and which functions."""

    def least_cost(self, problem: Problem) -> float:
        """The smallest budget with which this method can do anything."""
        return min(bundle.cost for bundle in problem.bundles)

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        """The best point according to what is known."""
        context = self._settled(request, rng)
        return belief(context, context.optimum.x)

    def predict(self, request: Request, point: Array, rng: np.random.Generator) -> Belief:
        """What is believed at a point [d] of the unit cube."""
        return belief(self._settled(request, rng), point, recommended=False)

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        """For each constraint: does it matter?"""
        context = self._settled(request, rng)
        judged = judge(context)
        return sorted(judged, key=lambda row: request.problem.functions.index(row.constraint))

    def _settled(self, request: Request, rng: np.random.Generator) -> Context:
        return Context.of(without_pending(request), self.settings, rng, precise=True)
