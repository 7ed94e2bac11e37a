"""Before a look elsewhere: every function has been measured next to the recommendation.

A constraint that its model takes for certainly met at x_r is never asked for, so that a model which is wrong there is
never found out, and the run ends with an answer that does not hold. Where a run has found next to nothing left to gain,
and wants a verified answer in the end, the functions without a value (or a failure, or an evaluation under way) within
`near` of x_r are measured at x_r first, the most likely to spoil it, per cost, before the others. If a value moves the
recommendation, there is something to gain again; if none does, a part of what verification needs is known.
"""

from __future__ import annotations

import numpy as np

from taut.policy.context import Context
from taut.policy.instalments import first_instalment
from taut.policy.menu import Candidate, Set

KEY = "unseen"
"""Of the memory: that this was such a decision, for whoever computes it again; it needs a run that verifies."""


def unseen(context: Context) -> Candidate | None:
    """The bundle to measure at x_r, if functions were never measured near it and that costs little enough."""
    request, menu, x = context.request, context.menu, context.optimum.x
    if not request.verify or not context.optimum.feasible:
        return None
    missing = menu.evaluable(x, [k for k in menu.everything if _nobody_near(context, k)])
    if not missing or menu.cost(missing, x) > context.settings.look.unseen_share * request.remaining:
        return None
    found, _ = first_instalment(context, menu.candidate(x, missing))
    return found if menu.affordable(found.S, x) else None


def _nobody_near(context: Context, k: int) -> bool:
    """Has function k neither a value nor a failure within `near` of x_r, nor an evaluation under way?"""
    data = context.dataset
    known = np.vstack([data.X[k], data.failed[k], data.pending[k]])
    near = context.settings.look.unseen_near
    return not len(known) or bool(context.domain.distances(known, context.optimum.x).min() > near)


def label(context: Context, S: Set) -> str:
    """Why, in words."""
    return f"{context.menu.label(S)}: little left to gain, and not measured near the recommendation yet"
