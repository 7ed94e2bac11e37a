"""The digits that a program printed: the step of the last one of each value, in the user's own units.

A value printed with four decimals is known to half of 1e-4 and no better. Two habits are told apart: a fixed number of
decimals (the same step h for all values), and a fixed number of significant digits (h_i = 10^(e_i + 1 - S) for a value
of size 10^e_i). If both fit, the coarser one is the habit: values agree with a finer one by accident only.
"""

import numpy as np

from taut.base.arrays import Array

MOST_DIGITS = 9
"""More digits are as good as exact."""
CLOSE = 1e-5
"""Of a step: values are multiples of it up to this. They went through a subtraction of the bound and back."""
LEAST_VALUES = 4
"""Fewer different values may have few digits by accident."""


def last_digits(values: Array) -> Array:
    """The step of the last printed digit of each value [n]; 0 if they have more digits than rounding leaves. [n]."""
    none = np.zeros(len(values))
    if len(np.unique(values)) < LEAST_VALUES:
        return none
    found = [steps for steps in (_decimals(values), _significant(values)) if steps is not None]
    return max(found, key=lambda steps: float(np.log(steps).sum()), default=none)


def next_digit(values: Array, at: float) -> float:
    """The step of the last digit that a value of size `at` will be printed with, by the habit of the others [n]."""
    steps = last_digits(values)
    if not steps.any() or np.ptp(steps) == 0.0:
        return float(steps[0]) if len(steps) else 0.0
    digits = _exponents(values) - np.round(np.log10(steps))
    return float(10.0 ** (_exponents(np.append(values, at))[-1] - digits[0]))


def _decimals(values: Array) -> Array | None:
    """The same step for all, a power of ten."""
    top = _exponents(values).max()
    return _coarsest(values, np.full(len(values), top))


def _significant(values: Array) -> Array | None:
    """The same number of digits for all."""
    return _coarsest(values, _exponents(values))


def _coarsest(values: Array, exponents: Array) -> Array | None:
    """10^(exponents + 1 - digits) for the smallest number of digits of which all values are multiples; [n]."""
    if not _multiples(values, 10.0 ** (exponents + 1 - MOST_DIGITS)):
        return None
    rows = (10.0 ** (exponents + 1 - digits) for digits in range(1, MOST_DIGITS + 1))
    return next(steps for steps in rows if _multiples(values, steps))


def _exponents(values: Array) -> Array:
    """The power of ten of each value; of 0, that of the smallest other one. [n]."""
    size = np.abs(values)
    size = np.maximum(size, size[size > 0.0].min())
    exponents: Array = np.floor(np.log10(size) + 1e-12)
    return exponents


def _multiples(values: Array, steps: Array) -> bool:
    if not (steps > 0.0).all():  # values at the end of what a float can hold
        return False
    ratio = values / steps
    return bool((np.abs(ratio - np.round(ratio)) < CLOSE).all())
