"""What one decision rests on: the fitted belief, the utility of recommending a point, and its optimum.

Everything is computed once, when first asked for, from the request and the random numbers of its own stage: the order
of asking changes nothing.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from taut.acquisition.feasibility import Bounds, probability
from taut.acquisition.utility import Moments, RawSamples, Utility, moments, penalty
from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.data.beliefs import value_to_inner
from taut.data.dataset import Dataset, Request
from taut.data.edges import edges
from taut.data.measured import Measured
from taut.data.moderate import in_unit, moderated
from taut.policy.menu import Menu, Set, spacing
from taut.policy.search.focus import Look, best_places, foci, once
from taut.policy.search.optimum import Optimum, or_known_place, quick_optimum, recommend
from taut.policy.settings import Settings
from taut.surrogate.gp import GP
from taut.surrogate.model import Surrogate, fit_surrogate, with_pending
from taut.surrogate.selection import Selection, rough_selection
from taut.surrogate.success import Successes
from taut.surrogate.success_fit import fit_successes

Stage = Literal["raw", "ei", "inner", "candidates", "paths", "relevance", "prices", "outlook"]


@dataclass(frozen=True)
class Context:
    """The belief of one decision. precise: x_r is the answer itself and is searched to the last digit.

    cautious: it rests on all doubts there are, as what is promised does, instead of on what is most likely. sceptical:
    on what values far from each other say. look: where there are very many values, the belief of some of them, which
    says which the models are built on.
    """

    request: Request
    settings: Settings
    offer: Menu
    seed: int
    precise: bool = False
    cautious: bool = False
    sceptical: bool = False
    look: Look | None = None

    @staticmethod
    def of(request: Request, settings: Settings, rng: np.random.Generator, precise: bool = False) -> Context:
        chosen = settings.for_problem(request.dataset.parameters)
        # By name: reordering them must not even round. Known constraints are no part of the belief, but of the domain.
        declared, simulated = request.problem.functions, set(request.problem.simulated)
        names = (declared[0], *sorted(simulated - {declared[0]}))
        dataset = moderated(request.dataset.ordered([declared.index(name) for name in names]))
        same, prices = chosen.pending.same_point, request.prices
        offer = Menu(request.problem, names, dataset, request.remaining, same, prices=prices)
        return Context(request, chosen, offer, int(rng.integers(2**31)), precise)

    def generator(self, stage: Stage) -> np.random.Generator:
        """The random numbers of a stage, the same each time it asks."""
        return np.random.default_rng([self.seed, *stage.encode()])

    @property
    def dataset(self) -> Dataset:
        return self.offer.dataset

    @property
    def domain(self) -> Domain:
        """Where searches may go."""
        return self.offer.domain

    @property
    def names(self) -> tuple[str, ...]:
        return self.offer.names

    @cached_property
    def menu(self) -> Menu:
        """What may be evaluated, with rough functions kept apart from their own values."""
        return replace(self.offer, apart=spacing(self.surrogate.processes, self.settings.pending))

    @cached_property
    def measured(self) -> Measured:
        """What was measured, point by point; known constraints come after the functions of the belief."""
        return Measured.with_known(self.dataset, self.request.dataset)

    @cached_property
    def surrogate(self) -> Surrogate:
        memory, cache = self.request.memory.get("fit", {}), self.request.cache
        if self.look is not None:
            memory, cache = self.look.fit or memory, self._cached(f"look {self.look.number}")
        elif self.selection.partial:
            memory = self._first_look.surrogate.memory  # hyperparameters are found there
        errors, last = self.request.errors, self._last
        fitted = fit_surrogate(self.dataset, self.settings.model, memory, cache, self.selection, errors, last)
        if self.sceptical:
            return fitted.sceptical(self.dataset.functions, self.settings.model)
        return fitted.cautious if self.cautious else fitted

    @cached_property
    def selection(self) -> Selection:
        """What the models are built on: all rows of a function, or of very many those that matter here."""
        if self.look is not None:
            return self.look.selection
        first = self._first_look
        if not first.selection.partial:
            return first.selection
        on = (self.settings, self.request.problem, self.request.memory, self.request.errors)
        kept = self._cached(f"near {self.sceptical} {self.cautious}")
        return once(kept, self.dataset, on, lambda: self._around(first))

    def _around(self, first: Context) -> Selection:
        """A first selection with what is near its recommendation and rivals, and near those of the models after it."""
        settings, most, look, chosen = self.settings.focus, self.settings.model.most_values, first, first.selection
        best = best_places(first.utility, first.surrogate.on_scales(self.dataset), settings)
        lengths = [gp.hyper.l for gp in first.surrogate.processes]
        for number in range(1, settings.rounds + 1):
            points, weights = foci(look.raw_samples, look.optimum, best, settings)
            chosen = chosen.with_near(points, weights, lengths, most, 1.0 / (settings.rounds + 1 - number))
            look = replace(first, look=Look(number, chosen, best, first.surrogate.memory))
        return chosen

    @cached_property
    def _first_look(self) -> Context:
        chosen = rough_selection(self.dataset, self.settings.model, self._cached("places"))
        # Not the random numbers of the question: what models are built on depends on what is known alone.
        return replace(self, seed=0, precise=False, look=Look(0, chosen))

    def _cached(self, what: str) -> MutableMapping[str, Any]:
        """A part of the request's cache; no function has such a name."""
        part: MutableMapping[str, Any] = self.request.cache.setdefault(f" {what}", {})
        return part

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the models, and numerical trouble."""
        if not self.selection.partial:
            return self.surrogate.notes
        return (self.selection.note(self.dataset), *self._first_look.surrogate.notes, *self.surrogate.notes)

    @cached_property
    def bounds(self) -> tuple[Bounds, ...]:
        """Feasible intervals of the constraints (edges.py), on the scale of their processes."""
        rows = enumerate(zip(self.dataset.functions, self.dataset.y, strict=True))
        found = [self.surrogate.scaled(k, edges(view, y)) for k, (view, y) in rows if k]
        return tuple(Bounds(float(low), float(high)) for low, high in found)

    @cached_property
    def posteriors(self) -> tuple[GP, ...]:
        """Processes conditioned on evaluations under way, outcomes replaced by their means."""
        return with_pending(self.surrogate, self.dataset.pending, 1, self.seed)

    @cached_property
    def fantasies(self) -> tuple[GP, ...]:
        """Processes conditioned on evaluations under way, with several draws of their outcomes."""
        pending = any(len(points) for points in self.dataset.pending)
        draws = self.settings.pending.draws if pending else 1
        return with_pending(self.surrogate, self.dataset.pending, draws, self.seed)

    @cached_property
    def raw(self) -> Array:
        """Quasi-random points; [m, d]."""
        assert self.settings.optimum.raw is not None
        return self.domain.sample(self.settings.optimum.raw, self.generator("raw"))

    @cached_property
    def observed_points(self) -> Array:
        """All evaluated points that models are built on, each once; [m, d]."""
        given = None if self.look is None else self.look.places
        return self.domain.inside(self.selection.points(self.dataset) if given is None else given)

    def best_observed(self, most: int) -> Array:
        """Evaluated points with the largest G, best first; where models are built on a selection, by raw samples."""
        if self.selection.partial:
            samples = self.raw_samples
            known, value = samples.x[samples.observed], samples.log_value[samples.observed]
        else:
            known = self.observed_points
            value = self.utility.log_value(known) if len(known) else np.empty(0)
        best: Array = known[np.argsort(-value, kind="stable")[:most]]
        return best

    @cached_property
    def _last(self) -> Array:
        """The last recommendation, if there is one; [0 or 1, d]."""
        last = np.array(self.request.memory.get("best", []), dtype=float).reshape(-1, self.dataset.dimension)
        return self.domain.inside(last)

    @cached_property
    def starts(self) -> Array:
        """The last recommendation, evaluated points, quasi-random ones, and x_r with other discrete values; [m, d]."""
        return np.vstack([self._last, self.observed_points, self.raw, self.domain.across(self._last)])

    @cached_property
    def _objective(self) -> Moments:
        """What is believed of the objective at the starts; [m]."""
        return moments(self.posteriors[0], self.starts, self.settings.utility)

    @cached_property
    def utility(self) -> Utility:
        """G."""
        given = self.settings.optimum.penalty
        if given is not None:
            M = in_unit(value_to_inner(self.request.problem, self.names[0], given), self.dataset.functions[0].unit)
            M = float(self.surrogate.bend.of(np.array(M)))
        else:
            M = penalty(self.posteriors[0], self.starts, self._objective.mean, self.settings.utility, self.domain)
        return Utility(self.posteriors, self.bounds, M, self.settings.utility, self.successes, self.domain)

    @cached_property
    def successes(self) -> Successes | None:
        """Where each function can be computed; None if none has ever failed."""
        return fit_successes(self.dataset, self.settings.success, self._cached("success"))

    @cached_property
    def raw_samples(self) -> RawSamples:
        """The starts with what searches need to choose among them."""
        observed = np.zeros(len(self.starts), dtype=bool)
        observed[len(self._last) : len(self._last) + len(self.observed_points)] = True
        return self.utility.raw_samples(self.starts, self._objective, observed)

    @cached_property
    def optimum(self) -> Optimum:
        """The recommendation x_r and its surroundings."""
        found = recommend(self.utility, self.raw_samples, self.settings.optimum, self.precise)
        if not found.feasible or not any(gp.hyper.rough for gp in self.surrogate.processes):
            return found
        return or_known_place(self.utility, found, self.best_observed(self.settings.optimum.known_places))

    @cached_property
    def quick_optimum(self) -> Array:
        """Something close to x_r without a search; [d]."""
        return quick_optimum(self.utility, self.raw_samples, self.settings.optimum)

    @property
    def moved(self) -> float:
        """How far the recommendation is from the last one, max-norm; infinite if there is none."""
        return float(np.abs(self._last - self.optimum.x).max()) if len(self._last) else np.inf

    def shape(self, x: Array) -> Array:
        """Inverse Hessian of -log(G - M) at x [d]; [d, d]."""
        metric: Array = self.domain.curvature(lambda at, _: self.utility.log_value_with_gradient(at), x[None, :])[0]
        return metric

    def feasibilities(self, x: Array) -> Array:
        """PF_k at x [d] for every constraint; [K]."""
        there = zip(self.bounds, (gp.posterior(x[None, :]) for gp in self.posteriors[1:]), strict=True)
        return np.array([float(probability(b, p.mean[0], np.sqrt(p.var))[0]) for b, p in there])

    def computable(self, x: Array) -> Array:
        """q_k at x [d] for every function; [K + 1]."""
        q = np.ones(len(self.names))
        if self.successes is not None:
            found = [float(model.probability(x[None, :])[0]) for model in self.successes.models]
            for k, i in enumerate(self.successes.of_function):
                q[k] = found[i] if i >= 0 else 1.0
        return q

    def uncertain(self, x: Array) -> Set:
        """The objective and every constraint with PF_k(x) < 1 - delta, with group mates."""
        least = 1.0 - self.settings.sets.delta
        return self.menu.complete([0, *(k + 1 for k, p in enumerate(self.feasibilities(x)) if p < least)])


def without_pending(request: Request) -> Request:
    """The same request without evaluations under way: what is recommended rests on what is known."""
    data = request.dataset
    none = tuple(np.empty((0, data.dimension)) for _ in data.functions)
    return replace(request, dataset=replace(data, pending=none))
