"""Never sure of what was not looked at: where to look when nothing is left to gain.

A run that believes in its recommendation has evaluations left that are worth 1e-9 of anything, next to it. It is more
likely that the model is wrong. So a decision that finds next to nothing to gain is followed by looks, evaluations where
a sceptical model (surrogate/sceptic.py) has the largest expected improvement over a value worth going there for:

    max over x of log cEI(x; tau),   tau = mu_0(x_r) + 0.01 scale

until the recommendation moves, or the looks that are due are done and the next decision asks again what there is to
gain. How many are due is kept in the memory of a suggestion.

With noise one value makes no place feasible and better, so the gain of one value is small wherever an answer is not
next to another already, and a run refines what it has. So after so many decisions next to x_r two whole designs are
looked at elsewhere if a whole design there promises much more per cost than the best choice,

    max over far x of cEI(x; tau) / cost of all functions >= 3 max over S, x of KG^S(x) / cost_S

far: the prior correlation of the sceptical objective with x_r is small. There x_r creeps on all the time, which ends
no look.
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
from taut.policy.finish import likeness, near
from taut.policy.instalments import first_instalment
from taut.policy.menu import Candidate, best_candidate
from taut.policy.noisy_answer import noisy
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
    if noisy(context) and candidates and not due:
        due, done = _due_with_noise(context, candidates)
        return {key: count for key, count in ((DUE, due), (DONE, done)) if count}
    done = (int(context.request.memory.get(DONE, 0)) + 1) if finished and not due else 0
    if done >= max(context.settings.finish.looks, every):
        due, done = 1, 0
    return {key: count for key, count in ((DUE, due), (DONE, done), (NOTHING, nothing)) if count}


def _due_with_noise(context: Context, candidates: Sequence[Candidate]) -> tuple[int, int]:
    """Looks that are due after a decision among these candidates, and decisions next to x_r since it was asked."""
    settings, best = context.settings.look, best_candidate(list(candidates))
    done = int(context.request.memory.get(DONE, 0)) + int(near(context, best.x[None, :])[0])
    if done < settings.noisy_every:
        return 0, done
    x, value = far_hopes(replace(context, sceptical=True), context)
    if not len(x):
        return 0, 0
    cost = context.menu.cost(context.menu.everything, x[0])
    enough = float(np.exp(value[0])) >= settings.noisy_promise * best.value_per_cost * cost
    return (settings.noisy_designs * len(context.menu.bundles) if enough else 0), 0


def look(context: Context) -> Proposal | None:
    """A look that is due: the first bundle to buy where the sceptical belief hopes most; None if there is none.

    What was never measured near the recommendation comes first (unseen.py).
    """
    due = int(context.request.memory.get(DUE, 0)) if context.settings.look.sceptical else 0
    nothing = int(context.request.memory.get(NOTHING, 0))
    far = noisy(context) and not nothing
    if not due or not context.optimum.feasible or (context.moved > context.settings.look.moved and not far):
        return None
    if not far and (first := unseen(context)) is not None:
        made = proposal(context, first, label(context, first.S), context.optimum.x)
        kept = {key: context.request.memory[key] for key in (DUE, NOTHING) if key in context.request.memory}
        return replace(made, memory={**made.memory, **kept, UNSEEN: True})
    sceptic = replace(context, sceptical=True)
    for x in far_hopes(sceptic, context)[0] if far else hopes(sceptic, context):
        if float(context.computable(x).min()) < context.settings.look.computable:
            continue
        S = context.menu.evaluable(x, sceptic.uncertain(x))
        if any(set(bundle) <= set(S) for bundle in context.menu.bundles):
            part, _ = first_instalment(sceptic, context.menu.candidate(x, S))
            if not context.menu.affordable(part.S, x):
                continue
            left = f"{'nothing' if nothing else 'little'} left to gain near the recommendation"
            left = "more promised far from the recommendation" if far else left
            why = f"{context.menu.label(part.S)}: {left}, a look where a sceptical model hopes most"
            made = proposal(context, part, why, context.optimum.x)
            return replace(made, memory={**made.memory, DUE: due - 1, NOTHING: nothing})
    return None


def hopes(sceptic: Context, context: Context) -> Array:
    """Local maxima of the sceptical expected improvement, best first; [m, d]."""
    settings, x_r = context.settings.look, context.optimum.x
    x, value = local_maxima(sceptic, _hope(sceptic, context), x_r[None, :], settings.starts, settings.climb)
    found: Array = x[np.argsort(-value, kind="stable")]
    return found


def far_hopes(sceptic: Context, context: Context) -> tuple[Array, Array]:
    """Raw samples far from x_r with the largest sceptical expected improvement, best first, and its logarithms.

    ([m, d], [m]). Ascents would end next to x_r, where noise leaves most to hope for.
    """
    settings, samples = context.settings.look, sceptic.raw_samples
    far = likeness(sceptic, samples.x, context.optimum.x) < settings.noisy_far
    value = np.where(far, _hope(sceptic, context).log_value(samples), -np.inf)
    best = np.argsort(-value, kind="stable")[: settings.starts]
    best = best[np.isfinite(value[best])]
    return samples.x[best], value[best]


def _hope(sceptic: Context, context: Context) -> Improvement:
    gp = context.posteriors[0]
    tau = float(gp.mean(context.optimum.x[None, :])[0, 0]) + context.settings.look.worthwhile * gp.scale
    return Improvement(sceptic.utility, tau, context.settings.improvement)
