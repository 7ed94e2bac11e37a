"""Costs that depend on the point, as searches need them: at many points at once, with gradients, and where to go back.

Where everything costs the same everywhere nothing here is asked: costs are numbers then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.policy.context import Context
from taut.policy.menu import Menu, Set

LogPrice = Callable[[Array, Ints], tuple[Array, Array]]
"""Log cost [q] at x [q, d] of the set with each row's number [q], and its gradient [q, d]."""


def costs(menu: Menu, S: Set, x: Array) -> float | Array:
    """What S costs: one number, or at each of x [q, d] where it depends on that."""
    return menu.cost(S) if menu.prices is None else menu.prices.costs([menu.names[k] for k in S], x)


def cost_unit(context: Context) -> float:
    """What counts as one where values per cost are compared with values: the cheapest bundle, at x_r.

    Costs may be in any unit, and nothing that is decided depends on it.
    """
    menu = context.menu
    return min((menu.cost(bundle, context.optimum.x) for bundle in menu.bundles), default=1.0)


def where_payable(menu: Menu, S: Set, x: Array, values: Array) -> Array:
    """The values [q] of S at x [q, d], and nothing where it cannot be paid."""
    return values if menu.prices is None else np.where(costs(menu, S, x) <= menu.payable, values, 0.0)


def cost_of_needed(menu: Menu, bundles: Sequence[Set], needed: Flags, x: Array) -> Array:
    """What all bundles that are needed [bundles, q] cost together at each of x [q, d]; [q]."""
    if menu.prices is None:
        return np.array([menu.cost(bundle) for bundle in bundles]) @ needed
    total = np.zeros(len(x))
    patterns, which = np.unique(needed, axis=1, return_inverse=True)
    for i, pattern in enumerate(patterns.T):
        rows = which.ravel() == i
        together = tuple(sorted(k for bundle, wanted in zip(bundles, pattern, strict=True) if wanted for k in bundle))
        total[rows] = costs(menu, together, x[rows])
    return total


def log_price(menu: Menu, sets: Sequence[Set]) -> LogPrice | None:
    """For ascents of value per cost, as if nothing was prepared anywhere; None if costs do not depend on the point."""
    prices = menu.prices
    if prices is None:
        return None
    names = [[menu.names[k] for k in S] for S in sets]

    def price(x: Array, which: Ints) -> tuple[Array, Array]:
        value, gradient = np.zeros(len(x)), np.zeros(x.shape)
        for i in np.unique(which):
            rows = which == i
            value[rows], gradient[rows] = prices.log_costs_with_gradient(names[i], x[rows])
        return value, gradient

    return price


def cheaper_here(menu: Menu, S: Set, x: Array) -> Flags:
    """Where a setup that S needs is paid already: at which of x [q, d] is it cheaper than right beside it? [q]."""
    price = log_price(menu, [S])
    if price is None or menu.prices is None or not any(map(len, menu.prices.prepared.values())):
        return np.zeros(len(x), dtype=bool)
    beside = price(x, np.zeros(len(x), dtype=np.intp))[0]
    return np.asarray(np.log(costs(menu, S, x)) < beside - 1e-9)


def prepared_places(context: Context) -> Array:
    """Places where a setup is paid, those with the largest G; [m, d]. Exactly these: beside them it is not."""
    prices = context.menu.prices
    none = np.empty((0, context.dataset.dimension))
    places = np.unique(np.vstack([none, *(prices.prepared.values() if prices is not None else ())]), axis=0)
    if not len(places):
        return none
    order = np.argsort(-context.utility.log_value(places), kind="stable")
    best: Array = places[order[: context.settings.candidates.prepared]]
    return best
