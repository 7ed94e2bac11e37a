"""The limits of a constraint as its model should see them, where values that hold lie on the limit itself.

A flag that must be at least 1, a count of collisions that must be 0: every value that holds is the limit, and a model
with that value as its mean gives every new place a probability of one half. Any limit between the values that hold and
those that do not says the same of all that is known, so the one halfway is taken. That needs values that come in
steps: where those beyond the limit are all different, as those of max(0, violation) are, the limit stays where it is,
because smaller violations than any that was seen are to be expected.
"""

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut.base.knob import NEVER_TUNED, knob
from taut.data.dataset import FunctionView


@dataclass(frozen=True)
class EdgeSettings:
    """Where a model has the limit of a constraint whose values lie on it."""

    on_limit: int = knob(3, "values on a limit, with none inside, that are no accident", NEVER_TUNED)
    repeated: int = knob(
        2, "times that each value beyond it was seen, on the average, if they come in steps", NEVER_TUNED
    )


EDGES = EdgeSettings()


def edges(view: FunctionView, y: Array) -> Array:
    """Lower and upper limit for the model of values y [n], in inner form; [2]."""
    declared = np.array([view.lower, view.upper])
    if view.noise is not None or ((y > view.lower) & (y < view.upper)).any():
        return declared
    return np.array([-_edge(-view.lower, -y), _edge(view.upper, y)])


def _edge(limit: float, y: Array) -> float:
    """The upper limit; where nothing was ever beyond it, further away than all that was seen."""
    if np.sum(y == limit) < EDGES.on_limit:
        return limit
    beyond = y[y > limit]
    if not len(beyond):
        return limit + (float(np.ptp(y)) or 1.0)
    levels = len(np.unique(beyond))
    steps = levels == 1 or EDGES.repeated * levels <= len(beyond)
    return 0.5 * limit + 0.5 * float(beyond.min()) if steps else limit
