"""A unit for every function in which its values are of moderate size.

The likelihood of values of 1e150 or 1e-150 needs their squares, and its gradient more than that. A power of two as the
unit rounds nothing, and where sizes are moderate it is 1.
"""

import math
from dataclasses import replace

import numpy as np

from taut.base.arrays import Array
from taut.data.dataset import Dataset, FunctionView

MODERATE = 1e-30, 1e30
"""Sizes of values between which their unit is left alone: squares and ratios are far from the ends of a float."""
FURTHEST = 1e60
"""In a moderate unit a bound, penalty or noise beyond this says no more than this."""


def moderated(dataset: Dataset) -> Dataset:
    """The same with every function in its moderate unit."""
    units = [_unit(y) for y in dataset.y]
    return replace(
        dataset,
        functions=tuple(_view(view, unit) for view, unit in zip(dataset.functions, units, strict=True)),
        y=tuple(y if unit == 1.0 else y * unit for y, unit in zip(dataset.y, units, strict=True)),
    )


def in_unit(number: float, unit: float) -> float:
    """A number in inner form in another unit; infinite ones stay infinite."""
    return number if math.isinf(number) else min(max(number * unit, -FURTHEST), FURTHEST)


def _unit(y: Array) -> float:
    """The power of two by which values y [n] become moderate."""
    size = float(np.abs(y).max(initial=0.0))
    if size == 0.0 or MODERATE[0] <= size <= MODERATE[1]:
        return 1.0
    return math.ldexp(1.0, min(-math.frexp(size)[1], 1000))  # the largest power that is a float is 2^1023


def _view(view: FunctionView, unit: float) -> FunctionView:
    noise = in_unit(view.noise, unit) if isinstance(view.noise, float) else view.noise
    return replace(view, unit=unit, lower=in_unit(view.lower, unit), upper=in_unit(view.upper, unit), noise=noise)
