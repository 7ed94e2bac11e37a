"""UCB-D: the most promising place that may be feasible, and there the function that could spoil it most per cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.acquisition.confidence import Confidence, ConfidenceBounds, schedule, theory
from taut.base.arrays import Array
from taut.data.dataset import Belief, Proposal, Request
from taut.policy.context import Candidate, Decision, Method, without_pending
from taut.policy.settings import Settings


@dataclass(frozen=True)
class UpperConfidence(Method):
    """UCB-D: one function at the optimistic maximum; the objective unless a constraint is the larger risk per cost.

    Its memory counts the decisions, which the widths depend on, and keeps the place with the smallest certified bound.
    """

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        decision = Decision(request, self.settings, rng)
        kept = request.memory.get("ucb", {})
        step = int(kept.get("step", 0))
        bounds = Confidence(decision.posteriors, decision.bounds, _width(self.settings, decision, step))
        found = bounds.optimist(decision.starts)
        choice, why = self._choice(decision, bounds, found.x, found.empty)
        proposal = decision.proposal(choice, why)
        memory = {**proposal.memory, "ucb": _remembered(kept, step, choice.x, bounds.at(choice.x[None, :]))}
        return replace(proposal, memory=memory)

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        """As all methods, or the queried place with the smallest certified bound so far."""
        kept = request.memory.get("ucb")
        if self.settings.recommendation == "value" or not kept:
            return super().recommend(request, rng)
        return Decision(without_pending(request), self.settings, rng, precise=True).belief_at(np.array(kept["x"]))

    def _choice(self, decision: Decision, bounds: Confidence, places: Array, empty: bool) -> tuple[Candidate, str]:
        """The first place where something new can be learned, and what to evaluate there."""
        for x in places:
            bands = bounds.at(x[None, :])
            for k in _ranked(decision, bands, empty):
                S = self._guarded(decision, x, bands, k)
                if decision.is_new(x, k) and decision.affordable(S):
                    label = decision.label(S)
                    if empty:
                        return _bought(decision, x, S), f"{label}: every place is infeasible even at its lower bounds"
                    risk = "width of the objective" if k == 0 else "risk of a violation"
                    return _bought(decision, x, S), f"{label}: {risk} at the optimistic maximum, width {bounds.w:.3g}"
        return decision.most_uncertain(), "everything at the optimistic maxima is known: most uncertain place"

    def _guarded(self, decision: Decision, x: Array, bands: ConfidenceBounds, k: int) -> tuple[int, ...]:
        """The bundle of function k; with the objective also constraints known much worse than it, if affordable."""
        alone = decision.complete([k])
        if k or self.settings.guard_factor is None:
            return alone
        width = bands.width[:, 0]
        wide = [i for i in range(1, len(width)) if width[i] > self.settings.guard_factor * width[0]]
        S = decision.complete([0, *decision.evaluable(x, wide)])
        return S if decision.affordable(S) else alone


def _bought(decision: Decision, x: Array, S: tuple[int, ...]) -> Candidate:
    return Candidate(x, S, 0.0, decision.cost(S))


def _width(chosen: Settings, decision: Decision, step: int) -> float:
    """Half-width in standard deviations."""
    if chosen.width == "constant":
        return chosen.width_constant
    d, K = decision.dataset.dimension, len(decision.bounds)
    return theory(d, K, step + 1) if chosen.width == "theory" else schedule(d, step, chosen.width_divisor)


def _ranked(decision: Decision, bands: ConfidenceBounds, empty: bool) -> list[int]:
    """Functions in the order in which they should be evaluated at a point; those that cannot spoil it are left out.

    Empty optimistic set: the largest lower bound first. Otherwise u_k/b_k and nu/b_0, the objective before its equals.
    """
    functions = range(len(decision.names))
    if empty:
        return sorted(functions[1:], key=lambda k: -float(bands.lower[k, 0]))
    risk = bands.upper[:, 0].copy()
    risk[0] = bands.width[0, 0]
    rate = [float(risk[k]) / decision.cost(decision.complete([k])) for k in functions]
    return sorted((k for k in functions if rate[k] > 0.0), key=lambda k: (-rate[k], k))


def _remembered(kept: dict[str, Any], step: int, x: Array, bands: ConfidenceBounds) -> dict[str, Any]:
    """Decisions made so far, and the queried place with the smallest certified bound."""
    bound = float(bands.certified[0])
    if kept and kept["bound"] <= bound:
        return {**kept, "step": step + 1}
    return {"step": step + 1, "bound": bound, "x": [float(u) for u in x]}
