"""What every method shares: the fitted belief of one decision, the recommendation, costs and admissible points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.acquisition.feasibility import Bounds, probability
from taut.acquisition.improvement import Improvement, incumbent
from taut.acquisition.utility import Moments, RawSamples, Utility, moments, penalty
from taut.base.arrays import Array, Flags
from taut.base.ascend import AscentOptions, curvature
from taut.base.normal import student_cdf
from taut.base.quasirandom import sobol
from taut.data.dataset import Belief, Proposal, Request, value_to_inner
from taut.policy.relevance import Judgement, judge
from taut.policy.search.ei_maxima import maxima
from taut.policy.search.inner import ellipsoid_samples
from taut.policy.search.optimum import FINE, NEARLY, PRECISE, Optimum, OptimumOptions, quick_optimum, recommend
from taut.policy.settings import Settings
from taut.problem.problem import Problem
from taut.surrogate.gp import GP
from taut.surrogate.model import Surrogate, fit_surrogate, with_pending
from taut.surrogate.settings import ModelSettings
from taut.surrogate.warp import unwarp, warp

NEAR_PENDING = 0.01  # unit cube, max-norm: expected improvement looks elsewhere first while this close is under way
SAME_POINT = 1e-6  # unit cube, max-norm: a deterministic function is not evaluated twice within this


@dataclass(frozen=True)
class Candidate:
    """A point and a set of function positions with its value, cost and value per cost."""

    x: Array
    S: tuple[int, ...]
    value: float
    cost: float

    @property
    def value_per_cost(self) -> float:
        return self.value / self.cost


def best_candidate(choices: Sequence[Candidate]) -> Candidate:
    """Highest rate; ties go to the lowest function position, and a larger set must be strictly better."""
    return max(choices, key=lambda c: (c.value_per_cost, -len(c.S), -c.S[0]))


@dataclass(frozen=True)
class Maxima:
    """Local maxima of log cEI, best first, those next to work under way last; known: whether there is an incumbent."""

    x: Array
    value: Array
    known: bool


class Decision:
    """What one decision rests on: belief, penalty M, recommendation. Everything is computed once, when first needed.

    precise: search the recommendation to the last digit, because it is the answer and not only a step on the way.
    """

    def __init__(self, request: Request, settings: Settings, rng: np.random.Generator, precise: bool = False) -> None:
        self.request, self.rng, self.precise = request, rng, precise
        self.problem = request.problem
        self.settings = settings.sized(request.problem.dimension)
        # Constraints by name: sums round in the same way however they were declared, so reordering changes nothing.
        declared = request.problem.functions
        self.names = (declared[0], *sorted(declared[1:]))
        self.dataset = request.dataset.ordered([declared.index(name) for name in self.names])
        self.seed = int(rng.integers(2**31))

    @cached_property
    def surrogate(self) -> Surrogate:
        options = ModelSettings(self.settings.prior, self.settings.rho, self.settings.warp)
        return fit_surrogate(self.dataset, options, self.request.memory.get("fit", {}), self.request.cache)

    @cached_property
    def bounds(self) -> tuple[Bounds, ...]:
        """Feasible intervals of the constraints, on the scale of their processes."""
        pairs = zip(self.dataset.functions[1:], self.surrogate.warps[1:], strict=True)
        edges = [warp(np.array([view.lower, view.upper]), s) for view, s in pairs]
        return tuple(Bounds(float(low), float(high)) for low, high in edges)

    @property
    def has_pending(self) -> bool:
        return any(len(points) for points in self.dataset.pending)

    @cached_property
    def posteriors(self) -> tuple[GP, ...]:
        """Processes conditioned on evaluations under way, outcomes replaced by their means."""
        return with_pending(self.surrogate, self.dataset.pending, 1, self.seed)

    @cached_property
    def fantasies(self) -> tuple[GP, ...]:
        """Processes conditioned on evaluations under way, with several draws of their outcomes."""
        draws = self.settings.draws if self.has_pending else 1
        return with_pending(self.surrogate, self.dataset.pending, draws, self.seed)

    @cached_property
    def raw(self) -> Array:
        return sobol(self.settings.search_raw, self.dataset.dimension, self.rng)

    @cached_property
    def places(self) -> Array:
        """All evaluated places, each once; [m, d]."""
        return np.unique(np.vstack(self.dataset.X), axis=0)

    @cached_property
    def starts(self) -> Array:
        """The last recommendation, evaluated places and quasi-random points; [m, d]."""
        return np.vstack([self._last, self.places, self.raw])

    @cached_property
    def _last(self) -> Array:
        return np.array(self.request.memory.get("best", []), dtype=float).reshape(-1, self.dataset.dimension)

    @cached_property
    def _objective(self) -> Moments:
        """What is believed of the objective at the starts; [m]."""
        return moments(self.posteriors[0], self.starts)

    @cached_property
    def utility(self) -> Utility:
        if self.settings.penalty is not None:
            M = value_to_inner(self.problem, self.names[0], self.settings.penalty)
        else:
            M = penalty(self.posteriors[0], self.starts, self._objective.mean)
        return Utility(self.posteriors, self.bounds, M)

    @cached_property
    def optimum(self) -> Optimum:
        """The recommendation x_r and its surroundings."""
        fine, constrained_maximum = (PRECISE, 1e-9) if self.precise else (FINE, NEARLY)
        options = OptimumOptions(self.settings.search_starts, fine, constrained_maximum)
        return recommend(self.utility, self.raw_samples, options)

    @cached_property
    def raw_samples(self) -> RawSamples:
        """The starts with what searches need to choose among them."""
        known = np.zeros(len(self.starts), dtype=bool)
        known[len(self._last) : len(self._last) + len(self.places)] = True
        return self.utility.raw_samples(self.starts, self._objective, known)

    def ei_maxima(self, starts: int, options: AscentOptions, finish: AscentOptions | None = None) -> Maxima:
        """Local maxima of constrained expected improvement: cheap to find, and what a coupled step would look at."""
        tau = incumbent(self.raw_samples, self.dataset)
        score = Improvement(self.utility, tau)
        near = ellipsoid_samples(self.best, self._metric, 96, self.rng, (0.3, 1e5))
        x, value = maxima(score, self.raw_samples, near, self.best, starts, options, finish)
        near_pending = self._near_pending(x)
        if near_pending.all():
            x, value, near_pending = self._away_from_pending(score, x, value)
        order = np.argsort(near_pending, kind="stable")
        return Maxima(x[order], value[order], tau is not None)

    def _near_pending(self, x: Array) -> Flags:
        """Is something under way within 1 % of the ranges of each point of x [q, d]?"""
        under_way = np.vstack(self.dataset.pending)
        if not len(under_way):
            return np.zeros(len(x), dtype=bool)
        near_pending: Flags = np.abs(x[:, None, :] - under_way).max(axis=2).min(axis=1) < NEAR_PENDING
        return near_pending

    def _away_from_pending(self, score: Improvement, x: Array, value: Array) -> tuple[Array, Array, Flags]:
        """The maxima with the best point of the raw samples that is not crowded, if there is one."""
        free = np.flatnonzero(~self._near_pending(self.raw_samples.x))
        if len(free):
            heights = score.log_value(self.raw_samples)
            best = free[int(np.argmax(heights[free]))]
            x, value = np.vstack([self.raw_samples.x[best], x]), np.append(heights[best], value)
        return x, value, self._near_pending(x)

    @property
    def best(self) -> Array:
        """The recommendation if it was searched, otherwise something close to it; [d]."""
        return self.optimum.x if "optimum" in self.__dict__ else self._quick

    @cached_property
    def _quick(self) -> Array:
        """The corner next to the best of the raw samples, if that is better; [d]."""
        return quick_optimum(self.utility, self.raw_samples)

    @property
    def _metric(self) -> Array:
        """Shape of G around `best`; [d, d]."""
        if "optimum" in self.__dict__:
            return self.optimum.metric
        metric: Array = curvature(lambda x, rows: self.utility.log_value_with_gradient(x), self.best[None, :])[0]
        return metric

    @property
    def memory(self) -> dict[str, Any]:
        """What the history keeps for the next decision."""
        return {"fit": self.surrogate.memory, "best": [float(u) for u in self.best]}

    def complete(self, S: Iterable[int]) -> tuple[int, ...]:
        """Function positions with their group mates."""
        names = self.problem.complete(self.names[k] for k in S)
        return tuple(sorted(self.names.index(name) for name in names))

    def cost(self, S: Iterable[int]) -> float:
        return self.problem.cost(self.names[k] for k in S)

    @cached_property
    def bundles(self) -> tuple[tuple[int, ...], ...]:
        """Affordable bundles of evaluation as positions."""
        affordable = [
            bundle for bundle in self.problem.bundles if bundle.cost <= self.request.remaining * (1.0 + 1e-12)
        ]
        return tuple(
            sorted(tuple(sorted(self.names.index(name) for name in bundle.functions)) for bundle in affordable)
        )

    def affordable(self, S: Iterable[int]) -> bool:
        return self.cost(S) <= self.request.remaining * (1.0 + 1e-12)

    def is_new(self, x: Array, k: int) -> bool:
        """May function k be evaluated at x [d]? Not where it failed, is under way, or (deterministic) is known."""
        taken = [self.dataset.failed[k]]
        if self.dataset.functions[k].noise is None:
            taken += [self.dataset.X[k], self.dataset.pending[k]]
        near = np.vstack(taken)
        return not len(near) or bool(np.abs(near - x).max(axis=1).min() > SAME_POINT)

    def evaluable(self, x: Array, S: Iterable[int]) -> tuple[int, ...]:
        """The members of S (with group mates) whose evaluation at x can bring something new."""
        live = [k for k in S if self.is_new(x, k)]
        return self.complete(live)

    def feasibilities(self, x: Array) -> Array:
        """PF_k at x [d] for every constraint; [K]."""
        tables = [gp.posterior(x[None, :]) for gp in self.posteriors[1:]]
        return np.array(
            [float(probability(b, t.mean[0], np.sqrt(t.var))[0]) for b, t in zip(self.bounds, tables, strict=True)]
        )

    def uncertain(self, x: Array) -> tuple[int, ...]:
        """The objective and every constraint with PF_k(x) < 1 - delta, with group mates."""
        keep = [k + 1 for k, p in enumerate(self.feasibilities(x)) if p < 1.0 - self.settings.delta]
        return self.complete([0, *keep])

    def belief(self) -> Belief:
        """The recommendation from real data only, in inner form."""
        return self.belief_at(self.optimum.x)

    def belief_at(self, x: Array) -> Belief:
        """What is believed at x [d]. Probabilities are Student-t where the signal variance was integrated out."""
        tables = [gp.posterior(x[None, :]) for gp in self.posteriors[1:]]
        p = np.ones(len(self.names))
        for k, (gp, b, t) in enumerate(zip(self.posteriors[1:], self.bounds, tables, strict=True), start=1):
            edges = (np.array([b.lower, b.upper]) - t.mean[0]) / np.sqrt(t.var)
            below = student_cdf(edges, gp.hyper.nu)
            p[k] = below[1] - below[0]
        mean, sd = np.array([self._moments(k, x) for k in range(len(self.names))]).T
        unknown = [name for name, y in zip(self.names, self.dataset.y, strict=True) if not len(y)]
        notes = [f"no value of {name} is known yet" for name in unknown]
        if not self.optimum.feasible:
            notes.append("no feasible region yet: this point is the most probable to be feasible")
        back = [self.names.index(name) for name in self.problem.functions]
        feasibility = float(np.prod(p))
        return Belief(x, mean[back], sd[back], p[back], feasibility, "; ".join([*notes, *self.surrogate.notes]))

    def _moments(self, k: int, x: Array) -> tuple[float, float]:
        """Mean and sd of function k at x; on a changed scale the median and the spread of the central 68 %."""
        table = self.posteriors[k].posterior(x[None, :])
        s = self.surrogate.warps[k]
        mean, sd = table.mean[0], np.sqrt(table.var)
        spread = 0.5 * (unwarp(mean + sd, s) - unwarp(mean - sd, s))
        return float(unwarp(mean, s)[0]), float(spread[0])

    def most_uncertain(self) -> Candidate:
        """Most uncertain admissible (x, bundle) per cost: the last resort when nothing has value.

        argmax of v_k(x)/(b_k a_k) over raw points, the objective and the constraints that are not certain everywhere.
        """
        rated: list[tuple[float, Candidate]] = []
        for S in self.bundles:
            live = [k for k in S if k == 0 or self._uncertain(k)]
            ratio = np.max(
                [self.posteriors[k].posterior(self.raw).var / self.posteriors[k].amplitude for k in live or S], axis=0
            )
            x = self.raw[int(np.argmax(ratio))]
            weight = float(ratio.max()) if live else 1e-6 * float(ratio.max())
            rated.append((weight / self.cost(S), Candidate(x, S, 0.0, self.cost(S))))
        return max(rated, key=lambda pair: pair[0])[1]

    def _uncertain(self, k: int) -> bool:
        table = self.posteriors[k].posterior(self.raw)
        return bool(
            probability(self.bounds[k - 1], table.mean[0], np.sqrt(table.var)).min() < 1.0 - self.settings.delta
        )

    def fallback(self) -> tuple[Candidate, str]:
        """What to do when no evaluation has a measurable value.

        No feasible region: the constraint most likely to forbid the most feasible point, per cost. Otherwise everything
        uncertain at x_r; and where that is known already, the most uncertain place.
        """
        x = self.optimum.x
        if not self.optimum.feasible:
            with np.errstate(divide="ignore"):
                doubt = -np.log(self.feasibilities(x))
            ranked = sorted(
                self.bundles, key=lambda S: -max((doubt[k - 1] for k in S if k), default=0.0) / self.cost(S)
            )
            for S in ranked:
                if any(k > 0 for k in S) and self.evaluable(x, S):
                    why = "no feasible region yet: most doubtful constraint of the best guess"
                    return Candidate(x, S, 0.0, self.cost(S)), why
        S = self.evaluable(x, self.uncertain(x))
        if S and self.affordable(S):
            return Candidate(
                x, S, 0.0, self.cost(S)
            ), "no evaluation has a measurable value: checking the recommendation"
        return self.most_uncertain(), "no evaluation has a measurable value: most uncertain place"

    def proposal(
        self, choice: Candidate, why: str, others: Sequence[Candidate] = (), whole: Candidate | None = None
    ) -> Proposal:
        """Put a choice into words. whole: the choice of which this is an instalment; kept for whoever looks back."""
        note = why
        if choice.value > 0.0:
            note += f"; value per cost {choice.value_per_cost:.3g}"
        rivals = [other for other in others if other.S != choice.S]
        if rivals:
            rival = max(rivals, key=lambda other: other.value_per_cost)
            note += f"; runner-up {self.label(rival.S)} with {rival.value_per_cost:.3g}"
        note = "; ".join([note, *self.surrogate.notes])
        kept = {} if whole is None else {"whole": [self.names[k] for k in whole.S]}
        return Proposal(choice.x, tuple(self.names[k] for k in choice.S), note, self.memory | kept)

    def label(self, S: Iterable[int]) -> str:
        return "+".join(name for name in self.problem.functions if name in {self.names[k] for k in S})


@dataclass(frozen=True)
class Method(ABC):
    """The part all methods share: the recommendation argmax G and the relevance of the constraints."""

    settings: Settings

    @abstractmethod
    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        """Where to evaluate next, and which functions."""

    def least_cost(self, problem: Problem) -> float:
        """The smallest budget with which this method can do anything."""
        return min(bundle.cost for bundle in problem.bundles)

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        return Decision(without_pending(request), self.settings, rng, precise=True).belief()

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        decision = Decision(without_pending(request), self.settings, rng, precise=True)
        judged = judge(decision.utility, decision.optimum, decision.places, decision.names[1:], rng)
        return sorted(judged, key=lambda row: request.problem.functions.index(row.constraint))


def without_pending(request: Request) -> Request:
    """The same request without evaluations under way: what is recommended rests on what is known."""
    data = request.dataset
    none = tuple(np.empty((0, data.dimension)) for _ in data.functions)
    return replace(request, dataset=replace(data, pending=none))
