"""Doubt about the model far from data: values that crowd make a process sure of itself everywhere.

A function that is smoother than its kernel looks smoother still where many values are close together, and the signal
variance a, a mean over all values, shrinks with every one of them. What is known of places far from data comes from the
values that are far from each other:

    F = max(1 + few d/m, a_spread / a),   a_spread: the variance by the m values whose correlations are below `spread`

where few d/m is for what m values in d dimensions cannot tell, however they lie: a function may be steeper where nobody
has looked. The variances of places far from data are multiplied by F (gp.py).
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array, Ints
from taut.surrogate.factor import cholesky
from taut.surrogate.kernels import matern52
from taut.surrogate.likelihood import Standardised, least_squares
from taut.surrogate.settings import ModelSettings
from taut.surrogate.trend import Trend


def doubt(
    data: Standardised, l: Array, rho: float, a: float, settings: ModelSettings, trend: Trend | None = None
) -> float:
    """F for length-scales l [d], ratio rho, signal variance a and a trend."""
    n, d = data.X.shape
    rows = spread_rows(data.X, l, settings.doubt_spread) if n >= settings.doubt_values else np.arange(n)
    # However smooth it looks: of many values at least so many are told apart.
    least = 1.0 + settings.doubt_few * d / max(len(rows), min(n, settings.doubt_values), 1)
    if len(rows) < settings.doubt_values or len(rows) == n:
        return float(least)
    part = Standardised(data.X[rows], data.y[rows], data.minimum_freedom)
    L, used = cholesky(part.X, l, rho, None, trend)
    return float(min(max(least_squares(L, part, used).a / a, least), settings.doubt_most))


def spread_rows(X: Array, l: Array, most: float, count: int | None = None) -> Ints:
    """Rows of X [n, d], the farthest first, until every other one is correlated with one of them by `most` or more.

    count: no more than so many.
    """
    C = matern52(X, X, l)
    chosen, nearest = [0], C[0].copy()
    while len(chosen) != count and (row := int(nearest.argmin())) not in chosen and nearest[row] < most:
        chosen.append(row)
        np.maximum(nearest, C[row], out=nearest)
    return np.sort(np.array(chosen, dtype=np.intp))
