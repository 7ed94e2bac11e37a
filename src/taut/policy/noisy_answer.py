"""The answer of a study with noisy functions: judged by the models, not by the luck of single values.

A value of a noisy function at a boundary is beyond it half of the time, and of many designs that were measured once the
one with the best values is the luckiest. So a violated value of a noisy constraint spoils no design, and the answer is
the one with the largest G. To be measured whole it is moved onto an evaluated place that is as good as far as anybody
can tell: one at which

    G(x) >= G(x_r) - max(a sd_0(x_r), b (G(x_r) - M))

with a = `noisy_sd`, b = `noisy_loss`, sd_0 that of the objective's mean.
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array, Flags
from taut.policy.context import Context


def noisy(context: Context) -> bool:
    """Has any function noise?"""
    return any(view.noise is not None for view in context.dataset.functions)


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
    sd = float(np.sqrt(context.posteriors[0].posterior(x_r[None, :]).var[0]))
    best = int(np.argmax(gain[1:]))
    loss = max(settings.noisy_sd * sd, settings.noisy_loss * float(gain[0]))
    return np.asarray(points[best]) if gain[1 + best] >= gain[0] - loss else None
