"""What a decision's models say of one point, for people: means, spreads and probabilities."""

from collections.abc import Sequence

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import student_cdf
from taut.data.dataset import Belief
from taut.policy.coarse import coarse_variance
from taut.policy.context import Context

WORTH_A_NOTE = 0.99
"""A probability that a function can be computed below this is put into words."""

MOST_IN_THE_WAY = 3
"""Constraints that are named where no design is feasible."""


def belief(context: Context, x: Array, recommended: bool = True) -> Belief:
    """What is believed at x [d]. Probabilities are Student-t where the signal variance was integrated out.

    Feasibility is the probability that all functions can be computed and all constraints hold.

    recommended: is x the recommendation?
    """
    names, problem = context.names, context.request.problem
    q = np.array([_computable(context, k, x) for k in range(len(names))])
    p = np.array([1.0, *(_probability(context, k, x) for k in range(1, len(names)))])
    mean, sd = np.array([_moments(context, k, x) for k in range(len(names))]).T
    unknown = [names[k] for k in context.menu.everything if not len(context.dataset.y[k])]
    notes = [f"no value of {name} is known yet" for name in unknown]
    notes += [_doubt(context, k, each) for k, each in enumerate(q) if each < WORTH_A_NOTE]
    if recommended and not context.optimum.feasible:
        notes.append("no feasible region yet: this point is the most probable to be feasible" + _in_the_way(names, p))
    by_name = dict(zip(names, zip(mean, sd, p, strict=True), strict=True)) | _known(context, x)
    notes += [f"{name} cannot be computed here" for name, (y, _, _) in by_name.items() if np.isnan(y)]
    mean, sd, p = np.array([by_name[name] for name in problem.functions]).T
    note = "; ".join([*notes, *context.notes])
    return Belief(x, mean, sd, p, float(np.prod(p)) * _all_computable(context, q), note)


def _in_the_way(names: Sequence[str], p: Array) -> str:
    """Which constraints probably do not hold at the safest design, the least likely first; p: of every function."""
    order = [k for k in np.argsort(p, kind="stable") if p[k] < 0.5]
    if not order:
        return ""
    found = ", ".join(f"{names[k]} (holds with {p[k]:.2g})" for k in order[:MOST_IN_THE_WAY])
    more = len(order) - MOST_IN_THE_WAY
    return f"; in the way: {found}" + (f" and {more} more" if more > 0 else "")


def _known(context: Context, x: Array) -> dict[str, tuple[float, float, float]]:
    """Of every known function at x [d]: its value, no doubt, and whether it holds (of the objective: has a value)."""
    found = {}
    for view in context.request.dataset.functions:
        if view.known is not None:
            y = float(view.known.values(x[None, :])[0])
            found[view.name] = y, 0.0, float(view.lower <= y <= view.upper)
    return found


def _computable(context: Context, k: int, x: Array) -> float:
    """Probability that function k can be computed at x [d]; where it has been, or has failed, that is known."""
    data, within = context.dataset, context.menu.same_point
    if context.successes is None or not len(data.failed[k]):
        return 1.0
    for points, known in ((data.X[k], 1.0), (data.failed[k], 0.0)):
        if len(points) and float(np.abs(points - x).max(axis=1).min()) <= within:
            return known
    return float(context.computable(x)[k])


def _all_computable(context: Context, q: Array) -> float:
    """Probability that all functions can be computed, from that of each [K + 1]; those with one cause count once."""
    if context.successes is None:
        return 1.0
    causes = np.array(context.successes.of_function)
    return float(np.prod([q[causes == i].min() for i in range(len(context.successes.models))]))


def _doubt(context: Context, k: int, q: float) -> str:
    failed, known = len(context.dataset.failed[k]), len(context.dataset.X[k])
    seen = f"{context.names[k]} could not be computed at {failed} of {failed + known} points"
    return f"{seen}: here it can with probability {q:.3g}"


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
    unit = context.dataset.functions[k].unit
    mean = there.mean[0]
    sd = np.sqrt(there.var + coarse_variance(context, k, x, mean)) * standard_deviation(gp.hyper.nu)
    middle, low, high = (context.surrogate.unscaled(k, each) for each in (mean, mean - sd, mean + sd))
    return float(middle[0]) / unit, float(0.5 * (high - low)[0]) / unit


def standard_deviation(nu: float) -> float:
    """Of a Student-t with nu degrees of freedom in units of its scale, sqrt(nu/(nu - 2)); of a normal 1."""
    return float(np.sqrt(nu / (nu - 2.0))) if 2.0 < nu < np.inf else 1.0
