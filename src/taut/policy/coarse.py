"""Values that will be printed more coarsely than those the model takes as a measure."""

from __future__ import annotations

from taut.base.arrays import Array
from taut.data.digits import next_digit
from taut.policy.context import Context


def coarse_variance(context: Context, k: int, x: Array, mean: Array) -> float:
    """What rounding adds to the variance of a value of function k at x [d] with this mean [1], on its process's scale.

        max(0, (h slope)^2/12 - r),   h: step of the last digit of a value of that size, r: roughness in the model

    The roughness is that of values near the limit, or of good ones (roughness.py); with a fixed number of significant
    digits others are coarser. 0 where the value is known.
    """
    view, gp = context.dataset.functions[k], context.surrogate.honest(k)
    rough = gp.amplitude * gp.hyper.rough
    if (
        view.noise is not None
        or not rough
        or context.measured.value(k, x, context.settings.verify.same_point) is not None
    ):
        return 0.0
    y = context.surrogate.unscaled(k, mean)
    step = next_digit(view.printed(context.dataset.y[k]), float(view.printed(y)[0])) * view.unit
    return max(float(step * context.surrogate.slope(k, y)[0]) ** 2 / 12.0 - rough, 0.0)
