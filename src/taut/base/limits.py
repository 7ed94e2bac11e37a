"""Known constraints on the unit cube, and the way onto their right side.

    g_j(x) <= 0 for all j

A point on the wrong side is moved by Newton steps in its free columns: of all small steps w with A w = -g for the
violated rows of the Jacobian A, the shortest, w = -A'(A A')^-1 g; columns that a bound of the cube stops are held.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from taut.base.arrays import Array, Flags

NEWTON_STEPS = 24
SHORTENED = 5  # times that a step into what cannot be computed is halved
LONGEST_STEP = 0.5  # of the cube
INSIDE = 1e-11  # how far inside a Newton step aims, in units of g: rounding must not leave it outside
ACTIVE = 1e-8  # a constraint this close to its limit is one that a step must not cross
TANGENT_PASSES = 4


class Limits(Protocol):
    """Known constraints on the unit cube, each in the form g_j(x) <= 0; exact, cheap and vectorised.

    They are asked for at admissible combinations of the discrete parameters only. The scale of each g_j is free, but
    should be about 1 over the cube: searches compare violations and follow gradients. A value that is not finite counts
    as a violation.
    """

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def slow(self) -> bool:
        """Is a function of the user called at one point after the other?"""

    def values(self, x: Array) -> Array:
        """g at x [q, d]; [q, m]."""

    def values_with_gradient(self, x: Array) -> tuple[Array, Array]:
        """g at x [q, d] as [q, m], and its gradients in the columns of the cube [q, m, d]; of discrete columns any."""

    def holds(self, x: Array) -> bool:
        """Are they met at x [d], by the functions as the user has them?"""


def met(limits: Limits, x: Array) -> Flags:
    """Where all limits are met at x [q, d]; [q]."""
    return _fine(limits.values(x))


def _fine(values: Array) -> Flags:
    """Rows of values [q, m] that keep all limits; [q]."""
    fine: Flags = np.all((values <= 0.0) & np.isfinite(values), axis=1)
    return fine


def violation(limits: Limits, x: Array) -> Array:
    """max_j g_j at x [q, d]; inf where one cannot be computed. [q]."""
    values = limits.values(x)
    worst: Array = np.where(np.isfinite(values), values, np.inf).max(axis=1)
    return worst


def corrected(limits: Limits, x: Array, free: Flags, inside: float = INSIDE) -> Array:
    """The points x [q, d] after Newton steps towards the limits, as far as those lead; free: columns that move [d].

    inside: how far inside they aim.
    """
    return towards(limits, x, free, inside)[0]


def towards(limits: Limits, x: Array, free: Flags, inside: float = INSIDE) -> tuple[Array, Flags]:
    """The same, and which of them meet the limits [q]."""
    x = x.copy()
    fine = met(limits, x)
    rows = np.flatnonzero(~fine)
    reached = np.zeros((len(rows), limits.count), dtype=bool)  # limits once crossed are not left behind again
    for _ in range(NEWTON_STEPS):
        if not len(rows):
            break
        g, A = limits.values_with_gradient(x[rows])
        reached = (reached | (g > -inside)) & np.isfinite(g)
        left = np.where(reached & (g > -inside), g + inside, 0.0)
        old = x[rows]
        x[rows], g = _computable(limits, old, _stepped(old, left, A * reached[:, :, None] * free))
        fine[rows] = _fine(g)
        still = ~fine[rows] & (x[rows] != old).any(axis=1)  # where a step leads nowhere, so will all others
        rows, reached = rows[still], reached[still]
    return x, fine


def _computable(limits: Limits, old: Array, new: Array) -> tuple[Array, Array]:
    """Steps from old to new [q, d], shortened where the limits cannot be computed at their end, and g there [q, m]."""
    g = limits.values(new)
    for share in (*(0.5,) * SHORTENED, 0.0):
        lost: Flags = ~np.all(np.isfinite(g), axis=1)
        if not lost.any():
            break
        new = np.where(lost[:, None], old + share * (new - old), new)
        g = limits.values(new)
    return new, g


def _stepped(x: Array, g: Array, A: Array) -> Array:
    """One Newton step of every row; g [q, m], A [q, m, d], both 0 for constraints that are met."""
    step = _shortest(A, g)
    moved = x + step
    stopped = ((moved < 0.0) & (x <= 0.0)) | ((moved > 1.0) & (x >= 1.0))
    if stopped.any():
        step = _shortest(A * ~stopped[:, None, :], g)
    size = np.abs(step).max(axis=1, keepdims=True)
    step *= np.minimum(1.0, LONGEST_STEP / np.maximum(size, 1e-300))
    return np.minimum(np.maximum(x + step, 0.0), 1.0)


def _shortest(A: Array, g: Array) -> Array:
    """-A'(A A')^-1 g, with a little on the diagonal where constraints are parallel or met; [q, d]."""
    gram = A @ A.transpose(0, 2, 1)
    size = np.einsum("qjj->qj", gram)
    least = 1e-12 * size.max(axis=1, keepdims=True) + 1e-200
    gram[:, np.arange(gram.shape[1]), np.arange(gram.shape[1])] += np.where(size > 0.0, least, 1.0)
    step: Array = -np.einsum("qjd,qj->qd", A, np.linalg.solve(gram, g[:, :, None])[:, :, 0])
    step[~np.isfinite(step).all(axis=1)] = 0.0
    return step


class Walls:
    """What keeps ascents inside the limits; free: columns that may move [d]."""

    def __init__(self, limits: Limits, free: Flags) -> None:
        self.limits, self.free = limits, free
        self._last: tuple[Array, Array, Array] | None = None

    def within(self, old: Array, new: Array) -> Array:
        """The points new [q, d] moved inside; where that fails, as far as the way from old [q, d] is inside."""
        new, fine = towards(self.limits, new, self.free)
        outside = np.flatnonzero(~fine)
        if len(outside):
            new[outside] = furthest(self.limits, old[outside], new[outside], 12)
        return new

    def along(self, x: Array, step: Array) -> Array:
        """Directions [q, d] without what leads out of limits that are reached at x [q, d]."""
        g, A = self._at(x)
        size = np.vecdot(A, A)
        active = (g > -ACTIVE) & (size > 0.0)
        if not active.any():
            return step
        step = step.copy()
        for _ in range(TANGENT_PASSES):
            for j in np.flatnonzero(active.any(axis=0)):
                out = np.where(active[:, j], np.maximum(np.vecdot(A[:, j], step), 0.0), 0.0)
                step -= (out / np.where(size[:, j] > 0.0, size[:, j], 1.0))[:, None] * A[:, j]
        return step

    def _at(self, x: Array) -> tuple[Array, Array]:
        """g [q, m] and its gradients in the free columns [q, m, d]; several directions are asked for at one place."""
        if self._last is None or not np.array_equal(self._last[0], x):
            g, A = self.limits.values_with_gradient(x)
            self._last = x.copy(), g, A * self.free
        return self._last[1:]


def furthest(limits: Limits, inside: Array, outside: Array, halvings: int) -> Array:
    """The last point found inside on the way from points inside to points outside, both [q, d]; by bisection."""
    low, high = np.zeros(len(inside)), np.ones(len(inside))
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        fine = met(limits, inside + middle[:, None] * (outside - inside))
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    return inside + low[:, None] * (outside - inside)
