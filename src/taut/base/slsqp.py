"""Sequential quadratic programming in the unit cube: a smooth objective subject to margins that must not be negative.

Where constraints are nearly certain, the best point lies where several of their boundaries meet. Ascents of a
penalised score crawl along a boundary; a method that knows the gradients of the margins does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from taut.base.arrays import Array, Flags


class _Point(NamedTuple):
    """What is known at a point [d]: objective and gradient [d], margins [m] and their gradients [m, d]."""

    value: float
    gradient: Array
    margins: Array
    margin_gradients: Array


class NonlinearProgram(ABC):
    """min objective(x) subject to margins(x) >= 0; all of it is computed together, once a point.

    free: how many of the last variables have no bounds; the others lie between 0 and 1.
    """

    def __init__(self, constrained: bool, free: int = 0) -> None:
        self.constrained, self.free = constrained, free
        self._last: _Point | None = None
        self._there = b""

    @abstractmethod
    def objective(self, x: Array) -> tuple[float, Array]:
        """The value to make small at x [d], and its gradient [d]."""

    @abstractmethod
    def limits(self, x: Array) -> tuple[Array, Array]:
        """Margins [m] at x [d] and their gradients [m, d]."""

    def margins(self, x: Array) -> Array:
        """As in `limits`, from memory if x is the last point."""
        return self._at(x).margins

    def margin_gradients(self, x: Array) -> Array:
        """As in `limits`, from memory if x is the last point."""
        return self._at(x).margin_gradients

    def _at(self, x: Array) -> _Point:
        """Everything at x; SLSQP asks for it piece by piece."""
        there = x.tobytes()
        if self._last is None or there != self._there:
            self._there, self._last = there, _Point(*self.objective(x), *self.limits(x))
        return self._last

    def solve(self, start: Array, tolerance: float, steps: int, held: Flags | None = None) -> Array | None:
        """Where SciPy's SLSQP ends, inside the bounds; None if it runs into numbers that are not finite.

        By its old entrance: the newer one spends a fifth of the time here on checks. held: variables that stay as they
        are [len(start)].
        """
        if held is not None and held.any():
            end = _Reduced(self, start, ~held).solve(start[~held], tolerance, steps)
            return None if end is None else _filled(start, ~held, end)
        from scipy.optimize import fmin_slsqp

        limits: dict[str, Any] = {"f_ieqcons": self.margins, "fprime_ieqcons": self.margin_gradients}
        box = [(0.0, 1.0)] * (len(start) - self.free) + [(-np.inf, np.inf)] * self.free
        found: Array = fmin_slsqp(
            lambda x: self._at(x).value,
            start,
            fprime=lambda x: self._at(x).gradient,
            bounds=box,
            iter=steps,
            acc=tolerance,
            iprint=-1,
            **(limits if self.constrained else {}),
        )
        return np.clip(found, *np.transpose(box)) if np.isfinite(found).all() else None


class _Reduced(NonlinearProgram):
    """A program in some of its variables [n], the others as they are at a start."""

    def __init__(self, whole: NonlinearProgram, start: Array, moving: Flags) -> None:
        super().__init__(whole.constrained, whole.free)
        self.whole, self.start, self.moving = whole, start, moving

    def objective(self, x: Array) -> tuple[float, Array]:
        value, gradient = self.whole.objective(_filled(self.start, self.moving, x))
        return value, gradient[self.moving]

    def limits(self, x: Array) -> tuple[Array, Array]:
        margins, gradients = self.whole.limits(_filled(self.start, self.moving, x))
        return margins, gradients[:, self.moving] if len(margins) else np.empty((0, len(x)))


def _filled(start: Array, moving: Flags, x: Array) -> Array:
    full = start.copy()
    full[moving] = x
    return full
