"""What a study needs from a method, and the one that a user named."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from taut.base.arrays import Array
from taut.base.errors import StorageError, StudyError, listed
from taut.data.dataset import Belief, Proposal, Request
from taut.data.prices import Pricing
from taut.data.results import Judgement, ModelReport, Outlook
from taut.data.survey import Survey
from taut.problem.problem import Problem
from taut.study import checks


@runtime_checkable
class Policy(Protocol):
    """What a study needs from a method. All randomness comes from rng; the object remembers nothing.

    One step may cost as little as the cheapest bundle of the problem; if not, be a PricedPolicy.
    """

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        """Where to evaluate next, and which functions."""

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        """The best point according to what is known."""

    def relevance(self, request: Request, rng: np.random.Generator) -> Sequence[Judgement]:
        """For each constraint: does it matter?"""


@runtime_checkable
class PricedPolicy(Policy, Protocol):
    """A method that says in advance what its steps cost."""

    def least_cost(self, problem: Problem) -> float:
        """The least that one step costs: a smaller budget is refused before anything is evaluated."""


@runtime_checkable
class PredictingPolicy(Policy, Protocol):
    """A method that says what it believes at any point."""

    def predict(self, request: Request, point: Array, rng: np.random.Generator) -> Belief:
        """What is believed at a point [d] of the unit cube."""


@runtime_checkable
class SurveyingPolicy(Policy, Protocol):
    """A method that says what it believes at many points at once."""

    def survey(self, request: Request, points: Array, rng: np.random.Generator) -> Survey:
        """What is believed at points [m, d] of the unit cube, in inner form."""


@runtime_checkable
class ReportingPolicy(Policy, Protocol):
    """A method that says what its models take for certain."""

    def honesty(self, request: Request, rng: np.random.Generator) -> Mapping[str, ModelReport]:
        """By function: the calibration in force, its roughness, and why."""


@runtime_checkable
class VerifyingPolicy(Policy, Protocol):
    """A method that keeps part of a budget for a verified answer if the request says so."""

    def decide(self, request: Request, rng: np.random.Generator) -> Proposal | None:
        """As suggest, or a step towards a verified answer; None at the end that the request asks for."""


@runtime_checkable
class ForeseeingPolicy(Policy, Protocol):
    """A method that says what there is left to gain."""

    def outlook(self, request: Request, rng: np.random.Generator) -> Outlook:
        """What more evaluations are expected to bring."""


@runtime_checkable
class WeighingPolicy(Policy, Protocol):
    """A method that says what other limits would bring."""

    def gain(self, request: Request, other: Problem, rng: np.random.Generator) -> tuple[float, float, float] | None:
        """The same problem with other limits: mean, low and high of the gain next to the recommendation."""


def decide(policy: Policy, request: Request, rng: np.random.Generator) -> Proposal | None:
    """Where to evaluate next, and which functions."""
    return policy.decide(request, rng) if isinstance(policy, VerifyingPolicy) else policy.suggest(request, rng)


def least_cost(policy: Policy, problem: Problem, prices: Pricing | None = None) -> float:
    """The least that one step of a method costs, anywhere. prices: where it is not the same everywhere."""
    least = min((bundle.cost for bundle in problem.bundles), default=0.0)
    if isinstance(policy, PricedPolicy):
        least = float(policy.least_cost(problem))
    if prices is None:
        return least
    if least >= problem.cost(problem.functions) and len(problem.bundles) > 1:
        return prices.range(problem.functions)[0]  # a method that buys everything at once
    return min(prices.range(bundle.functions)[0] for bundle in problem.bundles)


def stored(name: str) -> str:
    """The name of a method in a storage, if it is known."""
    from taut.policy import METHODS

    if name not in METHODS:
        way_out = "if the study was made with an object as its method, give it: taut.Study.open(storage, method=...)"
        raise StorageError.of("Study", f"the storage to name one of {listed(METHODS)}", repr(name), way_out)
    return name


def find(method: str | Policy, preset: str | None, options: Mapping[str, Any] | None) -> tuple[Policy, str]:
    """The method that a user named or made, and its name."""
    if isinstance(method, str):
        from taut.policy import METHODS, make  # the models need SciPy, which is slow to import

        checks.one_of("method", method, METHODS)
        return make(method, preset=preset, options=options), method
    if isinstance(method, Policy) and not isinstance(method, type):
        return method, type(method).__name__
    raise StudyError(f"Study: method must be a name or have suggest, recommend and relevance, got {method!r}.")
