"""Last money that had better wait: with several evaluations under way, not all of it is spent on one doubtful design.

What is asked for while others are under way rests on values that are not there yet. That is no matter while money for
another design is left. It is where a suggestion leaves less than one: an answer is not begun before everything that
may move it has come in, and the rest of a design that is begun waits for the part under way that may spoil it. A value
that breaks a limit has then cost itself alone, and what is left completes the next best design.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Proposal
from taut.policy.context import Context, without_pending
from taut.policy.verify import begun, holding, is_under_way, leaves_too_little


def better_later(context: Context, made: Proposal) -> bool:
    """Is a suggestion of the last part of a budget better made again when what is under way has come in?"""
    request, settings = context.request, context.settings.verify
    if not any(len(points) for points in context.dataset.pending) or not leaves_too_little(request, made):
        return False
    kept, aim = _target(request.memory), _target(made.memory)
    if not begun(request):
        return True
    if aim is not None and (kept is None or float(np.abs(aim - kept).max()) > settings.same_point):
        return True
    return kept is not None and _hope(context, kept) < settings.at_once


def _target(memory: Any) -> Array | None:
    found = memory.get("verify", {}).get("target")
    return None if found is None else np.array(found)


def _hope(context: Context, x: Array) -> float:
    """Probability that nothing that is under way at x [d] spoils it as an answer."""
    there = [is_under_way(context, k, x, context.settings.verify.same_point) for k in context.menu.everything]
    if not any(there):
        return 1.0
    return float(np.prod(holding(_as_known(context), x)[list(context.menu.everything)][there]))


def _as_known(context: Context) -> Context:
    """Without evaluations under way, whose values would be taken for their means."""
    data = context.dataset
    offer = replace(context.offer, dataset=replace(data, pending=tuple(points[:0] for points in data.pending)))
    return replace(context, request=without_pending(context.request), offer=offer)
