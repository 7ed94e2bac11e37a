"""What all methods share: the recommendation argmax G, and the relevance of the constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement, ModelReport
from taut.policy.belief import belief
from taut.policy.context import Context, without_pending
from taut.policy.explain import proposal
from taut.policy.honesty import reports
from taut.policy.settings import Settings
from taut.policy.verdicts import judge
from taut.policy.verify import answer, due, may_begin, next_step
from taut.problem.problem import Problem


@dataclass(frozen=True)
class Method(ABC):
    """A method decides where to evaluate next, and which functions; it remembers nothing itself."""

    settings: Settings

    @abstractmethod
    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        """Where to evaluate next, and which functions."""

    def decide(self, request: Request, rng: np.random.Generator) -> Proposal:
        """What the method suggests, or a step towards a verified answer while the last part of the budget is left."""
        if not may_begin(request, self.settings.verify):
            return self.suggest(request, rng)
        context = replace(Context.of(request, self.settings, rng, precise=True), cautious=True)
        if not due(context):
            return self.suggest(request, rng)
        step = next_step(context)
        if step is not None:
            made = proposal(context, step.candidate, step.why, context.optimum.x, exactly=True)
            return replace(made, memory={**made.memory, "verify": step.memory})
        made = self.suggest(request, rng)
        return replace(made, memory={**made.memory, "verify": {}})

    def least_cost(self, problem: Problem) -> float:
        """The smallest budget with which this method can do anything."""
        return min(bundle.cost for bundle in problem.bundles)

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        """The best point according to what is known; in the last part of a budget, the best verified design."""
        context = self._settled(request, rng)
        return belief(context, answer(context))

    def predict(self, request: Request, point: Array, rng: np.random.Generator) -> Belief:
        """What is believed at a point [d] of the unit cube."""
        return belief(self._settled(request, rng), point, recommended=False)

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        """For each constraint: does it matter, and what does its limit cost?"""
        context = self._settled(request, rng)
        judged = judge(context)
        return sorted(judged, key=lambda row: request.problem.functions.index(row.constraint))

    def honesty(self, request: Request, rng: np.random.Generator) -> dict[str, ModelReport]:
        """By function: what its model takes for certain and what not."""
        return reports(self._settled(request, rng))

    def _settled(self, request: Request, rng: np.random.Generator) -> Context:
        return Context.of(without_pending(request), self.settings, rng, precise=True)
