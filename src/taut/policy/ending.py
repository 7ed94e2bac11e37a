"""The last part of a run: a verified answer, and the end where there is nothing left to gain.

A method suggests; this decides whether its suggestion is what comes next. While the last part of the budget is left, or
all that is left is expected to bring less than the user would stop at, the recommendation is measured whole instead
(verify.py). After that the rest of a budget is spent on beating it, and a run that may stop is at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import numpy as np

from taut.data.dataset import Proposal, Request
from taut.policy.context import Context
from taut.policy.explain import proposal
from taut.policy.outlook import nothing_left
from taut.policy.settings import Settings
from taut.policy.verify import closing_step, due, may_begin, next_step

Suggest = Callable[[Request, np.random.Generator], Proposal]


def decided(suggest: Suggest, settings: Settings, request: Request, rng: np.random.Generator) -> Proposal | None:
    """What the method suggests, a step towards a verified answer, or None at the end that its user asked for."""
    over = nothing_left(request, settings)
    if not (over and request.verify) and not may_begin(request, settings.verify):
        return None if over else suggest(request, rng)
    context = replace(Context.of(request, settings, deepcopy(rng), precise=True), cautious=True)
    if not over and not due(context):
        return suggest(request, rng)
    step = next_step(context) or (closing_step(context) if over else None)
    if step is not None:
        made = proposal(context, step.candidate, step.why, context.optimum.x, exactly=True)
        return replace(made, memory={**made.memory, "verify": step.memory | ({"stop": request.stop} if over else {})})
    if over:
        return None
    made = suggest(request, rng)
    return replace(made, memory={**made.memory, "verify": {}})
