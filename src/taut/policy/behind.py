"""Points behind the limits that cost: where an optimum without one of them would lie, with room to all the others.

In a corner of several limits, a point that violates one of them and none of the others lies in a thin wedge, which no
cloud of points meets. It is therefore searched for: the optimum of the posterior means next to x_r with this limit
moved outward, step by step, and every other one moved inward by a few standard deviations, so that most samples agree
that only this one is violated there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.policy.prices import Prices
from taut.policy.program import LOWER, UPPER, Functions, corner


def behind(prices: Prices) -> Array:
    """Such points for every limit with a price in the means or in any sample, and the optimum with room; [m, d]."""
    tried = [prices.functions, *(each for k, side in _priced(prices) for each in _outward(prices, k, side))]
    return np.array([x for each in tried for x in _optima(prices, each)]).reshape(-1, len(prices.best.x))


def _optima(prices: Prices, functions: Functions) -> Iterator[Array]:
    """The optimum with the room that is needed next to x_r, and the one with what is needed there; each [d]."""
    x = prices.best.x
    for _ in range(2):
        found = corner(_with_room(prices, functions, x), x, prices.settings)
        if found is None:
            return
        x = found.x
        yield x


def _priced(prices: Prices) -> list[tuple[int, int]]:
    """Constraints, from 0, and their sides; not known ones, behind which no point is admissible."""
    paid = sum((one.multipliers > 0.0 for _, one in prices.sampled), prices.best.multipliers > 0.0)
    return [(k, side) for k in range(len(prices.context.bounds)) for side in (UPPER, LOWER) if paid[k, side]]


def _outward(prices: Prices, k: int, side: int) -> Iterator[Functions]:
    """With one limit further and further outside."""
    b = prices.functions.bounds[k]
    limit, sign = (b.upper, 1.0) if side == UPPER else (b.lower, -1.0)
    for step in prices.settings.behind:
        yield prices.functions.moved(k, side, limit + sign * prices.functions.sizes[k + 1] * step)


def _with_room(prices: Prices, functions: Functions, x: Array) -> Functions:
    """All limits moved inward by some standard deviations at x [d]; an interval without room stays as it is."""
    bounds = list(functions.bounds)
    for k in range(len(prices.context.bounds)):  # known constraints have no doubt
        there = prices.context.surrogate.honest(k + 1).posterior(x[None, :])
        room = prices.settings.room * float(np.sqrt(there.var[0]))
        if bounds[k].upper - bounds[k].lower > 2.0 * room:
            bounds[k] = Bounds(bounds[k].lower + room, bounds[k].upper - room)
    return replace(functions, bounds=tuple(bounds))
