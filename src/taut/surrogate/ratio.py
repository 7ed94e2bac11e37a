"""On which logarithmic scale a constraint is modelled, beside that of its distance to the limit (warp.py).

A product of many parameters, a stress, a life in cycles: what is smooth is the logarithm of such a value, and the sign-
preserving logarithm of its distance to the limit is flat on one side, where values lie between 0 and the limit.

    ratio      all values and the limit v_b have one sign: w(v) = log(1 + v/(q v_b)), a logarithm above q v_b, straight
               below it and beyond 0, so any later value is allowed
    extreme    where there is no such ratio, and the values crowd at one end b of their range: the logarithm of their
               distance to it, w(y) = +-log(1 + |y - b|/s), straight beyond b

Scales compete by how well values near the limit are predicted from all others (`left_out`), because that is where it
counts: the half of the values whose ranks are nearest to that of the limit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.base.arrays import Array, Ints
from taut.data.bend import Bend
from taut.data.dataset import FunctionView
from taut.surrogate.gp import GP
from taut.surrogate.scale import LEAST, LEAST_BETTER, left_out
from taut.surrogate.settings import ModelSettings


def ratios(y: Array, view: FunctionView, settings: ModelSettings) -> tuple[Bend, ...]:
    """Scales worth trying for values y [n]: none unless all have the sign of the limit and span a wide range."""
    end = zero(view)
    edges, off = limits(view) - end, y - end
    if len(y) < settings.warp_values or not edges.all():
        return ()
    side = float(np.sign(edges[0]))
    size, limit = side * off, float((side * edges).min())
    if limit <= 0.0 or size.min() < 0.0 or size.max() <= settings.warp_heavy * size.min():
        return ()
    least = LEAST * max(float(size.max()), limit)
    return tuple(Bend(end, max(q * limit, least), side > 0.0) for q in settings.ratio_sizes)


def extremes(y: Array, kept: Bend, settings: ModelSettings) -> tuple[Bend, ...]:
    """Logarithms of the distance to the end of the range of values y [n] at which they crowd; none if they do not.

    kept: the present one, which stands in for one that is almost the same.
    """
    found: list[Bend] = []
    for rising in (True, False) if len(y) >= settings.extreme_values else ():
        end = float(y.min() if rising else y.max())
        gap = np.abs(y[y != end] - end)
        if len(gap) and gap.max() > settings.bend_heavy * np.median(gap):
            middle = float(np.median(gap))
            low = max(float(gap.min()), LEAST * float(gap.max()))
            found += [Bend(end, size, rising) for size in (middle, float(np.sqrt(low * middle)))]
    return tuple(dict.fromkeys(kept if _alike(kept, each) else each for each in found))


def _alike(kept: Bend, other: Bend) -> bool:
    """Do two scales differ by less than a factor of two in size, and by less than that in their ends?"""
    sizes = 0.5 * other.size < kept.size < 2.0 * other.size
    return kept.rising == other.rising and sizes and abs(kept.pivot - other.pivot) < 0.5 * other.size


def zero(view: FunctionView) -> float:
    """The user's 0 in inner form."""
    return -view.unit * view.sign * view.shift


def limits(view: FunctionView) -> Array:
    """The finite bounds of a constraint in inner form; [1 or 2]."""
    return np.array([edge for edge in (view.lower, view.upper) if np.isfinite(edge)])


def near(y: Array, view: FunctionView) -> Ints:
    """The half of the values y [n] whose ranks are nearest to that of a bound."""
    rank = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    apart = [np.abs(rank - (np.count_nonzero(y < edge) - 0.5)) for edge in limits(view)]
    order: Ints = np.argsort(np.min(apart, axis=0), kind="stable")
    return order[: max(len(y) // 2, LEAST_BETTER)]


def predictive(found: Sequence[tuple[GP, Array]], y: Array, view: FunctionView, margin: float, each: float) -> int:
    """The position of the process that predicts values near the limit best.

    found: of every scale the process and log w'(y) [n]. The first is the one that others must beat, by a margin in all
    and one for each value that counts.
    """
    rows = near(y, view)
    scores = np.array([float((left_out(gp) + log_slope)[rows].sum()) for gp, log_slope in found])
    scores[0] += margin + each * len(rows)
    return int(np.argmax(scores))


def due(n: int, decided: int, settings: ModelSettings) -> bool:
    """Is the scale to be decided again, with n values?"""
    return n != decided and n >= settings.ratio_growth * decided
