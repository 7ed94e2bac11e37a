"""The search of the recommendation x_r = argmax G."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability
from taut.acquisition.utility import RawSamples, Utility
from taut.base.arrays import Array, Ints
from taut.base.ascend import Ascent, AscentOptions, Score
from taut.base.distinct import best_apart, distinct
from taut.base.slsqp import NonlinearProgram
from taut.policy.settings import OptimumSettings
from taut.surrogate.gp import GP


@dataclass(frozen=True)
class Optimum:
    """The recommendation and what the look-ahead needs around it.

    x: [d]; maxima: distinct local maxima of G, best first [m, d]; metric: inverse Hessian of -log(G - M) at x [d, d];
    feasible: False if no region with a probability of feasibility above 1e-6 is known.
    """

    x: Array
    log_value: float
    maxima: Array
    metric: Array
    feasible: bool

    @property
    def centre(self) -> tuple[Array, Array]:
        """The recommendation and the shape of G there."""
        return self.x, self.metric

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """Squares of the semi-axes of the ellipsoid of G, increasing [d], and their directions as columns [d, d]."""
        squares, directions = np.linalg.eigh(self.metric)
        return squares, directions


def recommend(utility: Utility, samples: RawSamples, settings: OptimumSettings, precise: bool = True) -> Optimum:
    """x_r = argmax G, searched from raw samples: quasi-random points, data, the last recommendation.

    A well-known constraint is a wall along which an ascent of G crawls. So short ascents with more doubt than there is
    find the regions; sequential quadratic programming finds the constrained maximum between the walls; and G itself is
    climbed from there. precise: to the last digit.
    """
    climb = settings.precise if precise else settings.fine
    tolerance = settings.precise_program if precise else settings.fine_program
    feasible = bool(np.max(samples.log_feasibility) >= np.log(settings.no_region))

    def score(x: Array, rows: Ints, soft: float = 0.0) -> tuple[Array, Array]:
        return utility.log_value_with_gradient(x, soft) if feasible else utility.log_feasibility_with_gradient(x, soft)

    def height(x: Array) -> Array:
        return utility.log_value(x) if feasible else utility.log_feasibility(x)

    raw = samples.log_value if feasible else samples.log_feasibility
    starts = samples.x[best_apart(samples.x, raw, settings.starts)]
    domain = utility.domain
    rough = domain.ascend(partial(score, soft=settings.extra_sd), starts, settings.rough)
    keep = distinct(rough.x, rough.value, settings.rough_apart)[: max(2, int(settings.kept * settings.starts))]
    known = utility.domain.limits is not None
    walls = feasible and (bool(utility.bounds) or utility.successes is not None or known)
    first = constrained_maxima(utility, rough.x[keep[:1]], settings, tolerance) if walls else rough.x[keep[:1]]
    best = np.vstack([first, rough.x[keep[1:]], starts[:1]])
    fine = domain.ascend(score, best, climb, domain.curvature(score, best))
    elsewhere = np.abs(fine.x[: len(keep)] - fine.x[0]).max(axis=1) > settings.same_corner
    rivals = np.flatnonzero(elsewhere & (fine.value[: len(keep)] > fine.value[0] - settings.rival))
    if walls and len(rivals):  # they may be as good once they are between their walls
        best = constrained_maxima(utility, fine.x[rivals], settings, tolerance)
        more = domain.ascend(score, best, climb, domain.curvature(score, best))
        fine = replace(fine, x=np.vstack([fine.x, more.x]), value=np.concatenate([fine.value, more.value]))
    if walls and domain.parts and domain.free.any():
        fine = _with_beside(utility, fine, score, climb, settings)
    ends = np.vstack([fine.x, rough.x])
    values = np.concatenate([fine.value, height(rough.x)])
    order = distinct(ends, values, settings.apart)
    x = ends[order[0]]
    metric = domain.curvature(score, x[None, :])[0]
    return Optimum(x, float(values[order[0]]), ends[order], metric, feasible)


def _with_beside(
    utility: Utility, found: Ascent, score: Score, climb: AscentOptions, settings: OptimumSettings
) -> Ascent:
    """The same, with the best that differs from the best in one discrete value, its free columns moved along.

    Between walls another level of a catalogue alone is infeasible, or of no use: what counts is the constrained maximum
    there. Where that is better, again from there.
    """
    domain = utility.domain
    for _ in range(settings.beside_rounds):
        best = int(np.argmax(found.value))
        beside = domain.neighbours(found.x[best : best + 1])[0]
        if not len(beside):
            break
        hope = utility.processes[0].mean(beside)[0]
        beside = beside[np.argsort(-hope, kind="stable")[: settings.beside]]
        ends = constrained_maxima(utility, beside, settings, settings.fine_program)
        top = ends[int(np.argmax(utility.log_value(ends)))][None, :]
        more = domain.ascend(score, top, climb, domain.curvature(score, top))
        better = more.value[0] > found.value[best] + climb.tolerance
        x, value = np.vstack([found.x, more.x]), np.concatenate([found.value, more.value])
        found = replace(found, x=x, value=value)
        if not better:
            break
    return found


def or_known_place(utility: Utility, found: Optimum, known: Array) -> Optimum:
    """The same, or the best of evaluated places [m, d] if G is larger there: a rough function is exact where known."""
    both = np.vstack([found.x, known])
    value = utility.log_value(both)
    best = int(np.argmax(value))
    if best == 0:
        return found
    x = both[best]
    metric = utility.domain.curvature(lambda at, rows: utility.log_value_with_gradient(at), x[None, :])[0]
    return replace(found, x=x, log_value=float(value[best]), maxima=np.vstack([x, found.maxima]), metric=metric)


def quick_optimum(utility: Utility, samples: RawSamples, settings: OptimumSettings) -> Array:
    """Without a search: the best of raw samples, or the constrained maximum next to it if that is better; [d]."""
    start: Array = samples.x[int(np.argmax(samples.log_value))]
    if not (utility.bounds or utility.successes) or np.max(samples.log_feasibility) < np.log(settings.no_region):
        return start
    both = np.vstack([constrained_maxima(utility, start[None, :], settings, settings.fine_program), start])
    best: Array = both[int(np.argmax(utility.log_value(both)))]
    return best


def constrained_maxima(utility: Utility, starts: Array, settings: OptimumSettings, tolerance: float) -> Array:
    """max mu_0 subject to mu_k + sigma_k within the bounds of every constraint, then a step back; [p, d].

    No less computable than the start.
    """
    programs = [MeanProgram(utility, start) for start in starts]
    pairs = zip(programs, starts, strict=True)
    return np.array([program.constrained_maximum(start, settings, tolerance) for program, start in pairs])


class MeanProgram(NonlinearProgram):
    """The constraints in doubt near a start, as inequalities on mean and standard deviation.

    Functions that have failed must be as computable as at the start, as far as it counts. sds: standard deviations from
    the bounds.
    """

    def __init__(self, utility: Utility, start: Array, sds: float = 1.0) -> None:
        self.utility, self.sds = utility, sds
        successes = utility.successes
        self.failing = () if successes is None else successes.models
        self.least = [float(model.log(start[None, :])[0]) for model in self.failing]
        pairs = enumerate(zip(utility.processes[1:], utility.bounds, strict=True))
        self.near = [k for k, (gp, b) in pairs if self._in_doubt(gp, b, start)]
        super().__init__(bool(self.near or self.failing))

    def constrained_maximum(self, start: Array, settings: OptimumSettings, tolerance: float) -> Array:
        """Where the bounds stop the objective's mean, moved away from them as far as G likes best; [d]."""
        domain = self.utility.domain
        end = domain.solve(self, start, tolerance, settings.program_steps)
        if end is None or not self.near:
            return start if end is None else end
        line = domain.repair(end + np.array(settings.back_off)[:, None] * self._back_off(end))
        best: Array = line[int(np.argmax(self.utility.log_value(line)))]
        return best

    def _back_off(self, x: Array) -> Array:
        """The shortest step w that takes x one standard deviation further from every wall it touches: A w = sigma; [d].

        The better a constraint is known, the more standard deviations from its bound G is largest, five or six in the
        end. An ascent from one would get there in steps of 1, 1/2, 1/3, ... of them, or jump too far.
        """
        sd = np.array([self._sd(k, x) for k in self.near for b in self._edges(k) if np.isfinite(b)])
        margin, slopes = self.margins(x)[: len(sd)], self.margin_gradients(x)[: len(sd)]
        touched = margin < sd
        free = self.utility.domain.free & (x > 0.0) & (x < 1.0)
        step: Array = np.linalg.lstsq(slopes[touched] * free, sd[touched], rcond=1e-6)[0]
        return step

    def _edges(self, k: int) -> tuple[float, float]:
        return self.utility.bounds[k].upper, self.utility.bounds[k].lower

    def _sd(self, k: int, x: Array) -> float:
        """Standard deviation of a constraint at x [d], in prior ones."""
        gp = self.utility.processes[k + 1]
        return float(np.sqrt(gp.posterior(x[None, :]).var[0] / gp.size))

    @staticmethod
    def _in_doubt(gp: GP, bounds: Bounds, x: Array) -> bool:
        """Not certain there, even with a tenth of the prior's doubt on top: it may matter on the way."""
        table = gp.posterior(x[None, :])
        sd = np.sqrt(table.var + 0.01 * gp.size)
        return bool(log_probability(bounds, table.mean[0], sd)[0] < -1e-6)

    def objective(self, x: Array) -> tuple[float, Array]:
        gp = self.utility.processes[0]
        mean, slope = gp.mean_with_gradient(x[None, :])
        return float(-mean[0] / gp.scale), -slope[0] / gp.scale

    def limits(self, x: Array) -> tuple[Array, Array]:
        """Margins of upper and lower bounds, in prior standard deviations, then of log q, and their gradients."""
        margin, slopes = [], []
        for k in self.near:
            gp = self.utility.processes[k + 1]
            trace = gp.posterior_with_gradient(x[None, :])
            mean, sd, size = trace.mean[0, 0], float(np.sqrt(trace.var[0])), float(np.sqrt(gp.size))
            for bound, sign in zip(self._edges(k), (1.0, -1.0), strict=True):
                if np.isfinite(bound):
                    margin.append((sign * (bound - mean) - self.sds * sd) / size)
                    by_mean, by_var = np.full((1, 1), -sign / size), np.full(1, -0.5 * self.sds / (sd * size))
                    slopes.append(trace.gradient(by_mean, by_var)[0])
        for model, least in zip(self.failing, self.least, strict=True):
            log_q, slope = model.log_with_gradient(x[None, :], np.ones(1))
            margin.append(float(log_q[0]) - least)
            slopes.append(slope[0])
        return np.array(margin), np.array(slopes)
