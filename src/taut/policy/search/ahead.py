"""The way on where constraints meet: a curve along which all of them have to be asked together.

max mu_0 subject to mu_k + m sigma_k within bounds, for several m: where the walls stop the objective if they are a few
standard deviations closer or further. No other candidate follows three walls at once.
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array
from taut.policy.context import Context
from taut.policy.search.optimum import MeanProgram


def ahead(context: Context) -> Array:
    """Ends of these programs from x_r, and places on the way to them; none before x_r has settled. [p, d]."""
    settings, x = context.settings.finish, context.optimum.x
    settled = context.optimum.feasible and context.moved <= settings.ahead_settled
    none = np.empty((0, len(x)))
    if not settings.ahead or len(x) < settings.ahead_from or not settled:
        return none
    programs = [MeanProgram(context.utility, x, m) for m in settings.ahead_sds]
    if not programs[0].near:
        return none
    tolerance, steps = context.settings.optimum.fine_program, context.settings.optimum.program_steps
    found = (context.domain.solve(program, x, tolerance, steps) for program in programs)
    ends = [end for end in found if end is not None]
    way = [x + share * (end - x) for end in ends for share in settings.ahead_way]
    return context.domain.repair(np.array([*ends, *way]).reshape(-1, len(x)))
