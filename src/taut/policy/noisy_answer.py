"""The answer of a study with noisy functions: judged by the models, not by the luck of single values.

A value of a noisy function at a boundary is beyond it half of the time, and of many designs that were measured once the
one with the best values is the luckiest. So a violated value of a noisy constraint spoils no design, and the answer is
the one with the largest G. To be measured whole it is moved onto an evaluated place that is as good as far as anybody
can tell: one at which

    G(x) >= G(x_r) - max(a sd[f(x) - f(x_r)], b (G(x_r) - M))

with a = `noisy_sd`, b = `noisy_loss`. What counts is the doubt about the difference: the height of both may be in doubt
by much more than which of them is better, and a step away from a wall is a sure loss.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.base.arrays import Array, Flags
from taut.policy.context import Context


def noisy(context: Context) -> bool:
    """Has any function noise?"""
    return any(view.noise is not None for view in context.dataset.functions)


def exact_limits(context: Context) -> bool:
    """Is any constraint without noise?"""
    return any(view.noise is None for view in context.dataset.functions[1:])


def answer(context: Context) -> Array | None:
    """The best design that was measured whole, if it is as good as x_r and no function without noise spoils it; [d]."""
    designs = context.measured
    return _as_good(context, designs.points[designs.whole & ~spoilt(context)])


def target(context: Context) -> Array:
    """What is to be measured whole: the best evaluated place that is as good as x_r, or else x_r; [d]."""
    near = _as_good(context, context.measured.points[~spoilt(context)])
    return context.optimum.x if near is None else near


def spoilt(context: Context) -> Flags:
    """Designs at which something failed, or a constraint without noise is violated as measured; [p]."""
    designs, functions = context.measured, context.measured.dataset.functions
    exact = np.array([view.noise is None for view in functions])
    lower, upper = (np.array([getattr(view, side) for view in functions]) for side in ("lower", "upper"))
    violated = ((designs.y < lower) | (designs.y > upper)) & exact
    return np.asarray((violated | designs.failed).any(axis=1))


def _as_good(context: Context, points: Array) -> Array | None:
    """The one with the largest G of points [p, d] that is as good as x_r; [d]."""
    if not len(points):
        return None
    settings, utility, x_r = context.settings.verify, context.utility, context.optimum.x
    gain = np.exp(utility.log_value(np.vstack([x_r, points])))
    loss = np.maximum(settings.noisy_sd * _doubt_between(context, points), settings.noisy_loss * gain[0])
    gain[1:][gain[1:] < gain[0] - loss] = -np.inf
    best = int(np.argmax(gain[1:]))
    return np.asarray(points[best]) if np.isfinite(gain[1 + best]) else None


def _doubt_between(context: Context, points: Array) -> Array:
    """Standard deviation of f(x) - f(x_r) at points x [p, d], of the model alone: far from data it is in doubt; [p]."""
    gp = context.posteriors[0]
    gp = replace(gp, hyper=replace(gp.hyper, doubt=1.0))
    there, here = gp.posterior(points), gp.posterior(context.optimum.x[None, :])
    var = there.var + here.var - 2.0 * gp.covariance(there, here)[:, 0]
    return np.sqrt(np.maximum(var, 0.0))
