"""Fewer points of a long series, so that a picture of 10,000 values is no larger than one of a hundred."""

import numpy as np

from taut.base.arrays import Ints


def evenly(count: int, most: int) -> Ints:
    """Indices of at most `most` of `count` things, evenly spread, the first and the last among them."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(int))
