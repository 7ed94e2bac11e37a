"""The last part of a run: a verified answer, and the end where there is nothing left to gain.

A method suggests; this decides whether its suggestion is what comes next. While the last part of the budget is left, or
all that is left is expected to bring less than the user would stop at, the recommendation is measured whole instead
(verify.py). After that the rest of a budget is spent on beating it, and a run that may stop is at its end. Where a
function is so dear that the suggestion would leave too little for a whole design, the recommendation comes first, too.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.outlook import nothing_left
from taut.policy.settings import Settings
from taut.policy.verify import Verification, closing_step, due, may_begin, next_step, takes_the_last
from taut.policy.waiting import better_later

Suggest = Callable[[Request, np.random.Generator], Proposal]


def decided(suggest: Suggest, settings: Settings, request: Request, rng: np.random.Generator) -> Proposal | None:
    """What the method suggests, a step towards a verified answer, or None at the end that its user asked for."""
    over, before = nothing_left(request, settings), Before(rng)
    if not (over and request.verify) and not may_begin(request, settings.verify):
        made = None if over else suggest(request, rng)
        return made if made is None else _affordable(made, request, settings, before)
    context = _context(request, settings, before)
    if not over and not due(context):
        return _affordable(suggest(request, rng), request, settings, before)
    step = next_step(context) or (closing_step(context) if over else None)
    if step is not None:
        return _patient(context, _verifying(context, step, {"stop": request.stop} if over else {}))
    if over:
        return None
    made = suggest(request, rng)
    return _patient(context, replace(made, memory={**made.memory, "verify": {}}))


class Before:
    """Random numbers as they are now, for later: copying a whole generator takes longer than what is drawn from it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._state = rng, rng.bit_generator.state

    def generator(self) -> np.random.Generator:
        made = deepcopy(self._rng)
        made.bit_generator.state = self._state
        return made


def _context(request: Request, settings: Settings, before: Before) -> Context:
    return replace(Context.of(request, settings, before.generator(), precise=True), cautious=True)


def _verifying(context: Context, step: Verification, more: dict[str, Any]) -> Proposal:
    made = proposal(context, step.candidate, step.why, context.optimum.x, exactly=True)
    return replace(made, memory={**made.memory, "verify": step.memory | more})


def _affordable(made: Proposal, request: Request, settings: Settings, before: Before) -> Proposal:
    """What was suggested, unless it takes what a verified answer needs; then a step towards that, if there is one."""
    if not takes_the_last(request, made):
        return made
    context = _context(request, settings, before)
    step = next_step(context)
    return made if step is None else _patient(context, _verifying(context, step, {}))


def _patient(context: Context, made: Proposal) -> Proposal:
    return replace(made, waits=better_later(context, made))
