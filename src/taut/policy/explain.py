"""A candidate as a proposal: its functions by name, why in words, and what the history keeps for the next decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.data.considered import CONSIDERED, kept
from taut.data.dataset import Proposal
from taut.data.honesty import PREDICTED
from taut.policy.coarse import coarse_variance
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set, ranked


def proposal(
    context: Context,
    candidate: Candidate,
    why: str,
    best: Array,
    others: Sequence[Candidate] = (),
    whole: Candidate | None = None,
    exactly: bool = False,
    rough: Sequence[Candidate] = (),
) -> Proposal:
    """best: the recommendation [d] from which the next search starts; others: what the candidate was compared with.

    whole: the set of which this is an instalment; kept for whoever looks back. exactly: not moved onto an evaluated
    place next to it. rough: candidates that were valued at first sight only, kept likewise.
    """
    menu, note = context.menu, why
    x = candidate.x if exactly else _snapped(context, candidate.x)
    if not context.domain.holds(x):  # an evaluated place that known constraints forbid
        x = candidate.x
    if candidate.value > 0.0:
        note += f"; value per cost {candidate.value_per_cost:.3g}"
    rivals = [other for other in others if other.S != candidate.S]
    if rivals:
        rival = max(rivals, key=lambda other: other.value_per_cost)
        note += f"; runner-up {menu.label(rival.S)} with {rival.value_per_cost:.3g}"
    memory: dict[str, Any] = {"fit": context.surrogate.memory, "best": [float(u) for u in best]}
    memory[PREDICTED] = {menu.names[k]: _predicted(context, k, x) for k in candidate.S}
    memory[CONSIDERED] = _considered(context, candidate if whole is None else whole, others, rough)
    if whole is not None:
        memory["whole"] = [menu.names[k] for k in whole.S]
    functions = tuple(menu.names[k] for k in candidate.S)
    return Proposal(x, functions, "; ".join([note, *context.notes]), memory)


def _snapped(context: Context, x: Array) -> Array:
    """x [d], or the evaluated point next to it; designs are only gathered if there is one."""
    evaluated, same = np.vstack([*context.dataset.X, *context.dataset.failed]), context.menu.same_point
    near = len(evaluated) > 0 and float(np.abs(evaluated - x).max(axis=1).min()) <= same
    return context.measured.snapped(x, same) if near else x


def _considered(
    context: Context, chosen: Candidate, others: Sequence[Candidate], rough: Sequence[Candidate]
) -> list[list[Any]]:
    """The best of every set that was considered, for whoever looks back; see data.considered.

    The decision, what it was compared with by value per cost, then sets that never got beyond the first sight.
    """
    found: dict[Set, tuple[Candidate, bool]] = {chosen.S: (chosen, True)}
    for candidates, precise in ((others, True), (rough, False)):
        for each in ranked(candidates):
            found.setdefault(each.S, (each, precise))
    unit, menu = context.dataset.functions[0].unit, context.menu
    return [
        kept(context.request.problem, [menu.names[k] for k in S], each.x, each.value / unit, each.cost, precise)
        for S, (each, precise) in found.items()
    ]


def _predicted(context: Context, k: int, x: Array) -> list[float | None]:
    """What a value of function k at x [d] is expected to be, as honesty reads it: [mean, scale, nu, warp, unit, w].

    Of a function on a logarithmic scale pivot, size and direction of its bend follow.

    Without pending evaluations, whose outcomes were only supposed; with the noise of one value, where it has any.
    """
    gp, view = context.surrogate.honest(k), context.dataset.functions[k]
    there = gp.posterior(x[None, :])
    noise = 0.0 if view.noise is None else gp.noise
    printed = coarse_variance(context, k, x, there.mean[0])
    scale, nu = float(np.sqrt(there.var[0] + noise + printed)), float(gp.hyper.nu)
    mean = float(there.mean[0, 0])
    freedom, s, w = nu if math.isfinite(nu) else None, float(context.surrogate.warps[k]), context.surrogate.widths[k]
    bend = context.surrogate.bend_of(k)
    return [mean, scale, freedom, s, view.unit, w, *(map(float, bend) if bend.size else ())]
