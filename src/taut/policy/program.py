"""The constrained optimum of given functions and its multipliers: what a limit costs there.

    max h_0(x)  subject to  lower_k <= h_k(x) <= upper_k,  0 <= x <= 1

| symbol | meaning | shape |
| --- | --- | --- |
| A | gradients of the margins that are (nearly) 0 at x: upper_k - h_k, h_k - lower_k, x_i, 1 - x_i | [m, d] |
| lambda | multipliers: argmin over lambda >= 0 of the length of grad h_0 + A' lambda | [m] |

At a regular optimum the length is 0, and lambda is the gain of h_0 for every unit by which a limit is moved outward.
The functions are the means of processes or sample paths; they are given as callables, so that both are one program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.base.slsqp import NonlinearProgram
from taut.policy.question_settings import PriceSettings

Smooth = Callable[[Array], tuple[float, Array]]
"""Value and gradient [d] at x [d]."""
UPPER, LOWER = 0, 1


@dataclass(frozen=True)
class Functions:
    """The objective and the constraints, the sizes by which they are standardised, and the limits of the constraints.

    domain: where to search; discrete parameters stay as they are at the start. computable: further margins that must
    not be negative, where functions have failed; they have no price.
    """

    smooth: tuple[Smooth, ...]
    sizes: tuple[float, ...]
    bounds: tuple[Bounds, ...]
    domain: Domain
    computable: tuple[Smooth, ...] = ()

    def moved(self, k: int, side: int, limit: float) -> Functions:
        """The same with another limit of constraint k (from 0)."""
        old = self.bounds[k]
        new = Bounds(old.lower, limit) if side == UPPER else Bounds(limit, old.upper)
        return replace(self, bounds=(*self.bounds[:k], new, *self.bounds[k + 1 :]))


@dataclass(frozen=True)
class Corner:
    """An optimum x [d]: the objective there, and the multipliers of both sides of every constraint; [K, 2]."""

    x: Array
    value: float
    multipliers: Array


def corner(functions: Functions, start: Array, settings: PriceSettings) -> Corner | None:
    """The optimum that a search from start [d] finds; None if it finds none that meets all limits and is stationary."""
    free = functions.domain.free
    steep = float(np.linalg.norm(functions.smooth[0](start)[1][free])) / functions.sizes[0]
    program = _Program(functions, functions.sizes[0] * max(1.0, steep / settings.steep))
    x = _ended(program, start, settings)
    if x is None or program.outside(x) > settings.active:
        return None
    value, slope = functions.smooth[0](x)
    gradient, slopes = slope[free] / functions.sizes[0], program.margin_gradients(x)[:, free]
    lam, rest = multipliers(gradient, program.margins(x), slopes, x[free], settings)
    if rest > settings.stationary * float(np.linalg.norm(gradient)) + settings.flat:
        return None
    found = np.zeros((len(functions.bounds), 2))
    for i, (k, side) in enumerate(program.limits_at):
        found[k, side] = lam[i] * functions.sizes[0] / functions.sizes[k + 1]
    return Corner(x, value, found)


def _ended(program: _Program, start: Array, settings: PriceSettings) -> Array | None:
    """Where a search from start ends; one that gives up outside of the limits begins anew from inside of them."""
    x = program.functions.domain.solve(program, start, settings.tolerance, settings.steps)
    for _ in range(settings.anew):
        if x is None or program.outside(x) <= settings.active:
            return x
        inside = program.restored(program.restored(x, settings.active), settings.active)
        x = program.functions.domain.solve(program, inside, settings.tolerance, settings.steps)
    return x


def multipliers(
    gradient: Array, margins: Array, slopes: Array, x: Array, settings: PriceSettings
) -> tuple[Array, float]:
    """Multipliers of margins [m] with gradients [m, d] at x [d], and what they leave of the objective's gradient [d].

    Ends of the parameters' ranges count as limits, without a price.
    """
    from scipy.optimize import nnls

    eye = np.eye(len(x))
    low, high = x <= settings.active, x >= 1.0 - settings.active
    active = np.flatnonzero(margins <= settings.active)
    A = np.vstack([slopes[active].reshape(len(active), len(x)), eye[low], -eye[high]])
    found = np.zeros(len(margins))
    if not A.size:  # no limit, or only discrete parameters
        return found, float(np.linalg.norm(gradient))
    lam, rest = nnls(A.T, -gradient)
    found[active] = lam[: len(active)]
    return found, float(rest)


class _Program(NonlinearProgram):
    """The program in standardised units, as slsqp wants it. size: by which the objective is divided."""

    def __init__(self, functions: Functions, size: float) -> None:
        self.functions, self.size = functions, size
        pairs = [(k, side, (b.upper, b.lower)[side]) for k, b in enumerate(functions.bounds) for side in (UPPER, LOWER)]
        self.limits_at = [(k, side) for k, side, bound in pairs if np.isfinite(bound)]
        super().__init__(bool(self.limits_at or functions.computable))

    def outside(self, x: Array) -> float:
        """By how much the limit that is missed most is missed at x [d]; 0 if none is, standardised."""
        return max(0.0, -float(self.margins(x).min())) if self.constrained else 0.0

    def restored(self, x: Array, active: float) -> Array:
        """The nearest point to x [d] at which the margins that are below `active` are 0, were they straight."""
        free, margins = self.functions.domain.free, self.margins(x)
        near = margins <= active
        step = np.linalg.lstsq(self.margin_gradients(x)[near][:, free], -margins[near], rcond=None)[0]
        moved = x.copy()
        moved[free] = np.clip(x[free] + step, 0.0, 1.0)
        return moved

    def objective(self, x: Array) -> tuple[float, Array]:
        value, slope = self.functions.smooth[0](x)
        return -value / self.size, -slope / self.size

    def limits(self, x: Array) -> tuple[Array, Array]:
        there = {k: self.functions.smooth[k + 1](x) for k in dict.fromkeys(k for k, _ in self.limits_at)}
        margins, slopes = [], []
        for k, side in self.limits_at:
            (value, slope), b, size = there[k], self.functions.bounds[k], self.functions.sizes[k + 1]
            sign, bound = (1.0, b.upper) if side == UPPER else (-1.0, b.lower)
            margins.append(sign * (bound - value) / size)
            slopes.append(-sign * slope / size)
        for each in self.functions.computable:
            value, slope = each(x)
            margins.append(value)
            slopes.append(slope)
        return np.array(margins), np.array(slopes).reshape(-1, len(x))


def of_pairs(found: Callable[[Array], tuple[Array, Array]]) -> Smooth:
    """A function of one point from one of many: values [q], gradients [q, d] at x [q, d]."""

    def smooth(x: Array) -> tuple[float, Array]:
        value, slope = found(x[None, :])
        return float(value[0]), slope[0]

    return smooth
