"""What a limit costs at the optimum: the gain of the objective for every unit by which it is relaxed.

The optimum of the posterior means next to x_r gives the price by its multipliers (program.py), optima of joint
posterior samples its interval, and optima with the limit moved step by step the range in which it holds. A price is in
the user's units: objective per unit of the constraint, positive if relaxing the limit makes the objective better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.data.dataset import FunctionView
from taut.data.results import Side
from taut.policy.context import Context
from taut.policy.program import LOWER, UPPER, Corner, Functions, Smooth, corner, of_pairs
from taut.policy.question_settings import PriceSettings
from taut.problem.functions import Constraint
from taut.problem.space import everywhere
from taut.surrogate.gp import GP
from taut.surrogate.known import KnownProcess
from taut.surrogate.model import Surrogate
from taut.surrogate.paths import Paths, draw, fourier_features
from taut.surrogate.success import SuccessModel

Interval = tuple[float, float]
LARGEST = float(np.finfo(float).max) / 4.0
"""Prices beyond this are this: their differences stay finite."""


@dataclass(frozen=True)
class Price:
    """Of one constraint: mean, low and high; the limits between which it holds, and that limit now; user's units.

    active: share of samples that pay it.
    """

    price: tuple[float, float, float]
    valid: Interval
    limit: tuple[Side, float]
    active: float


@dataclass(frozen=True)
class Prices:
    """The optimum of the posterior means next to x_r, and what its limits cost."""

    context: Context
    functions: Functions
    best: Corner
    views: tuple[FunctionView, ...]
    """Of the functions of the context, then of known constraints: here they are constraints like all others."""

    @staticmethod
    def of(context: Context) -> Prices | None:
        """None where there is no feasible region, or no regular optimum next to x_r."""
        if not context.optimum.feasible or not all(len(context.dataset.y[k]) for k in context.menu.everything):
            return None
        processes = [context.surrogate.honest(k) for k in range(len(context.names))]
        known = [(view, view.known) for view in known_constraints(context) if view.known is not None]
        sizes = [gp.scale if isinstance(gp, KnownProcess) else float(np.sqrt(gp.size)) for gp in processes]
        sizes += [inner.spread[1] for _, inner in known]
        smooth = [*(of_pairs(gp.mean_with_gradient) for gp in processes), *(of_pairs(inner) for _, inner in known)]
        bounds = (*_declared(context), *(Bounds(view.lower, view.upper) for view, _ in known))
        within = everywhere(context.request.problem)
        functions = Functions(tuple(smooth), tuple(sizes), bounds, within, tuple(_computable(context)))
        best = corner(functions, context.optimum.x, context.settings.price)
        views = (*context.dataset.functions, *(view for view, _ in known))
        return None if best is None else Prices(context, functions, best, views)

    @property
    def settings(self) -> PriceSettings:
        return self.context.settings.price

    def all(self) -> list[Price]:
        """One for each constraint, in the order of the context."""
        return [self._price(k) for k in range(len(self.functions.bounds))]

    @cached_property
    def sampled(self) -> list[tuple[Functions, Corner]]:
        """Joint posterior samples and their optima next to that of the means; those that have none are left out."""
        rng = self.context.generator("prices")
        processes = [self.context.surrogate.honest(k) for k in range(len(self.context.names))]
        drawn = [_drawn(gp, self.context, rng) for gp in processes]
        found = []
        for j in range(self.settings.samples):
            smooth = (*(_path(paths, j) for paths in drawn), *self.functions.smooth[len(drawn) :])
            functions = replace(self.functions, smooth=smooth)
            found.append((functions, corner(functions, self.best.x, self.settings)))
        return [(functions, optimum) for functions, optimum in found if optimum is not None]

    def _price(self, k: int) -> Price:
        side = self._side(k)
        named: Side = "at_most" if self._outward(k, side) > 0.0 else "at_least"
        mean, limit = self._in_units(k, side, self.best), (named, self._declared(k, named))
        valid = self._valid(k, side, mean)
        drawn = np.array([max(self._in_units(k, each, one) for each in (UPPER, LOWER)) for _, one in self.sampled])
        if not len(drawn):
            return Price((mean, 0.0, np.inf), valid, limit, 0.5)
        low, high = (float(each) for each in np.quantile(drawn, self.settings.interval))
        least = self.settings.exact if high > low else 0.0  # they are the same if all functions that count are known
        price = mean, min(low, mean * (1.0 - least)), max(high, mean * (1.0 + least))
        return Price(price, valid, limit, float(np.mean(drawn > 0.0)))

    def _side(self, k: int) -> int:
        """The side of constraint k that costs; the nearer one if none does."""
        if self.best.multipliers[k].any():
            return int(self.best.multipliers[k].argmax())
        b, value = self.functions.bounds[k], self.functions.smooth[k + 1](self.best.x)[0]
        return UPPER if b.upper - value <= value - b.lower else LOWER

    def _in_units(self, k: int, side: int, found: Corner, limit: float | None = None) -> float:
        """The multiplier of a side of constraint k, in the user's units of both functions; limit: if it is another."""
        gain = float(found.multipliers[k, side])
        if not gain:
            return 0.0
        limit = self._limit(k, side) if limit is None else limit
        price = gain * self._per_unit(k, limit) / self._objective_per_unit(found.value)
        return min(price, LARGEST)

    def _limit(self, k: int, side: int) -> float:
        """On the scale of the process."""
        b = self.functions.bounds[k]
        return b.upper if side == UPPER else b.lower

    def _per_unit(self, k: int, limit: float) -> float:
        """How far a limit moves on the scale of its process when it moves by one of the user's units."""
        here = np.array([limit])
        per = self._scales.slope(k + 1, self._scales.unscaled(k + 1, here)) if self._modelled(k) else np.ones(1)
        return float(per[0]) * self.views[k + 1].unit

    def on_scale(self, k: int, value: float) -> float:
        """A value of constraint k in inner form, on the scale of its process."""
        return float(self._scales.scaled(k + 1, np.array([value]))[0]) if self._modelled(k) else value

    def objective(self, values: Array) -> Array:
        """Values of the objective on the scale of its process, in the user's unit; larger is better."""
        return self._scales.unscaled(0, values) / self.context.dataset.functions[0].unit

    @property
    def _scales(self) -> Surrogate:
        return self.context.surrogate

    def _modelled(self, k: int) -> bool:
        """Has constraint k a process? Known ones have none, and no scale of their own."""
        return k + 1 < len(self._scales.warps)

    def _objective_per_unit(self, value: float) -> float:
        bend, view = self.context.surrogate.bend, self.context.dataset.functions[0]
        return float(bend.slope(bend.back(np.array([value])))[0]) * view.unit

    def _printed(self, k: int, value: float) -> float:
        """A value of constraint k on the scale of its process, in the user's units."""
        here = np.array([value])
        return float(self.views[k + 1].printed(self._scales.unscaled(k + 1, here) if self._modelled(k) else here)[0])

    def _valid(self, k: int, side: int, price: float) -> Interval:
        """Values of the limit between which the price changes by less than a tenth; of a slack limit, its slack."""
        if price == 0.0:
            return self._slack(k, side)
        ends = [self._end(k, side, price, outward) for outward in (1.0, -1.0)]
        return min(ends), max(ends)

    def _slack(self, k: int, side: int) -> Interval:
        """A limit that costs nothing may move inward to the value at the optimum, and outward for ever."""
        there = self._printed(k, self.functions.smooth[k + 1](self.best.x)[0])
        return (there, np.inf) if self._outward(k, side) > 0.0 else (-np.inf, there)

    def _declared(self, k: int, side: Side) -> float:
        """A limit of constraint k as the user wrote it, to the last digit."""
        function = self.context.request.problem.function(self.views[k + 1].name)
        assert isinstance(function, Constraint)
        limit = function.at_most if side == "at_most" else function.at_least
        assert limit is not None  # only limits that are there have a side
        return limit

    def _outward(self, k: int, side: int) -> float:
        """The sign of a step outward, in the user's units."""
        return (1.0 if side == UPPER else -1.0) * self.views[k + 1].sign

    def _end(self, k: int, side: int, price: float, outward: float) -> float:
        """The last limit at which the price still holds, on the way outward (1) or inward (-1); user's units."""
        size, sign = self.functions.sizes[k + 1] * outward, 1.0 if side == UPPER else -1.0
        start, limit, good, bad = self.best.x, self._limit(k, side), 0.0, np.inf
        for step in self._steps():
            bad = step
            if (x := self._holds(k, side, limit + sign * size * step, price, start)) is None:
                break
            start, good, bad = x, step, np.inf
        if np.isinf(bad):
            return outward * self._outward(k, side) * np.inf
        for _ in range(self.settings.halvings):
            middle = 0.5 * (good + bad)
            x = self._holds(k, side, limit + sign * size * middle, price, start)
            start, good, bad = (start, good, middle) if x is None else (x, middle, bad)
        return self._printed(k, limit + sign * size * good)

    def _steps(self) -> Iterator[float]:
        step = self.settings.first_step
        while step < self.settings.furthest:
            yield step
            step *= 2.0

    def _holds(self, k: int, side: int, limit: float, price: float, start: Array) -> Array | None:
        """The optimum [d] with another limit, if the price there is the same within a tenth."""
        found = corner(self.functions.moved(k, side, limit), start, self.settings)
        if found is None:
            return None
        gain = self._in_units(k, side, found, limit)
        return found.x if abs(gain - price) <= self.settings.within * price else None


def known_constraints(context: Context) -> list[FunctionView]:
    """In declared order."""
    return [view for view in context.request.dataset.functions if view.known is not None and not view.objective]


def _declared(context: Context) -> Iterator[Bounds]:
    """The limits of the constraints, on the scale of their processes: a price is that of a limit as it was declared."""
    for k, view in enumerate(context.dataset.functions):
        if k:
            low, high = context.surrogate.scaled(k, np.array([view.lower, view.upper]))
            yield Bounds(float(low), float(high))


def _computable(context: Context) -> Iterator[Smooth]:
    """Functions that have failed must be as computable as at x_r, as far as it counts."""
    for model in () if context.successes is None else context.successes.models:
        least = min(float(model.score(context.optimum.x[None, :])[0]), 0.0)
        yield _above(model, least)


def _above(model: SuccessModel, least: float) -> Smooth:
    def margin(x: Array) -> tuple[Array, Array]:
        value, gradient = model.score_with_gradient(x)
        return value - least, gradient

    return of_pairs(margin)


def _drawn(gp: GP, context: Context, rng: np.random.Generator) -> Paths:
    """Sample paths; Student-t where the signal variance was integrated out."""
    count = context.settings.price.samples
    made = draw(gp, fourier_features(gp.hyper.l, context.settings.paths.features, rng, gp.trend), count, rng)
    if not np.isfinite(gp.hyper.nu):
        return made
    wider = np.sqrt(gp.hyper.nu / rng.chisquare(gp.hyper.nu, count))
    mean = gp.alpha[:, :1]
    return replace(made, W=made.W * wider, weights=mean + (made.weights - mean) * wider)


def _path(paths: Paths, j: int) -> Smooth:
    one, row = paths.part(np.array([j])), np.zeros(1, dtype=np.intp)
    return of_pairs(lambda x: one.values_with_gradient(x, row))
