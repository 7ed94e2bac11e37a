"""What a decision's models say of many points at once; belief.py says the same of one, with notes."""

from functools import partial

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.blocks import SURVEYED
from taut.base.normal import student_cdf
from taut.data.survey import Survey
from taut.policy.belief import standard_deviation
from taut.policy.context import Context


def survey(context: Context, X: Array) -> Survey:
    """What is believed at X [m, d], in inner form; the slow twin is belief at each point."""
    parts = [_block(context, X[first : first + SURVEYED]) for first in range(0, len(X), SURVEYED)]
    empty = np.empty((0, len(context.names)))
    mean, sd, p = (np.vstack([empty, *(part[i] for part in parts)]) for i in range(3))
    feasible = np.concatenate([np.empty(0), *(part[3] for part in parts)])
    return _with_known(context, X, Survey(mean, sd, p, feasible))


def _with_known(context: Context, X: Array, found: Survey) -> Survey:
    """In declared order, with the values of known functions, which nobody doubts."""
    mean, sd, p = np.empty((3, len(X), len(context.request.problem.functions)))
    feasible = found.feasibility.copy()
    for k, view in enumerate(context.request.dataset.functions):
        if view.known is None:
            j = context.names.index(view.name)
            mean[:, k], sd[:, k], p[:, k] = found.mean[:, j], found.sd[:, j], found.probability[:, j]
        else:
            mean[:, k], sd[:, k] = view.known.values(X), 0.0
            p[:, k] = (view.lower <= mean[:, k]) & (mean[:, k] <= view.upper)
            feasible *= p[:, k]
    return Survey(mean, sd, p, feasible)


def _block(context: Context, X: Array) -> tuple[Array, Array, Array, Array]:
    """Mean, sd, probability [m, K + 1] in the order of the context, and feasibility [m]."""
    found = [_function(context, k, X) for k in range(len(context.names))]
    mean, sd, p = (np.column_stack([each[i] for each in found]) for i in range(3))
    known = context.measured.y[:, : len(context.names)]
    measured = np.vstack([known, np.full(len(context.names), np.nan)])[_places(context, X)]
    for k, view in enumerate(context.dataset.functions[1:], 1):
        if view.noise is None:  # where it was measured without noise it is known
            y = measured[:, k]
            p[:, k] = np.where(np.isnan(y), p[:, k], (view.lower <= y) & (y <= view.upper))
    return mean, sd, p, p.prod(axis=1) * _all_computable(context, X)


def _function(context: Context, k: int, X: Array) -> tuple[Array, Array, Array]:
    """Mean, sd and probability of function k at X [m, d]; on a changed scale as in belief. [m] each."""
    gp, back = context.surrogate.honest(k), partial(context.surrogate.unscaled, k)
    there = gp.posterior(X)
    mean, scale = there.mean[0], np.sqrt(there.var)
    sd = scale * standard_deviation(gp.hyper.nu)
    unit = context.dataset.functions[k].unit
    spread = 0.5 * (back(mean + sd) - back(mean - sd)) / unit
    p = np.ones(len(X))
    if k > 0:
        b = context.bounds[k - 1]
        below = student_cdf((np.array([[b.lower], [b.upper]]) - mean) / scale, gp.hyper.nu)
        p = np.maximum(below[1] - below[0], 0.0)
    return back(mean) / unit, spread, p


def _places(context: Context, X: Array) -> Ints:
    """Of each point the row of `measured` that is this very point; -1 where there is none. [m]."""
    return _at(X, context.measured.points, context.settings.verify.same_point)


def _at(X: Array, points: Array, within: float) -> Ints:
    """Of each of X [m, d] which of the points [n, d] it is, within a distance (max-norm); -1 for none of them."""
    if not len(points) or not len(X):
        return np.full(len(X), -1)
    # A hair further: the bound itself does not count for the tree.
    from scipy.spatial import cKDTree  # only where a page is drawn

    _, found = cKDTree(points).query(X, p=np.inf, distance_upper_bound=within * (1.0 + 1e-9))
    return np.where(found == len(points), -1, found)


def _all_computable(context: Context, X: Array) -> Array:
    """Probability that all functions can be computed at X [m, d]; those with one cause count once. [m]."""
    successes, within = context.successes, context.menu.same_point
    if successes is None:
        return np.ones(len(X))
    data, causes = context.dataset, np.array(successes.of_function)
    every = [model.probability(X) for model in successes.models]
    q = np.ones((len(X), len(causes)))
    for k, cause in enumerate(causes):
        if len(data.failed[k]):
            q[:, k] = every[cause] if cause >= 0 else 1.0
            for points, known in ((data.failed[k], 0.0), (data.X[k], 1.0)):
                q[_at(X, points, within) >= 0, k] = known
    return np.asarray(np.prod([q[:, causes == i].min(axis=1) for i in range(len(every))], axis=0))
