"""Columns that share a length-scale: those of one choice, which mean nothing alone."""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array

Ties = tuple[int, ...]
"""For every column the number of its length-scale [d]; empty: each column has its own."""


def spread(values: Array, ties: Ties) -> Array:
    """Of p length-scales, for every column; [d]."""
    return values[np.array(ties)] if ties else values


def gathered(slopes: Array, ties: Ties) -> Array:
    """Slopes in what columns hold [d] as slopes in the length-scales [p]."""
    if not ties:
        return slopes
    sums: Array = np.zeros(max(ties) + 1)
    np.add.at(sums, list(ties), slopes)
    return sums
