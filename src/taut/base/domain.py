"""Where a search may go: the admissible points of the unit cube. Every maximisation goes through it.

| part of the domain | what it says |
| --- | --- |
| the cube | every coordinate is between 0 and 1 |
| parts | discrete parameters: their columns hold one of the parameter's levels (levels.py) |
| limits | known constraints: g_j(x) <= 0 for all j |

Without parts and limits ("plain") every method is the plain function of the cube, to the last bit. Points are [q, d];
everything a method returns is admissible: a search never leaves the domain, and nothing is rounded afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from taut.base.alternate import alternate, free_curvature
from taut.base.arrays import Array, Flags, Ints
from taut.base.ascend import Ascent, AscentOptions, Score, ascend, curvature
from taut.base.knob import NEVER_TUNED, SPEED, knob
from taut.base.levels import Levels
from taut.base.limits import Limits, Walls, furthest, met, towards, violation
from taut.base.quasirandom import latin_hypercube, sobol
from taut.base.region import BISECTIONS, COMBINATIONS, LOOKED_AT, LimitedProgram, Region
from taut.base.slsqp import NonlinearProgram


@dataclass(frozen=True)
class DomainSettings:
    """How discrete values are searched."""

    enumerated: int = knob(
        1024, "combinations of discrete values up to which the starts of searches hold all of them", SPEED
    )
    designs: int = knob(
        20,
        "Latin hypercubes with discrete values of which the one is taken whose points are furthest apart",
        NEVER_TUNED,
    )
    one_level: float = knob(
        1e-6, "of the unit cube: levels of one parameter that are this close count as one place", NEVER_TUNED
    )
    counted: int = knob(
        200_000, "combinations up to which those that meet known limits are found one by one,", NEVER_TUNED
    )
    counted_rare: int = knob(4_000_000, "and up to which they are where few random ones meet them,", NEVER_TUNED)
    rare: int = knob(32, f"which is fewer than so many of {LOOKED_AT},", NEVER_TUNED)
    slow: float = knob(0.05, "share of both up to which functions of the user are called for it", NEVER_TUNED)


DOMAIN = DomainSettings()
ENUMERATED = DOMAIN.enumerated
COUNTED_AT_ONCE = 50_000  # combinations; changes no answer
DOUBTFUL = 1e-9  # limits this close to their border are asked point by point: arrays may differ in the last digit
DRAWS = 200  # uniformly random points until one meets the limits


@dataclass(frozen=True)
class Domain:
    """The admissible points of the unit cube with `dimension` columns."""

    dimension: int
    parts: tuple[Levels, ...] = ()
    limits: Limits | None = None

    @cached_property
    def plain(self) -> bool:
        """Is it the whole cube?"""
        return not self.parts and self.limits is None

    @cached_property
    def free(self) -> Flags:
        """Columns whose coordinates may be any number; [d]."""
        free = np.ones(self.dimension, dtype=bool)
        for part in self.parts:
            free[part.columns] = False
        return free

    @cached_property
    def combinations(self) -> int:
        """Of discrete values, whatever the limits say of them; 1 without discrete parameters."""
        return math.prod(part.count for part in self.parts)

    @property
    def finite(self) -> bool:
        """Are there only discrete parameters?"""
        return not self.free.any()

    @cached_property
    def size(self) -> float:
        """How many points there are; inf where some parameter is real, or limits leave too many to count."""
        if not self.finite:
            return math.inf
        if self.limits is None:
            return self.combinations
        return math.inf if self.members is None else len(self.members)

    @cached_property
    def members(self) -> Array | None:
        """All points of a domain without real parameters that meet the limits, in order; [n, d].

        None without limits, with real parameters, and where there are too many combinations to be looked at.
        """
        if self.limits is None or not self.finite:
            return None
        share = DOMAIN.slow if self.limits.slow else 1.0
        most, rare = share * DOMAIN.counted, share * DOMAIN.counted_rare
        if self.combinations > rare or (self.combinations > most and not self._rare):
            return None
        starts = range(0, self.combinations, COUNTED_AT_ONCE)
        blocks = (np.arange(first, min(first + COUNTED_AT_ONCE, self.combinations)) for first in starts)
        return np.vstack([self._holding(self.combination(block)) for block in blocks])

    @property
    def _rare(self) -> bool:
        """Do few of many random points meet the limits?"""
        points = replace(self, limits=None).sample(LOOKED_AT, np.random.default_rng([LOOKED_AT]))
        return int(np.count_nonzero(self.allowed(points))) < DOMAIN.rare

    def _holding(self, x: Array) -> Array:
        """Those of x [q, d] that meet the limits; the user's own functions decide at the border."""
        assert self.limits is not None
        worst = violation(self.limits, x)
        fine = worst <= 0.0
        for row in np.flatnonzero(np.abs(worst) <= DOUBTFUL):
            fine[row] = self.limits.holds(x[row])
        return x[fine]

    def contains(self, x: Array) -> Flags:
        """Which of x [q, d] are admissible; [q]."""
        inside: Flags = np.all((x >= 0.0) & (x <= 1.0), axis=1)
        if self.parts:
            inside &= (self._nearest(x) == x).all(axis=1)
        return inside & self.allowed(x)

    def allowed(self, x: Array) -> Flags:
        """Where the limits are met; [q]."""
        if self.limits is None or not len(x):
            return np.ones(len(x), dtype=bool)
        return met(self.limits, x)

    def inside(self, x: Array) -> Array:
        """Those of x [q, d] where the limits are met."""
        return x if self.limits is None else x[self.allowed(x)]

    def repair(self, x: Array) -> Array:
        """The points next to x [q, d] that are admissible."""
        return self._met(self._nearest(np.clip(x, 0.0, 1.0)))

    def folded(self, x: Array) -> Array:
        """Points x [q, d] outside the cube reflected back into it, then made admissible."""
        return self._met(self._nearest(1.0 - np.abs(1.0 - np.mod(x, 2.0))))

    def to_bounds(self, x: Array, within: float) -> Array:
        """The points with coordinates near a bound moved onto it: maxima at the edge of the cube are common."""
        moved = np.where(x < within, 0.0, np.where(x > 1.0 - within, 1.0, x))
        return moved if self.plain else self._met(np.where(self.free, moved, x))

    def _nearest(self, x: Array) -> Array:
        """With the nearest level of every discrete parameter."""
        if not self.parts:
            return x
        x = x.copy()
        for part in self.parts:
            x[:, part.columns] = part.places(part.nearest(x[:, part.columns]))
        return x

    def _met(self, x: Array) -> Array:
        """With the limits met."""
        return x if self.region is None else self.region.met(x)

    @cached_property
    def region(self) -> Region | None:
        """Where the limits are met; None without limits."""
        if self.limits is None:
            return None
        everywhere = replace(self, limits=None)
        return Region(self.limits, self.free, everywhere.sample, everywhere.neighbours, self.members, self._every)

    @property
    def _every(self) -> Callable[[np.random.Generator], Array] | None:
        """A random point with each combination of discrete values; None if they are too many, or none."""
        if not self.parts or self.finite or self.combinations > COMBINATIONS:
            return None
        return lambda rng: self._combined(rng.random((self.combinations, self.dimension)), np.arange(self.combinations))

    def holds(self, x: Array) -> bool:
        """Does x [d] meet the limits, by the user's own functions?"""
        return self.limits is None or self.limits.holds(x)

    def settled(self, x: Array) -> Array:
        """A point next to x [d], or x itself, that meets the limits by the user's own functions; [d]."""
        if self.region is None or self.holds(x):
            return x
        return self.region.settled(self._nearest(np.clip(x[None, :], 0.0, 1.0))[0])

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Quasi-random admissible points, every combination of discrete values at least once if there are so few.

        At most `count`; fewer if there are no more different ones. [n, d].
        """
        if self.plain:
            return sobol(count, self.dimension, rng)
        if self.finite and self.size <= count:
            return self._everywhere(np.zeros((1, self.dimension))) if self.members is None else self.members.copy()
        if self.combinations > count:
            return self._filled(self._placed(sobol(count, self._coordinates, rng)), rng)
        index = rng.permutation(self.combinations)[np.arange(count) % self.combinations]
        x = np.empty((count, self.dimension))
        x[:, self.free] = sobol(count, int(self.free.sum()), rng)
        return self._filled(self._combined(x, index), rng)

    def _filled(self, x: Array, rng: np.random.Generator) -> Array:
        """Points x [q, d] with others inside the limits in the place of those outside."""
        return x if self.region is None else self.region.filled(x, rng)

    def draw(self, rng: np.random.Generator) -> Array:
        """A uniformly random point [d]."""
        for _ in range(1 if self.limits is None else DRAWS):
            x = self._placed(rng.random((1, self._coordinates)))
            if self.allowed(x)[0]:
                break
        else:
            x = self._filled(np.repeat(x, 2, axis=0), rng)[1:]  # the second one: inside, not on the border
        point: Array = x[0]
        return point

    def design(self, count: int, rng: np.random.Generator) -> Array:
        """A Latin hypercube: levels of discrete parameters in equal shares, points as far apart as luck will have it.

        A finite domain gives no point twice, and therefore perhaps fewer. [n, d].
        """
        if self.plain:
            return latin_hypercube(count, self.dimension, rng)
        cubes = [self._placed(latin_hypercube(count, self._coordinates, rng)) for _ in range(DOMAIN.designs)]
        drawn = [self._filled(cube, rng) for cube in cubes]
        best = max(drawn, key=_least_distance)
        return self._different(best, rng) if self.finite else best

    def _different(self, x: Array, rng: np.random.Generator) -> Array:
        """Points of a finite domain with others in the place of repeats."""
        _, first = np.unique(x, axis=0, return_index=True)
        kept = x[np.sort(first)]
        more = self.sample(self.combinations if self.combinations <= ENUMERATED else 4 * len(x), rng)
        for other in rng.permutation(more):
            if len(kept) == len(x):
                break
            if not (kept == other).all(axis=1).any():
                kept = np.vstack([kept, other])
        return kept

    @property
    def _coordinates(self) -> int:
        """How many numbers between 0 and 1 make a point."""
        return int(self.free.sum()) + len(self.parts)

    def _placed(self, u: Array) -> Array:
        """Points from numbers u [q, coordinates]: free columns first, then a share of the levels of every part."""
        x, free = np.empty((len(u), self.dimension)), int(self.free.sum())
        x[:, self.free] = u[:, :free]
        for i, part in enumerate(self.parts):
            level = np.minimum((u[:, free + i] * part.count).astype(np.intp), part.count - 1)
            x[:, part.columns] = part.places(level)
        return x

    def _combined(self, x: Array, index: Ints) -> Array:
        """Points x [q, d] with the combinations of discrete values that have these numbers [q]; in place."""
        for part in self.parts:
            index, level = np.divmod(index, part.count)
            x[:, part.columns] = part.places(level)
        return x

    def combination(self, index: Ints) -> Array:
        """The combinations of discrete values with these numbers [q], free columns at 0; [q, d]."""
        return self._combined(np.zeros((len(index), self.dimension)), index)

    def across(self, x: Array) -> Array:
        """Points with the free coordinates of x [p, d] and all other discrete values, if there are not too many.

        Otherwise those next to x. None in a domain without discrete parameters; [m, d].
        """
        if not self.parts:
            return x[:0]
        if self.members is not None and len(self.members) <= ENUMERATED:
            return self.members.copy() if len(x) else x
        if self.combinations > ENUMERATED:
            return self.neighbours(x)[0]
        points, fine = self._corrected(self._everywhere(x))
        return points[fine]

    def _corrected(self, x: Array) -> tuple[Array, Flags]:
        """Points x [q, d] moved towards the limits in their free columns, and which of them meet these [q]."""
        if self.limits is None or not len(x):
            return x, np.ones(len(x), dtype=bool)
        return towards(self.limits, x, self.free)

    def _everywhere(self, x: Array) -> Array:
        """Every combination with the free coordinates of x [p, d]; [p combinations, d]."""
        index = np.tile(np.arange(self.combinations), len(x))
        return self._combined(np.repeat(x, self.combinations, axis=0), index)

    def neighbours(self, x: Array) -> tuple[Array, Ints]:
        """Admissible points that differ from x [q, d] in one discrete parameter; [m, d], and in which row of x [m]."""
        points, owners = [x[:0]], [np.empty(0, dtype=np.intp)]
        for part in self.parts:
            here = part.nearest(x[:, part.columns])
            to = part.moves(here)
            row, column = np.nonzero(to != here[:, None])
            moved = x[row].copy()
            moved[:, part.columns] = part.places(to[row, column])
            points.append(moved)
            owners.append(row)
        (found, fine), owner = self._corrected(np.vstack(points)), np.concatenate(owners)
        return found[fine], owner[fine]

    def along(self, x: Array, end: Array, shares: Array) -> Array:
        """Admissible points at shares [m] of the way from x [d] to end [d]; [m, d]."""
        way: Array = x + shares[:, None] * (end - x)
        return way if self.plain else self.repair(way)

    def ascend(
        self,
        score: Score,
        starts: Array,
        options: AscentOptions,
        metric: Array | None = None,
        kinds: Ints | None = None,
    ) -> Ascent:
        """Maximise from every row of starts [q, d]; arguments as in ascend.py."""
        if self.plain:
            return ascend(score, starts, options, metric, kinds)
        walls = None if self.limits is None else Walls(self.limits, self.free)
        return alternate(score, self.repair(starts), self.free, self.neighbours, options, metric, kinds, walls)

    def curvature(self, score: Score, x: Array) -> Array:
        """Inverse Hessian of -score at x [q, d], along discrete columns as small as it can be; [q, d, d]."""
        return curvature(score, x) if not self.parts else free_curvature(score, x, self.free)

    def solve(self, program: NonlinearProgram, start: Array, tolerance: float, steps: int) -> Array | None:
        """Where a program ends from start [d] (and its variables without bounds), with discrete columns held."""
        if self.plain:
            return program.solve(start, tolerance, steps)
        held = np.append(~self.free, np.zeros(len(start) - self.dimension, dtype=bool))
        if held.all():
            return start
        if self.limits is None:
            return program.solve(start, tolerance, steps, held)
        end = LimitedProgram(program, self.limits).solve(start, tolerance, steps, held)
        return None if end is None else np.append(self._inside(start, end), end[self.dimension :])

    def _inside(self, start: Array, end: Array) -> Array:
        """The end [d] of a program inside the limits, as the start is."""
        assert self.limits is not None
        x, fine = towards(self.limits, end[None, : self.dimension], self.free)
        if fine[0]:
            return np.asarray(x[0])
        return np.asarray(furthest(self.limits, start[None, : self.dimension], x, BISECTIONS)[0])

    def distances(self, points: Array, x: Array) -> Array:
        """Max-norm of points [m, d] from x [d], 1 where discrete values differ by more than nothing; [m]."""
        steps = np.abs(points - x)
        far: Array = np.where(self.free | (steps <= DOMAIN.one_level), steps, 1.0) if self.parts else steps
        largest: Array = far.max(axis=1)
        return largest


def _least_distance(x: Array) -> float:
    """Smallest distance between two points of x [q, d]."""
    if len(x) < 2:
        return 0.0
    square = ((x[:, None, :] - x) ** 2).sum(axis=2)
    return float(square[np.triu_indices(len(x), 1)].min())
