"""What other limits would bring: the optimum next to x_r found again with the limits moved (prices.py has the program).

| symbol | meaning |
| --- | --- |
| V(b) | objective at the optimum of the posterior means next to x_r within limits b, in the user's unit |
| gain | V(other limits) - V(limits now) of the means, positive if better; V of joint samples gives its interval |

A price times a step is the beginning of this: it holds as long as the same limits are active, with the same slopes. The
limits are moved in several steps, each search beginning where the last one ended, so that the optimum is followed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.data.dataset import FunctionView
from taut.policy.context import Context
from taut.policy.prices import Prices
from taut.policy.program import Corner, Functions, corner
from taut.problem.functions import Constraint
from taut.problem.problem import Problem


def gain(context: Context, other: Problem) -> tuple[float, float, float] | None:
    """Mean, low and high of what the limits of another problem would bring; None if there is no regular optimum."""
    prices = Prices.of(context)
    if prices is None:
        return None
    bounds = tuple(_bounds(prices, k, other) for k in range(len(prices.functions.bounds)))
    mean = _gained(prices, prices.functions, prices.best, bounds)
    if mean is None:
        return None
    drawn = [_gained(prices, functions, optimum, bounds) for functions, optimum in prices.sampled]
    known = [each for each in drawn if each is not None]
    if not known:
        return mean, -np.inf, np.inf
    low, high = (float(each) for each in np.quantile(known, prices.settings.interval))
    least = prices.settings.exact * abs(mean) if high > low else 0.0  # as that of a price
    return mean, min(low, mean - least), max(high, mean + least)


def _bounds(prices: Prices, k: int, other: Problem) -> Bounds:
    """The limits of constraint k of another problem, on the scale of its process."""
    view = prices.views[k + 1]
    constraint = other.function(view.name)
    assert isinstance(constraint, Constraint)
    ends = [_inner(view, constraint.at_least, -np.inf), _inner(view, constraint.at_most, np.inf)]
    low, high = (prices.on_scale(k, each) for each in sorted(ends))
    return Bounds(low, high)


def _inner(view: FunctionView, limit: float | None, none: float) -> float:
    """A limit in inner form."""
    return view.sign * none if limit is None else view.unit * view.sign * (limit - view.shift)


def _gained(prices: Prices, functions: Functions, best: Corner, bounds: tuple[Bounds, ...]) -> float | None:
    """What an optimum gains on the way to other limits; None if it is lost at the end of it."""
    at, x = None, best.x
    for share in np.linspace(0.0, 1.0, prices.settings.way + 1)[1:]:
        there = tuple(_between(old, new, float(share)) for old, new in zip(functions.bounds, bounds, strict=True))
        at = corner(replace(functions, bounds=there), x, prices.settings)
        x = x if at is None else at.x
    at = at or corner(replace(functions, bounds=bounds), best.x, prices.settings)  # a search may end a hair outside
    if at is None:
        return None
    here, before = prices.objective(np.array([at.value, best.value]))
    return float(here - before)


def _between(old: Bounds, new: Bounds, share: float) -> Bounds:
    """On the way from one interval to another; an end that comes or goes does so at once."""
    ends = [
        b if not np.isfinite(b - a) else a + share * (b - a)
        for a, b in ((old.lower, new.lower), (old.upper, new.upper))
    ]
    return Bounds(ends[0], ends[1])
