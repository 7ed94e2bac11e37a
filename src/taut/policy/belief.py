"""What a decision's models say of one point, for people: means, spreads and probabilities."""

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import student_cdf
from taut.data.dataset import Belief
from taut.policy.context import Context
from taut.surrogate.warp import unwarp


def belief(context: Context, x: Array, recommended: bool = True) -> Belief:
    """What is believed at x [d]. Probabilities are Student-t where the signal variance was integrated out.

    recommended: is x the recommendation?
    """
    names = context.names
    p = np.array([1.0, *(_probability(context, k, x) for k in range(1, len(names)))])
    mean, sd = np.array([_moments(context, k, x) for k in range(len(names))]).T
    unknown = [name for name, y in zip(names, context.dataset.y, strict=True) if not len(y)]
    notes = [f"no value of {name} is known yet" for name in unknown]
    if recommended and not context.optimum.feasible:
        notes.append("no feasible region yet: this point is the most probable to be feasible")
    back = [names.index(name) for name in context.request.problem.functions]
    note = "; ".join([*notes, *context.notes])
    return Belief(x, mean[back], sd[back], p[back], float(np.prod(p)), note)


def _probability(context: Context, k: int, x: Array) -> float:
    """Of constraint k at x: 1 or 0 where it was measured without noise."""
    y, view = context.measured.value(k, x, context.settings.verify.same_point), context.dataset.functions[k]
    if y is not None and view.noise is None:
        return float(view.lower <= y <= view.upper)
    gp, b = context.surrogate.honest(k), context.bounds[k - 1]
    there = gp.posterior(x[None, :])
    below = student_cdf((np.array([b.lower, b.upper]) - there.mean[0]) / np.sqrt(there.var), gp.hyper.nu)
    return max(float(below[1] - below[0]), 0.0)  # a very narrow interval: rounding errors


def _moments(context: Context, k: int, x: Array) -> tuple[float, float]:
    """Mean and sd of function k at x; on a changed scale the median and the spread of the central 68 %."""
    gp = context.surrogate.honest(k)
    there = gp.posterior(x[None, :])
    s, unit = context.surrogate.warps[k], context.dataset.functions[k].unit
    mean, sd = there.mean[0], np.sqrt(there.var) * standard_deviation(gp.hyper.nu)
    spread = 0.5 * (unwarp(mean + sd, s) - unwarp(mean - sd, s))
    return float(unwarp(mean, s)[0]) / unit, float(spread[0]) / unit


def standard_deviation(nu: float) -> float:
    """Of a Student-t with nu degrees of freedom in units of its scale, sqrt(nu/(nu - 2)); of a normal 1."""
    return float(np.sqrt(nu / (nu - 2.0))) if 2.0 < nu < np.inf else 1.0
