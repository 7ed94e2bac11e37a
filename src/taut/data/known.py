"""A known function in inner form (see dataset): y = sign (value - shift)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from taut.base.arrays import Array
from taut.problem.design import domain
from taut.problem.known import Known
from taut.problem.space import from_unit

SAMPLE = 512  # points of the domain by which its scale is found
BEST = 0.9  # quantile from which values count for the scale of an objective


@dataclass(frozen=True)
class InnerFunction:
    """known: in the user's units and signs."""

    known: Known
    sign: float
    shift: float

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Values [q] and gradients [q, d] at x [q, d]; nan and 0 where it cannot be computed."""
        value, gradient = self.known.with_gradient(x)
        return self.sign * (value - self.shift), self.sign * gradient

    def values(self, x: Array) -> Array:
        """At x [q, d], by the user's own function, point by point; [q]."""
        found = [self.known.value(from_unit(self.known.problem, u)) for u in x]
        return self.sign * (np.array(found, dtype=float) - self.shift)

    @cached_property
    def sampled(self) -> Array:
        """Values over the domain, those that can be computed; [m]."""
        x = domain(self.known.problem).sample(SAMPLE, np.random.default_rng([SAMPLE]))
        value: Array = self.sign * (self.known.values(x) - self.shift)
        return value[np.isfinite(value)]

    @property
    def spread(self) -> tuple[float, float]:
        """Middle and spread of its values over the domain: median, and standard deviation (1 if there is none)."""
        value = self.sampled
        return (float(np.median(value)), _deviation(value)) if len(value) else (0.0, 1.0)

    @property
    def merit(self) -> tuple[float, float]:
        """Of an objective: its lowest value, and the spread of the best tenth of its values.

        Decisions are made there. Over the whole domain a price may span orders of magnitude, of which none is in reach:
        measured by that, all there is to gain would look like nothing.
        """
        value = self.sampled
        best = value[value >= np.quantile(value, BEST)] if len(value) else value
        return (float(value.min()), _deviation(best)) if len(value) else (0.0, 1.0)


@lru_cache(maxsize=64)
def inner_function(known: Known, sign: float, shift: float) -> InnerFunction:
    """One object for one function, so that its spread is found once."""
    return InnerFunction(known, sign, shift)


def _deviation(value: Array) -> float:
    """Standard deviation; where there is none, the size of the values, or 1."""
    return float(np.std(value)) or abs(float(value[0])) or 1.0
