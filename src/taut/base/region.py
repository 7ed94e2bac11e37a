"""Points that meet known constraints: finding some, spreading over them, and moving any point onto one of them.

The region may be a sliver of the cube. A pool of points inside is found once: quasi-random ones, and where they miss
it, Newton steps from the least violated and sequential quadratic programming on the largest violation. Random walks
inside (hit and run) spread the pool; whatever else leads nowhere ends at the nearest point of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.base.limits import Limits, corrected, furthest, met, towards, violation
from taut.base.slsqp import NonlinearProgram

LOOKED_AT = 4096  # quasi-random points among which the pool is looked for
STARTS = 256  # of them, from which Newton steps begin
PROGRAMS = 24  # of them, from which programs begin if Newton steps fail
COMBINATIONS = 20_000  # of discrete values that are all tried where random points miss the region
POOL = 256
WALK = 8  # steps of a random walk
SHRINKS = 16  # of the interval that a step is drawn from
BISECTIONS = 40
DISCRETE_ROUNDS = 12  # steps to discrete neighbours that are less violated


@dataclass(frozen=True)
class Region:
    """The part of a domain where its limits are met.

    free: columns whose coordinates may be any number [d]; spread: points of the domain whatever the limits say;
    neighbours: of x [q, d], points [m, d] that differ in one discrete parameter, and in which row [m]; members: all
    points inside, where they could be looked at one by one [n, d]; every: a point with each combination of discrete
    values, if there are not too many [n, d].
    """

    limits: Limits
    free: Flags
    spread: Callable[[int, np.random.Generator], Array]
    neighbours: Callable[[Array], tuple[Array, Ints]]
    members: Array | None = None
    every: Callable[[np.random.Generator], Array] | None = None

    @cached_property
    def pool(self) -> Array:
        """Points inside, spread over the region as far as it is known; none if it seems to be empty. [p, d]."""
        rng = np.random.default_rng([LOOKED_AT])
        if self.members is not None:
            return self.members[rng.permutation(len(self.members))[:POOL]]
        points = self.spread(LOOKED_AT, rng)
        fine = met(self.limits, points)
        found = points[fine]
        if len(found) < POOL:
            found = np.vstack([found, self._combinations(rng), self._found(points[~fine])])
        if not len(found):
            return found
        if len(found) < POOL:
            starts = found[rng.integers(len(found), size=POOL - len(found))]
            found = np.vstack([found, self.walk(starts, 4 * WALK, rng)])
        return found[:POOL] if fine.sum() < POOL else found[rng.permutation(len(found))[:POOL]]

    def _combinations(self, rng: np.random.Generator) -> Array:
        """Points inside, one with every combination of discrete values with which Newton steps lead there."""
        if self.every is None:
            return np.empty((0, len(self.free)))
        x, fine = towards(self.limits, self.every(rng), self.free)
        return rng.permutation(x[fine])

    @cached_property
    def closest(self) -> Array:
        """The least violated point that was found, where the region seems to be empty; [d]."""
        points = self.spread(LOOKED_AT, np.random.default_rng([LOOKED_AT]))
        tried = self._tried(points)
        best: Array = tried[int(np.argmin(violation(self.limits, tried)))]
        return best

    def _found(self, points: Array) -> Array:
        """Points inside, by all means, from points outside [q, d]."""
        tried = self._tried(points)
        return tried[met(self.limits, tried)]

    def _tried(self, points: Array) -> Array:
        """Where Newton steps from the least violated points lead, and if that is nowhere inside, programs."""
        if not len(points):
            return points
        order = np.argsort(violation(self.limits, points), kind="stable")
        starts = points[np.concatenate([order[: STARTS // 2], order[STARTS // 2 :: max(len(order) * 2 // STARTS, 1)]])]
        moved = self._less_violated(corrected(self.limits, starts, self.free))
        if met(self.limits, moved).any():
            return moved
        best = moved[np.argsort(violation(self.limits, moved), kind="stable")[:PROGRAMS]]
        solved = np.array([self._program(x) for x in best])
        return np.vstack([moved, solved, corrected(self.limits, solved, self.free)])

    def _less_violated(self, x: Array) -> Array:
        """With discrete values changed, one at a time, as long as that lessens the violation; [q, d]."""
        x, worst = x.copy(), violation(self.limits, x)
        for _ in range(DISCRETE_ROUNDS):
            rows = np.flatnonzero(worst > 0.0)
            points, owner = self.neighbours(x[rows])
            if not len(points):
                break
            points = corrected(self.limits, points, self.free)
            there = violation(self.limits, points)
            order = np.lexsort((there, owner))
            first = order[np.unique(owner[order], return_index=True)[1]]
            better = first[there[first] < worst[rows[owner[first]]]]
            if not len(better):
                break
            x[rows[owner[better]]], worst[rows[owner[better]]] = points[better], there[better]
        return x

    def _program(self, x: Array) -> Array:
        """min max_j g_j from x [d]."""
        if not self.free.any() or not np.isfinite(violation(self.limits, x[None, :])[0]):
            return x
        program = _Least(self.limits)
        start = np.append(x, violation(self.limits, x[None, :])[0])
        held = np.append(~self.free, False)
        with np.errstate(all="ignore"):
            end = program.solve(start, 1e-12, 100, held)
        return x if end is None else end[:-1]

    def met(self, x: Array) -> Array:
        """Points inside next to x [q, d], x itself where it is inside."""
        outside = np.flatnonzero(~met(self.limits, x))
        if not len(outside):
            return x
        x = x.copy()
        x[outside], fine = towards(self.limits, x[outside], self.free)
        outside = outside[~fine]
        if len(outside) and len(self.pool):
            x[outside] = self._towards(x[outside])
        return x

    def _towards(self, x: Array) -> Array:
        """From the nearest points of the pool as far towards x [q, d] as it goes, with their discrete values."""
        step = self.pool[None, :, :] - x[:, None, :]
        inside = self.pool[np.argmin(np.abs(step).sum(axis=2), axis=1)]
        goal = np.where(self.free, x, inside)
        moved, fine = towards(self.limits, goal, self.free)
        lost = np.flatnonzero(~fine)
        moved[lost] = furthest(self.limits, inside[lost], goal[lost], BISECTIONS)
        return moved

    def filled(self, x: Array, rng: np.random.Generator) -> Array:
        """The points x [q, d] with others in the place of those outside: moved onto the border and inside, in turns."""
        outside = np.flatnonzero(~met(self.limits, x))
        if not len(outside) or not len(self.pool):
            return x
        x = x.copy()
        if self.members is not None:
            order = rng.permutation(len(self.members))
            x[outside] = self.members[np.resize(order, len(outside))]
            return x
        border, inner = outside[::2], outside[1::2]
        x[border] = self.met(x[border])
        again = np.setdiff1d(border, np.unique(x.round(9), axis=0, return_index=True)[1])  # in a corner, say
        for rows in (inner, again):
            if len(rows):
                x[rows] = self.walk(self.pool[rng.integers(len(self.pool), size=len(rows))], WALK, rng)
        return x

    def walk(self, x: Array, steps: int, rng: np.random.Generator) -> Array:
        """Hit and run from points inside [q, d]: a uniform point on a random line, again and again.

        The interval on the line is found by shrinking, as in slice sampling.
        """
        for _ in range(steps if self.free.any() else 0):
            direction = rng.standard_normal(x.shape) * self.free
            direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-300)
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = np.stack([-x / direction, (1.0 - x) / direction])
            ends = np.where(np.isfinite(ends) & (direction != 0.0), ends, np.array([-np.inf, np.inf])[:, None, None])
            low, high = np.sort(ends, axis=0)
            low, high = low.max(axis=1), high.min(axis=1)
            moved, open_ = x.copy(), np.ones(len(x), dtype=bool)
            for _ in range(SHRINKS):
                t = low + (high - low) * rng.random(len(x))
                trial = np.minimum(np.maximum(x + t[:, None] * direction, 0.0), 1.0)
                fine = open_ & met(self.limits, trial)
                moved[fine], open_ = trial[fine], open_ & ~fine
                low, high = np.where(t < 0.0, t, low), np.where(t > 0.0, t, high)
                if not open_.any():
                    break
            x = moved
        return x

    def settled(self, x: Array) -> Array:
        """A point next to x [d], or x itself, where the user's own functions say that all limits are met.

        Arrays and Python's numbers may differ in the last digit.
        """
        if self.limits.holds(x):
            return x
        for inside in 10.0 ** np.arange(-13.0, -1.0):
            moved: Array = corrected(self.limits, x[None, :], self.free, float(inside))[0]
            if not np.array_equal(moved, x) and self.limits.holds(moved):
                return moved
        for point in self.pool[np.argsort(np.abs(self.pool - x).sum(axis=1), kind="stable")]:
            goal = np.where(self.free, x, point)
            for share in 0.5 ** np.arange(40, -1, -1):
                between: Array = goal + share * (point - goal)
                if self.limits.holds(between):
                    return between
        return x


class _Least(NonlinearProgram):
    """min s with g_j(x) <= s for all j; its variables are (x, s)."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(True, free=1)
        self.known = limits

    def objective(self, x: Array) -> tuple[float, Array]:
        return float(x[-1]), np.append(np.zeros(len(x) - 1), 1.0)

    def limits(self, x: Array) -> tuple[Array, Array]:
        g, A = self.known.values_with_gradient(x[None, :-1])
        return x[-1] - np.where(np.isfinite(g[0]), g[0], 1e9), np.hstack([-A[0], np.ones((len(A[0]), 1))])


class LimitedProgram(NonlinearProgram):
    """A program with known constraints among its margins."""

    def __init__(self, program: NonlinearProgram, limits: Limits) -> None:
        super().__init__(True, program.free)
        self.program, self.known = program, limits

    def objective(self, x: Array) -> tuple[float, Array]:
        return self.program.objective(x)

    def limits(self, x: Array) -> tuple[Array, Array]:
        place = x[: len(x) - self.free]
        g, A = self.known.values_with_gradient(place[None, :])
        slopes = np.hstack([-A[0], np.zeros((len(A[0]), self.free))])
        margin = np.where(np.isfinite(g[0]), -g[0], -1e9)
        if not self.program.constrained:
            return margin, slopes
        own, own_slopes = self.program.limits(x)
        return np.concatenate([own, margin]), np.vstack([own_slopes.reshape(-1, len(x)), slopes])
