"""The search of the recommendation x_r = argmax G."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability
from taut.acquisition.utility import Landscape, Screen
from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, ascend, curvature
from taut.base.distinct import distinct, spread
from taut.base.slsqp import Program
from taut.surrogate.gp import GP

SOFT = 0.03  # doubt added in a first search, relative to the prior's
ROUGH = AscentOptions(tolerance=1e-2, calls=8)
FINE = AscentOptions(tolerance=1e-8, calls=16, behind=1.0, patience=2, shrink=0.3, apart=0.003, smooth=True)
PRECISE = AscentOptions(tolerance=1e-10, calls=80, behind=1.0, patience=5, shrink=0.5)
RIVAL = 0.1  # nats below the best from which on another local maximum is left where it is
NEXT = 0.03  # unit cube, max-norm: ends of ascents this close lead to the same corner
CORNER_STEPS = 20
NEARLY = 1e-5  # tolerance of a corner that only begins a search
BACK = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0])  # standard deviations away from a corner
NO_REGION = np.log(1e-6)  # a best probability of feasibility below this counts as "no feasible region yet"


@dataclass(frozen=True)
class SearchOptions:
    """starts: short ascents from the best points; fine: long ones from the best ends; corner: tolerance in between."""

    starts: int = 16
    fine: AscentOptions = PRECISE
    corner: float = 1e-9


@dataclass(frozen=True)
class Anchor:
    """The recommendation and what the look-ahead needs around it.

    x: [d]; maxima: distinct local maxima of G, best first [m, d]; metric: inverse Hessian of -log(G - M) at x [d, d];
    feasible: False if no region with a probability of feasibility above 1e-6 is known.
    """

    x: Array
    log_gain: float
    log_feasibility: float
    maxima: Array
    metric: Array
    feasible: bool

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """Squares of the semi-axes of the ellipsoid of G, increasing [d], and their directions as columns [d, d]."""
        squares, directions = np.linalg.eigh(self.metric)
        return squares, directions


def recommend(land: Landscape, seen: Screen, options: SearchOptions) -> Anchor:
    """x_r = argmax G, searched from the points of a screen: quasi-random ones, data, the last recommendation.

    A well-known constraint is a wall along which an ascent of G crawls. So short ascents with more doubt than there is
    find the regions; sequential quadratic programming finds the corner between the walls; and G itself is climbed from
    there.
    """
    feasible = bool(np.max(seen.log_feasibility) >= NO_REGION)

    def score(x: Array, rows: Ints, soft: float = 0.0) -> tuple[Array, Array]:
        return land.log_gain_slopes(x, soft) if feasible else land.log_feasibility_slopes(x, soft)

    starts = seen.x[spread(seen.x, seen.log_gain if feasible else seen.log_feasibility, options.starts)]
    rough = ascend(partial(score, soft=SOFT), starts, ROUGH)
    keep = distinct(rough.x, rough.value, 1e-3)[: max(2, options.starts // 8)]
    walls = feasible and bool(land.bounds)
    first = corners(land, rough.x[keep[:1]], options.corner) if walls else rough.x[keep[:1]]
    best = np.vstack([first, rough.x[keep[1:]], starts[:1]])
    fine = ascend(score, best, options.fine, curvature(score, best))
    elsewhere = np.abs(fine.x[: len(keep)] - fine.x[0]).max(axis=1) > NEXT
    rivals = np.flatnonzero(elsewhere & (fine.value[: len(keep)] > fine.value[0] - RIVAL))
    if walls and len(rivals):  # they may be as good once they are in their corners
        best = corners(land, fine.x[rivals], options.corner)
        more = ascend(score, best, options.fine, curvature(score, best))
        fine = replace(fine, x=np.vstack([fine.x, more.x]), value=np.concatenate([fine.value, more.value]))
    ends = np.vstack([fine.x, rough.x])
    values = np.concatenate([fine.value, land.log_gain(rough.x) if feasible else land.log_feasibility(rough.x)])
    order = distinct(ends, values, 1e-4)
    maxima = ends[order]
    x = maxima[0]
    log_feasibility = float(land.log_feasibility(x[None, :])[0])
    return Anchor(x, float(values[order[0]]), log_feasibility, maxima, curvature(score, x[None, :])[0], feasible)


def at_once(land: Landscape, seen: Screen) -> Array:
    """A recommendation without a search: the best point of a screen, or the corner next to it if G is higher there.

    Returns [d].
    """
    start: Array = seen.x[int(np.argmax(seen.log_gain))]
    if not land.bounds or np.max(seen.log_feasibility) < NO_REGION:
        return start
    both = np.vstack([corners(land, start[None, :], NEARLY), start])
    best: Array = both[int(np.argmax(land.log_gain(both)))]
    return best


def corners(land: Landscape, starts: Array, tolerance: float) -> Array:
    """max mu_0 subject to mu_k + sigma_k within the bounds of every constraint, then a step back; [p, d]."""
    return np.array([_Walls(land, start).corner(start, tolerance) for start in starts])


class _Walls(Program):
    """The constraints in doubt near a start, as inequalities on mean and standard deviation."""

    def __init__(self, land: Landscape, start: Array) -> None:
        self.land = land
        pairs = enumerate(zip(land.processes[1:], land.bounds, strict=True))
        self.near = [k for k, (gp, b) in pairs if self._in_doubt(gp, b, start)]
        super().__init__(bool(self.near))

    def corner(self, start: Array, tolerance: float) -> Array:
        """Where the walls stop the objective's mean, moved away from them as far as G likes best; [d]."""
        end = self.solve(start, tolerance, CORNER_STEPS)
        if end is None or not self.near:
            return start if end is None else end
        line = np.clip(end + BACK[:, None] * self._back(end), 0.0, 1.0)
        best: Array = line[int(np.argmax(self.land.log_gain(line)))]
        return best

    def _back(self, x: Array) -> Array:
        """The shortest step w that takes x one standard deviation further from every wall it touches: A w = sigma; [d].

        The better a constraint is known, the more standard deviations from its bound G is largest, five or six in the
        end. An ascent from one would get there in steps of 1, 1/2, 1/3, ... of them, or jump too far.
        """
        margin, slopes = self.margins(x), self.margin_slopes(x)
        sd = np.array([self._sd(k, x) for k in self.near for b in self._edges(k) if np.isfinite(b)])
        touched = margin < sd
        free = (x > 0.0) & (x < 1.0)
        step: Array = np.linalg.lstsq(slopes[touched] * free, sd[touched], rcond=1e-6)[0]
        return step

    def _edges(self, k: int) -> tuple[float, float]:
        return self.land.bounds[k].upper, self.land.bounds[k].lower

    def _sd(self, k: int, x: Array) -> float:
        """Standard deviation of a constraint at x [d], in prior ones."""
        gp = self.land.processes[k + 1]
        return float(np.sqrt(gp.at(x[None, :]).var[0] / gp.amplitude))

    @staticmethod
    def _in_doubt(gp: GP, bounds: Bounds, x: Array) -> bool:
        """Not certain there, even with a tenth of the prior's doubt on top: it may matter on the way."""
        table = gp.at(x[None, :])
        sd = np.sqrt(table.var + 0.01 * gp.amplitude)
        return bool(log_probability(bounds, table.mean[0], sd)[0] < -1e-6)

    def objective(self, x: Array) -> tuple[float, Array]:
        gp = self.land.processes[0]
        mean, slope = gp.mean_slopes(x[None, :])
        return float(-mean[0] / gp.scale), -slope[0] / gp.scale

    def limits(self, x: Array) -> tuple[Array, Array]:
        """Margins of upper and lower bounds, in prior standard deviations, and their gradients."""
        margin, slopes = [], []
        for k in self.near:
            gp = self.land.processes[k + 1]
            trace = gp.trace(x[None, :])
            mean, sd, size = trace.table.mean[0, 0], float(np.sqrt(trace.table.var[0])), float(np.sqrt(gp.amplitude))
            for bound, sign in zip(self._edges(k), (1.0, -1.0), strict=True):
                if np.isfinite(bound):
                    margin.append((sign * (bound - mean) - sd) / size)
                    slopes.append(trace.gradient(np.full((1, 1), -sign / size), np.full(1, -0.5 / (sd * size)))[0])
        return np.array(margin), np.array(slopes)
