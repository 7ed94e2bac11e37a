"""Never sure of what was not looked at: where to look when nothing is left to gain.

A run that believes in its recommendation has evaluations left that are worth 1e-9 of anything, next to it. It is more
likely that the model is wrong. So a decision that finds next to nothing to gain is followed by looks, evaluations where
a sceptical model (surrogate/sceptic.py) has the largest expected improvement over a value worth going there for:

    max over x of log cEI(x; tau),   tau = mu_0(x_r) + 0.01 scale

until the recommendation moves, or the looks that are due are done and the next decision asks again what there is to
gain. How many are due is kept in the memory of a suggestion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taut.acquisition.improvement import Improvement
from taut.base.arrays import Array
from taut.data.dataset import Proposal
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.instalments import first_instalment
from taut.policy.menu import Candidate
from taut.policy.search.ei_maxima import local_maxima
from taut.policy.search.pricing import cost_unit
from taut.policy.unseen import KEY as UNSEEN
from taut.policy.unseen import label, unseen

DUE = "looks"
"""Key of the memory: looks that are due before the next decision asks for gains."""
DONE = "finished"
"""Key of the memory: decisions since the last look that were kept near x_r."""
NOTHING = "nothing_left"
"""Key of the memory: looks that followed the last decision because it found nothing to gain."""


def looks_due(context: Context, candidates: Sequence[Candidate], finished: bool, every: int = 0) -> dict[str, int]:
    """What the history keeps: looks that follow a decision among these candidates; finished: it was kept near x_r.

    every: so many decisions at least between looks. None while nothing is feasible: there is all to gain.
    """
    settings = context.settings.look
    if not settings.sceptical or not context.optimum.feasible:
        return {}
    best = max((each.value_per_cost for each in candidates), default=0.0) / context.surrogate.processes[0].scale
    best *= cost_unit(context)
    due = nothing = next((count for least, count in settings.nothing_left if best < least), 0)
    done = (int(context.request.memory.get(DONE, 0)) + 1) if finished and not due else 0
    if done >= max(context.settings.finish.looks, every):
        due, done = 1, 0
    return {key: count for key, count in ((DUE, due), (DONE, done), (NOTHING, nothing)) if count}


def look(context: Context) -> Proposal | None:
    """A look that is due: the first bundle to buy where the sceptical belief hopes most; None if there is none.

    What was never measured near the recommendation comes first (unseen.py).
    """
    due = int(context.request.memory.get(DUE, 0)) if context.settings.look.sceptical else 0
    if not due or context.moved > context.settings.look.moved or not context.optimum.feasible:
        return None
    if (first := unseen(context)) is not None:
        made = proposal(context, first, label(context, first.S), context.optimum.x)
        kept = {key: context.request.memory[key] for key in (DUE, NOTHING) if key in context.request.memory}
        return replace(made, memory={**made.memory, **kept, UNSEEN: True})
    sceptic = replace(context, sceptical=True)
    for x in hopes(sceptic, context):
        if float(context.computable(x).min()) < context.settings.look.computable:
            continue
        S = context.menu.evaluable(x, sceptic.uncertain(x))
        if any(set(bundle) <= set(S) for bundle in context.menu.bundles):
            part, _ = first_instalment(sceptic, context.menu.candidate(x, S))
            if not context.menu.affordable(part.S, x):
                continue
            nothing = int(context.request.memory.get(NOTHING, 0))
            left = f"{'nothing' if nothing else 'little'} left to gain near the recommendation"
            why = f"{context.menu.label(part.S)}: {left}, a look where a sceptical model hopes most"
            made = proposal(context, part, why, context.optimum.x)
            return replace(made, memory={**made.memory, DUE: due - 1, NOTHING: nothing})
    return None


def hopes(sceptic: Context, context: Context) -> Array:
    """Local maxima of the sceptical expected improvement, best first; [m, d]."""
    settings, gp, x_r = context.settings.look, context.posteriors[0], context.optimum.x
    tau = float(gp.mean(x_r[None, :])[0, 0]) + settings.worthwhile * gp.scale
    score = Improvement(sceptic.utility, tau, context.settings.improvement)
    x, value = local_maxima(sceptic, score, x_r[None, :], settings.starts, settings.climb)
    found: Array = x[np.argsort(-value, kind="stable")]
    return found
