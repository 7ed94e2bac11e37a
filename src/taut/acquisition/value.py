"""The value of recommending a point, and the recommendation.

| symbol | meaning | shape |
| --- | --- | --- |
| M | value of an infeasible design: the smallest posterior mean of the objective | scalar |
| G(x) | M + (mu_0(x) - M) prod_k PF_k(x) | [q] |
| x_r | argmax G, searched as log(mu_0 - M) + sum_k log PF_k | [d] |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability, log_probability_slopes
from taut.acquisition.maximise import AscentOptions, ascend, curvature
from taut.acquisition.programming import Program
from taut.arrays import Array, Flags, Ints
from taut.surrogate.gp import GP

SOFT = 0.03  # doubt added in a first search, relative to the prior's
ROUGH = AscentOptions(tolerance=1e-2, calls=8)
FINE = AscentOptions(tolerance=1e-8, calls=16, behind=1.0, patience=2, shrink=0.3, apart=0.003, smooth=True)
PRECISE = AscentOptions(tolerance=1e-10, calls=80, behind=1.0, patience=5, shrink=0.5)
HOPE = 1.5  # standard deviations of good news
EVERYTHING = -1  # good news about all functions
RIVAL = 0.1  # nats below the best from which on another local maximum is left where it is
NEXT = 0.03  # unit cube, max-norm: ends of ascents this close lead to the same corner
CORNER_STEPS = 20
NEARLY = 1e-5  # tolerance of a corner that only begins a search
BACK = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0])  # standard deviations away from a corner
SHORT = 256
CHEAP = 300_000  # points times values up to which variances are computed without looking at the means first
NO_REGION = np.log(1e-6)  # a best probability of feasibility below this counts as "no feasible region yet"


@dataclass(frozen=True)
class SearchOptions:
    """starts: short ascents from the best points; fine: long ones from the best ends; corner: tolerance in between."""

    starts: int = 16
    fine: AscentOptions = PRECISE
    corner: float = 1e-9


class Moments(NamedTuple):
    """Mean [q] and, if it was computed, standard deviation [q] of a process."""

    mean: Array
    sd: Array | None


@dataclass(frozen=True)
class Landscape:
    """G of one belief: processes (objective first), feasible intervals of the constraints, penalty M."""

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float

    def log_gain(self, x: Array) -> Array:
        """log(G(x) - M), averaged means if the processes carry draws; [q]."""
        return self.log_excess(self.processes[0].mean(x).mean(axis=0)) + self.log_feasibility(x)

    def log_excess(self, mean: Array) -> Array:
        """log(mu_0 - M), finite below M."""
        excess: Array = np.maximum(mean - self.M, 1e-9 * self.processes[0].scale)
        return np.log(excess)

    def log_feasibility(self, x: Array) -> Array:
        """sum_k log PF_k(x); [q]."""
        total = np.zeros(len(x))
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            table = gp.at(x)
            total += log_probability(bounds, table.mean.mean(axis=0), np.sqrt(table.var))
        return total

    def screen(self, x: Array, objective: Moments | None = None, known: Flags | None = None) -> Screen:
        """Where to start searches among points x [q, d]; objective: what is believed of it; known: which are data."""
        mean, sd = objective or moments(self.processes[0], x)
        known = np.zeros(len(x), dtype=bool) if known is None else known
        if len(x) * max(len(gp.X) for gp in self.processes) > CHEAP:
            keep = self._shortlist(x, mean, known)
            x, mean, known, sd = x[keep], mean[keep], known[keep], None if sd is None else sd[keep]
        centre, width = np.empty((2, len(self.bounds), len(x)))
        for k, gp in enumerate(self.processes[1:]):
            mean_k, var = gp.sketch(x)
            centre[k], width[k] = mean_k[0], np.sqrt(var)
        return Screen(self, x, mean, centre, width, known, sd)

    def _shortlist(self, x: Array, mean: Array, known: Flags) -> Ints:
        """Points that may score well, by means alone: variances cost O(n^2) a point. Doubt: a tenth of the prior's.

        The best known ones are always among them: they have the incumbent.
        """
        score = self.log_excess(mean)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            score += log_probability(bounds, gp.mean(x)[0], np.full(len(x), 0.1 * np.sqrt(gp.amplitude)))
        order = np.argsort(-score, kind="stable")
        return np.union1d(order[:SHORT], order[known[order]][: SHORT // 4])

    def log_gain_slopes(self, x: Array, soft: float = 0.0) -> tuple[Array, Array]:
        """log(G - M) [q] and its gradient [q, d]; soft: see log_feasibility_slopes."""
        mean, slope = self.processes[0].mean_slopes(x)
        floor = 1e-9 * self.processes[0].scale
        excess = np.maximum(mean - self.M, floor)
        value, gradient = self.log_feasibility_slopes(x, soft)
        return value + np.log(excess), gradient + np.where(mean - self.M > floor, 1.0 / excess, 0.0)[:, None] * slope

    def log_hope_slopes(self, x: Array, which: Ints) -> tuple[Array, Array]:
        """log(G - M) as it would be after good news about one function per row, and its gradient; [q], [q, d].

        which: 0 for the objective, whose mean is HOPE standard deviations better, k for the k-th constraint, whose mean
        is as much further inside, EVERYTHING for all at once.
        """
        every = which == EVERYTHING
        trace = self.processes[0].trace(x)
        sd, share = np.sqrt(trace.table.var), HOPE * (every | (which == 0))
        floor = 1e-9 * self.processes[0].scale
        excess = np.maximum(trace.table.mean[0] + share * sd - self.M, floor)
        ratio = np.where(excess > floor, 1.0 / excess, 0.0)
        value, gradient = np.log(excess), trace.gradient(ratio[None, :], 0.5 * ratio * share / sd)
        for k, (gp, bounds) in enumerate(zip(self.processes[1:], self.bounds, strict=True), start=1):
            trace = gp.trace(x)
            mean, sd = trace.table.mean[0], np.sqrt(trace.table.var)
            share = -HOPE * (every | (which == k)) * outward(bounds, mean)
            log_p, by_mean, by_sd = log_probability_slopes(bounds, mean + share * sd, sd)
            value += log_p
            gradient += trace.gradient(by_mean[None, :], 0.5 * (by_sd + by_mean * share) / sd)
        return value, gradient

    def log_feasibility_slopes(self, x: Array, soft: float = 0.0) -> tuple[Array, Array]:
        """sum_k log PF_k [q] and its gradient [q, d]; soft: doubt added to every constraint, in prior sds."""
        value, gradient = np.zeros(len(x)), np.zeros_like(x)
        for gp, bounds in zip(self.processes[1:], self.bounds, strict=True):
            trace = gp.trace(x)
            sd = np.sqrt(trace.table.var + soft * soft * gp.amplitude)
            log_p, by_mean, by_sd = log_probability_slopes(bounds, trace.table.mean[0], sd)
            value += log_p
            gradient += trace.gradient(by_mean[None, :], 0.5 * by_sd / sd)
        return value, gradient


@dataclass(frozen=True)
class Screen:
    """Points x [q, d] from which searches may start, with what is believed there.

    mean: of the objective [q]; centre, width: means and standard deviations of the constraints [K, q]; known: whether
    the point is data [q]; doubt: standard deviation of the objective [q], if it was computed.
    """

    land: Landscape
    x: Array
    mean: Array
    centre: Array
    width: Array
    known: Flags
    doubt: Array | None = None

    @cached_property
    def sd(self) -> Array:
        """Standard deviation of the objective; [q]."""
        return self.doubt if self.doubt is not None else np.sqrt(self.land.processes[0].at(self.x).var)

    @cached_property
    def log_pf(self) -> Array:
        """log PF_k; [K, q]."""
        return self._log_pf(np.zeros(len(self.centre)))

    @cached_property
    def log_feasibility(self) -> Array:
        """sum_k log PF_k; [q]."""
        total: Array = self.log_pf.sum(axis=0)
        return total

    @cached_property
    def log_gain(self) -> Array:
        """log(G - M); [q]."""
        return self.land.log_excess(self.mean) + self.log_feasibility

    def log_hope(self, which: int) -> Array:
        """log(G - M) after good news (see Landscape.log_hope_slopes); [q]."""
        mean = self.mean + HOPE * self.sd if which in (EVERYTHING, 0) else self.mean
        news = np.array([which in (EVERYTHING, k) for k in range(1, len(self.centre) + 1)])
        total: Array = self.land.log_excess(mean) + self._log_pf(HOPE * news).sum(axis=0)
        return total

    def _log_pf(self, news: Array) -> Array:
        """log PF_k with means moved inside by news [K] standard deviations; [K, q]."""
        logs = np.empty_like(self.centre)
        for k, bounds in enumerate(self.land.bounds):
            mean, sd = self.centre[k], self.width[k]
            logs[k] = log_probability(bounds, mean - news[k] * outward(bounds, mean) * sd, sd)
        return logs


def moments(gp: GP, x: Array) -> Moments:
    """Mean [q] of a process, and its standard deviation [q] where that costs little more."""
    if len(x) * len(gp.X) > CHEAP:
        return Moments(gp.mean(x)[0], None)
    mean, var = gp.sketch(x)
    return Moments(mean[0], np.sqrt(var))


def outward(bounds: Bounds, mean: Array) -> Array:
    """+1 where a constraint's mean is nearer to its upper bound, -1 where to its lower one."""
    return np.where(mean + mean < bounds.lower + bounds.upper, -1.0, 1.0)


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


def penalty(gp: GP, raw: Array, mean: Array) -> float:
    """M = min over the cube of mu_0, and no more than the smallest value seen. raw [q, d] with means [q]."""
    starts = raw[np.argsort(mean, kind="stable")[:4]]

    def score(x: Array, rows: Ints) -> tuple[Array, Array]:
        mean, slope = gp.mean_slopes(x)
        return -mean / gp.scale, -slope / gp.scale

    found = ascend(score, starts, AscentOptions(tolerance=1e-4, calls=8))
    lowest = -gp.scale * float(np.max(found.value))
    return min(lowest, float(gp.y.min()) if gp.y.size else lowest)


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


def spread(points: Array, value: Array, count: int) -> Ints:
    """Indices of the best points, skipping those next to a better one (0.02 in the max-norm), topped up by rank."""
    order = np.argsort(-value, kind="stable")
    order = order[np.isfinite(value[order])][: 20 * count]
    for some in (order[: 4 * count], order):  # the first are usually enough
        chosen = _apart(points[some], count, 0.02)
        if len(chosen) == count or len(some) == len(order):
            break
    return some[chosen] if len(chosen) else np.zeros(1, dtype=np.intp)


def _apart(points: Array, count: int, distance: float) -> list[int]:
    """The first points, at most `count`, that are further than this (max-norm) from all chosen before."""
    close = np.abs(points.T[:, :, None] - points.T[:, None, :]).max(axis=0) <= distance
    free = np.ones(len(points), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < count and free.any():
        chosen.append(int(free.argmax()))
        free &= ~close[chosen[-1]]
    return chosen


def distinct(points: Array, value: Array, apart: float) -> Ints:
    """Positions best first, without points within `apart` (max-norm) of a better one."""
    order = np.argsort(-value, kind="stable")
    sound = order[np.isfinite(value[order])]
    return sound[_apart(points[sound], len(sound), apart)] if len(sound) else order[:1]
