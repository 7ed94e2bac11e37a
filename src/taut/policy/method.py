"""What all methods share: the recommendation argmax G, and the relevance of the constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement, ModelReport, Outlook
from taut.data.survey import Survey
from taut.policy.belief import belief
from taut.policy.ending import decided
from taut.policy.gains import gain
from taut.policy.honesty import reports
from taut.policy.outlook import outlook
from taut.policy.settings import Settings
from taut.policy.settled import settled
from taut.policy.survey import survey
from taut.policy.verdicts import judge
from taut.policy.verify import answer
from taut.problem.problem import Problem


@dataclass(frozen=True)
class Method(ABC):
    """A method decides where to evaluate next, and which functions; it remembers nothing itself."""

    settings: Settings

    @abstractmethod
    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        """Where to evaluate next, and which functions."""

    def decide(self, request: Request, rng: np.random.Generator) -> Proposal | None:
        """What the method suggests, or a step towards a verified answer; None if there is nothing left to gain."""
        return decided(self.suggest, self.settings, request, rng)

    def least_cost(self, problem: Problem) -> float:
        """The smallest budget with which this method can do anything."""
        return min((bundle.cost for bundle in problem.bundles), default=0.0)

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        """The best point according to what is known; in the last part of a budget, the best verified design."""
        context = settled(request, self.settings, rng)
        return belief(context, answer(context))

    def predict(self, request: Request, point: Array, rng: np.random.Generator) -> Belief:
        """What is believed at a point [d] of the unit cube."""
        return belief(settled(request, self.settings, rng), point, recommended=False)

    def survey(self, request: Request, points: Array, rng: np.random.Generator) -> Survey:
        """The same at many points [m, d]."""
        return survey(settled(request, self.settings, rng), points)

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        """For each constraint: does it matter, and what does its limit cost?"""
        judged = judge(settled(request, self.settings, rng))
        return sorted(judged, key=lambda row: request.problem.functions.index(row.constraint))

    def outlook(self, request: Request, rng: np.random.Generator) -> Outlook:
        """What more evaluations are expected to bring."""
        return outlook(settled(request, self.settings, rng))

    def honesty(self, request: Request, rng: np.random.Generator) -> dict[str, ModelReport]:
        """By function: what its model takes for certain and what not."""
        return reports(settled(request, self.settings, rng))

    def gain(self, request: Request, other: Problem, rng: np.random.Generator) -> tuple[float, float, float] | None:
        """What the limits of another problem would bring next to the recommendation: mean, low and high."""
        return gain(settled(request, self.settings, rng), other)
