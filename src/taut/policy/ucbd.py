"""UCB-D: the most promising point that may be feasible, and there the function that could spoil it most per cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.acquisition.confidence import Confidence, ConfidenceBounds, half_width
from taut.base.arrays import Array
from taut.data.dataset import Belief, Proposal, Request
from taut.policy.belief import belief
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.fallback import most_uncertain
from taut.policy.menu import Candidate
from taut.policy.method import Method
from taut.policy.settled import settled


@dataclass(frozen=True)
class UpperConfidence(Method):
    """UCB-D: one function at the optimistic maximum; the objective unless a constraint is the larger risk per cost.

    Its memory counts the decisions, which the widths depend on, and keeps the point with the smallest certified bound.
    """

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        context = Context.of(request, self.settings, rng)
        kept = request.memory.get("ucb", {})
        step = int(kept.get("step", 0))
        settings = context.settings.ucb
        w = half_width(context.dataset.parameters, len(context.bounds), step, settings)
        bounds = Confidence(context.posteriors, context.bounds, w, settings, context.successes, context.domain)
        found = bounds.optimist(context.starts)
        candidate, why = _choice(context, bounds, found.x, found.empty)
        made = proposal(context, candidate, why, context.quick_optimum)
        there = bounds.at(candidate.x[None, :])
        return replace(made, memory={**made.memory, "ucb": _remembered(kept, step, candidate.x, there)})

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        """As all methods, or the queried point with the smallest certified bound so far."""
        kept = request.memory.get("ucb")
        if self.settings.ucb.recommendation == "value" or not kept:
            return super().recommend(request, rng)
        return belief(settled(request, self.settings, rng), np.array(kept["x"]))


def _choice(context: Context, bounds: Confidence, points: Array, empty: bool) -> tuple[Candidate, str]:
    """The first point where something new can be learned, and what to evaluate there."""
    menu = context.menu
    for x in points:
        for k in _ranked(context, x, bounds.at(x[None, :]), empty):
            S = menu.complete([k])
            if menu.is_new(x, k) and menu.affordable(S, x):
                risk = "width of the objective" if k == 0 else "risk of a violation"
                why = f"{risk} at the optimistic maximum, width {bounds.w:.3g}"
                why = "every place is infeasible even at its lower bounds, or cannot be computed" if empty else why
                return menu.candidate(x, S), f"{menu.label(S)}: {why}"
    return most_uncertain(context), "everything at the optimistic maxima is known: most uncertain place"


def _ranked(context: Context, x: Array, bands: ConfidenceBounds, empty: bool) -> list[int]:
    """Functions in the order in which they should be evaluated at x [d]; those that cannot spoil it are left out.

    Empty optimistic set: the largest obstacle first, a lower bound or the doubt that it can be computed. Otherwise
    u_k/b_k and nu/b_0, the objective before its equals.
    """
    menu = context.menu
    if empty:
        worst = bands.obstacle[:, 0]
        return sorted((k for k in menu.everything if worst[k] > -np.inf), key=lambda k: -float(worst[k]))
    risk = bands.upper[:, 0].copy()
    risk[0] = bands.width[0, 0]
    per_cost = {k: float(risk[k]) / menu.cost(menu.complete([k]), x) for k in menu.everything}
    return sorted((k for k in menu.everything if per_cost[k] > 0.0), key=lambda k: (-per_cost[k], k))


def _remembered(kept: dict[str, Any], step: int, x: Array, bands: ConfidenceBounds) -> dict[str, Any]:
    """Decisions made so far, and the queried point with the smallest certified bound."""
    bound = float(bands.certified[0])
    if kept and kept["bound"] <= bound:
        return {**kept, "step": step + 1}
    return {"step": step + 1, "bound": bound, "x": [float(u) for u in x]}
