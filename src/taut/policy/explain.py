"""A candidate as a proposal: its functions by name, why in words, and what the history keeps for the next decision."""

from __future__ import annotations

from collections.abc import Sequence

from taut.base.arrays import Array
from taut.data.dataset import Proposal
from taut.policy.context import Context
from taut.policy.menu import Candidate


def proposal(
    context: Context,
    candidate: Candidate,
    why: str,
    best: Array,
    others: Sequence[Candidate] = (),
    whole: Candidate | None = None,
) -> Proposal:
    """best: the recommendation [d] from which the next search starts; others: what the candidate was compared with.

    whole: the set of which this is an instalment; kept for whoever looks back.
    """
    menu, note = context.menu, why
    if candidate.value > 0.0:
        note += f"; value per cost {candidate.value_per_cost:.3g}"
    rivals = [other for other in others if other.S != candidate.S]
    if rivals:
        rival = max(rivals, key=lambda other: other.value_per_cost)
        note += f"; runner-up {menu.label(rival.S)} with {rival.value_per_cost:.3g}"
    memory = {"fit": context.surrogate.memory, "best": [float(u) for u in best]}
    if whole is not None:
        memory["whole"] = [menu.names[k] for k in whole.S]
    functions = tuple(menu.names[k] for k in candidate.S)
    return Proposal(context.snapped(candidate.x), functions, "; ".join([note, *context.notes]), memory)
