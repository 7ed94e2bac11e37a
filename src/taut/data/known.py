"""A known function in inner form (see dataset): y = sign (value - shift)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from taut.base.arrays import Array
from taut.base.knob import NEVER_TUNED, knob
from taut.data.bend import STRAIGHT, Bend
from taut.problem.design import domain
from taut.problem.known import Known
from taut.problem.space import from_unit


@dataclass(frozen=True)
class KnownSettings:
    """The scale of a known objective."""

    sample: int = knob(512, "points of the domain by which it is found", "judgement, never tuned")
    best: float = knob(
        0.9,
        "quantile of its values there from which on they count",
        "benchmarks/engineers.py, pressure_vessel_mixed: solved at cost 42 and 30; with 0.5 or all values not in 150",
    )
    near: float = knob(
        0.25,
        "quantile of how far its values at evaluated places are from that at the last recommendation: the size from "
        "which on worse ones count by their logarithm",
        "benchmarks/engineers.py, spring and pressure_vessel: mean cost of 6 runs 54; without 71",
    )
    least: float = knob(1e-3, "of the spread of the best tenth: it is no less", NEVER_TUNED)


KNOWN = KnownSettings()
SMALLEST = 1e-140  # scale: a share of it is squared, and that must not be lost below the smallest float


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
        x = domain(self.known.problem).sample(KNOWN.sample, np.random.default_rng([KNOWN.sample]))
        value: Array = self.sign * (self.known.values(x) - self.shift)
        return value[np.isfinite(value)]

    @property
    def spread(self) -> tuple[float, float]:
        """Middle and spread of its values over the domain: median, and standard deviation (1 if there is none)."""
        value = self.sampled
        return (float(np.median(value)), _deviation(value)) if len(value) else (0.0, 1.0)

    def contended(self, X: Array, last: Array) -> Bend:
        """The scale on which decisions see an objective: straight at the last recommendation [1, d] and beyond, and the
        logarithm of how much worse other designs are; X: evaluated places [n, d]. Straight if there is none of them.

        A design that is not feasible is as bad as the worst of all. Where that is orders of magnitude below what is
        still to be gained, the slightest doubt about a constraint would forbid to go for it.
        """
        b, f = self(last)[0], self(X)[0]
        gap = np.abs(f - b) if len(b) else np.empty(0)
        gap = gap[gap > 0.0]
        if not len(gap):
            return STRAIGHT
        return Bend(float(b[0]), max(float(np.quantile(gap, KNOWN.near)), KNOWN.least * self.merit()[1]))

    def merit(self, bend: Bend = STRAIGHT) -> tuple[float, float]:
        """Of an objective on a scale: its lowest value, and the spread of the best tenth of its values.

        Decisions are made there. Over the whole domain a price may span orders of magnitude, of which none is in reach:
        measured by that, all there is to gain would look like nothing.
        """
        value = bend.of(self.sampled)
        best = value[value >= np.quantile(value, KNOWN.best)] if len(value) else value
        return (float(value.min()), _deviation(best)) if len(value) else (0.0, 1.0)


@lru_cache(maxsize=64)
def inner_function(known: Known, sign: float, shift: float) -> InnerFunction:
    """One object for one function, so that its spread is found once."""
    return InnerFunction(known, sign, shift)


def _deviation(value: Array) -> float:
    """Standard deviation; where there is none, the size of the values, or 1."""
    return max(float(np.std(value)) or abs(float(value[0])) or 1.0, SMALLEST)
