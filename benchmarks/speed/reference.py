"""The Knowledge Gradient of one choice (x, S), slowly and accurately; shares no code with taut.acquisition.knowledge.

    KG^S(x) = E[ max_x' G+(x') - G+(x_r) ],   G+(x') = M + (mu_0+(x') - M) prod_k PF_k+(x')

| symbol | meaning | shape |
| --- | --- | --- |
| P | inner points, the same for all choices that are compared; x_r is the best of them | [N, d] |
| z, w | constraint scenarios and their weights | [C, m], [C] |
| a, b | G+ - M = a + b T: a straight line in the objective's outcome T for each scenario | [C, N] |

What differs from the decision's own valuation: thousands of inner points, among them the continuous maximisers of G+
for the most important scenarios of every choice; hundreds of scenarios, drawn more often where rare news decides; and
every line that wins at one of 97 outcomes T is in the envelope that is integrated exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

FLOOR = 1e-14  # of the prior variance: below this a posterior variance is rounding error
NODES = 400  # cells of a single constraint's outcome
JUMP = np.array([-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])  # edges about a jump, in its widths
LOOKUPS = 97  # outcomes T at which the winning line is looked up
CHUNK = 4_000_000  # entries of [C, N] worked on at once
WIDE = 2.5  # standard deviation of the coordinate that is drawn wide


@dataclass(frozen=True)
class Interval:
    """Feasible values of a constraint on the scale of its process."""

    lower: float
    upper: float

    def probability(self, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
        """P(lower <= c <= upper) for c ~ N(mean, sd^2), from the smaller tail."""
        low, high = (self.lower - mean) / sd, (self.upper - mean) / sd
        if np.isneginf(self.lower):
            return np.asarray(special.ndtr(high))
        flip = low + high > 0.0
        return np.where(flip, special.ndtr(-low) - special.ndtr(-high), special.ndtr(high) - special.ndtr(low))


@dataclass(frozen=True)
class Belief:
    """What is believed when the choice is made: one process per function (objective first), intervals, M, t_nu of T."""

    processes: Sequence[Any]
    intervals: Sequence[Interval]
    M: float

    @property
    def nu(self) -> float:
        return float(self.processes[0].hyper.nu)


@dataclass(frozen=True)
class Scenarios:
    """Outcomes of the constraints in S in normal scores: z [C, m], w [C]."""

    z: np.ndarray
    w: np.ndarray


# --- Scenarios


def cells(count: int = NODES, breaks: Sequence[float] = (), reach: float = 8.0) -> Scenarios:
    """A standard normal by the means of about `count` cells between -reach and reach; the ends are open.

    breaks: further edges, where the integrand jumps because the observed place becomes feasible.
    """
    edges = np.sort([*np.linspace(-reach, reach, count - 1), *(e for e in breaks if abs(e) < reach)])
    edges = edges[np.diff(edges, prepend=-np.inf) > 1e-7]
    edges = np.concatenate([[-np.inf], edges, [np.inf]])
    a, b = edges[:-1], edges[1:]
    # Differences in the smaller tail, where nothing cancels.
    w = np.where(a + b > 0.0, special.ndtr(-a) - special.ndtr(-b), special.ndtr(b) - special.ndtr(a))
    return Scenarios(((stats.norm.pdf(a) - stats.norm.pdf(b)) / w)[:, None], w)


def vectors(count: int, columns: Sequence[int], width: int, hold: np.ndarray, seed: int) -> Scenarios:
    """Importance-sampled scenarios of several constraints; column k of the same Sobol points is always function k.

    Half of them are plain. A quarter is drawn given that all constraints of S hold at x (hold: [m, 2] limits of the
    scores), a quarter with one coordinate wide, because news worth having may be rare. The weight of a vector is
    the plain density over that of the mixture, so that every expectation keeps its value.
    """
    m = len(columns)
    u = stats.qmc.Sobol(width + 1, rng=np.random.default_rng(seed)).random(count)
    u = np.clip(u, 1e-12, 1.0 - 1e-12)
    pick, u = u[:, 0], u[:, 1:][:, columns]
    low, high = special.ndtr(hold[:, 0]), special.ndtr(hold[:, 1])
    z = special.ndtri(u)
    given, wide = (pick >= 0.5) & (pick < 0.75), pick >= 0.75
    z[given] = _between(u[given], hold)
    which = np.minimum(((pick[wide] - 0.75) * 4.0 * m).astype(int), m - 1)
    rows = np.flatnonzero(wide)
    z[rows, which] *= WIDE
    inside = np.all((z >= hold[:, 0]) & (z <= hold[:, 1]), axis=1)
    chance = float(np.prod(high - low))
    by_hold = np.where(inside, 1.0 / max(chance, 1e-300), 0.0)
    by_wide = np.mean(np.exp(np.minimum(0.5 * z * z * (1.0 - 1.0 / WIDE**2), 700.0)) / WIDE, axis=1)
    w = 1.0 / (0.5 + 0.25 * by_hold + 0.25 * by_wide) / count
    return Scenarios(z, w)


def _between(u: np.ndarray, hold: np.ndarray) -> np.ndarray:
    """Normal scores u [C, m] mapped between the limits, from the smaller tail."""
    low, high = hold[:, 0], hold[:, 1]
    flip = low + high > 0.0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    left, right = special.log_ndtr(a), special.log_ndtr(b)
    share = np.exp(left - right)
    z = special.ndtri_exp(np.minimum(right + np.log(share + u * (1.0 - share)), 0.0))
    z = np.clip(z, a, b)
    return np.where(flip, -z, z)


# --- Lines


class Inner:
    """The processes on the inner points P [N, d]; x_r is the best of them now."""

    def __init__(self, belief: Belief, points: np.ndarray) -> None:
        self.belief, self.points = belief, points
        self.tables = [gp.posterior(points) for gp in belief.processes]
        self.excess = self.tables[0].mean[0] - belief.M
        self.feasible = [
            interval.probability(table.mean[0], np.sqrt(table.var))
            for interval, table in zip(belief.intervals, self.tables[1:], strict=True)
        ]
        gain = self.excess * np.prod(self.feasible, axis=0) if self.feasible else self.excess
        self.gain = gain
        self.best = int(np.argmax(gain))


class Candidate:
    """One choice (x [d], S) on inner points: its scenarios and the lines of G+."""

    def __init__(self, inner: Inner, x: np.ndarray, S: Sequence[int], count: int, seed: int) -> None:
        self.inner, self.x, self.S = inner, x, tuple(S)
        self.members = [k for k in self.S if k > 0]
        at = [gp.posterior(x[None, :]) for gp in inner.belief.processes]
        self.own = at
        self.root = {k: float(np.sqrt(at[k].var[0] + inner.belief.processes[k].noise)) for k in self.S}
        self.s = {k: inner.belief.processes[k].covariance(inner.tables[k], at[k])[:, 0] / self.root[k] for k in self.S}
        self.scenarios = self._scenarios(count, seed)
        others = [p for k, p in enumerate(inner.feasible, start=1) if k not in self.S]
        self.rest = np.prod(others, axis=0) if others else np.ones(len(inner.points))

    def _scenarios(self, count: int, seed: int) -> Scenarios:
        if not self.members:
            return Scenarios(np.zeros((1, 0)), np.ones(1))
        intervals = self.inner.belief.intervals
        limits = [[intervals[k - 1].lower, intervals[k - 1].upper] for k in self.members]
        mean = np.array([self.own[k].mean[0, 0] for k in self.members])
        reach = np.array([self.own[k].var[0] / self.root[k] for k in self.members])
        hold = (np.array(limits) - mean[:, None]) / reach[:, None]
        if len(self.members) == 1:
            k = self.members[0]
            left = np.sqrt(max(self.own[k].var[0] - reach[0] ** 2, 0.0)) / reach[0]  # the jump is as wide as this
            return cells(breaks=np.add.outer(hold[0], left * JUMP).ravel())
        return vectors(count, [k - 1 for k in self.members], len(intervals), hold, seed)

    def weight(self, rows: slice) -> np.ndarray:
        """W: product of all updated feasibilities for some scenarios; [C, N]."""
        inner = self.inner
        W = np.broadcast_to(self.rest, (len(self.scenarios.w[rows]), len(self.rest))).copy()
        for column, k in enumerate(self.members):
            table, s = inner.tables[k], self.s[k]
            floor = FLOOR * inner.belief.processes[k].amplitude
            sd = np.sqrt(np.maximum(table.var - s * s, floor))
            mean = table.mean[0] + self.scenarios.z[rows, column][:, None] * s
            W *= inner.belief.intervals[k - 1].probability(mean, sd)
        return W

    def chunks(self) -> list[slice]:
        size = max(1, CHUNK // len(self.rest))
        return [slice(i, i + size) for i in range(0, len(self.scenarios.w), size)]

    def gains(self) -> tuple[np.ndarray, list[tuple[int, int, float]]]:
        """E_T[max G+ - G+(x_r)] of each scenario [C], and the winners (scenario, inner point, mean T there)."""
        values, winners = [], []
        for rows in self.chunks():
            W = self.weight(rows)
            a = self.inner.excess * W
            if 0 not in self.S:
                index = a.argmax(axis=1)
                values.append(np.take_along_axis(a, index[:, None], axis=1)[:, 0] - a[:, self.inner.best])
                winners += [(rows.start + c, int(i), 0.0) for c, i in enumerate(index)]
                continue
            b = self.s[0] * W
            for c in range(len(a)):
                value, pieces = expected_max(a[c], b[c], self.inner.belief.nu)
                values.append(np.array([value - a[c, self.inner.best]]))
                winners += [(rows.start + c, i, t) for i, t in pieces]
        return np.concatenate(values), winners

    def value(self) -> float:
        """KG^S(x) on the inner points."""
        gains, _ = self.gains()
        return float(self.scenarios.w @ np.maximum(gains, 0.0))


def expected_max(a: np.ndarray, b: np.ndarray, nu: float) -> tuple[float, list[tuple[int, float]]]:
    """E[max_i a_i + b_i T] for T ~ t_nu over the lines that win somewhere, and those lines with their mean outcome."""
    t = lookups(nu)
    index = np.unique((a + t[:, None] * b).argmax(axis=1))
    kept, meets = _envelope(a, b, index)
    edges = np.concatenate([[-np.inf], meets, [np.inf]])
    P, E = np.diff(cdf(edges, nu)), -np.diff(above(edges, nu))
    value = float(a[kept] @ P + b[kept] @ E)
    pieces = [(int(i), float(e / p)) for i, p, e in zip(kept, P, E, strict=True) if p > 1e-9]
    return value, pieces


def _envelope(a: np.ndarray, b: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Upper envelope of the lines `index`: those on it by increasing slope, and where neighbours meet."""
    kept: list[int] = []
    meets: list[float] = []
    for i in index[np.lexsort((a[index], b[index]))]:
        while kept:
            jump = b[i] - b[kept[-1]]
            meet = float((a[kept[-1]] - a[i]) / jump) if jump > 0.0 else -np.inf  # of parallel lines the higher stays
            if jump > 0.0 and (not meets or meet > meets[-1]):
                meets.append(meet)
                break
            kept.pop()
            if meets:
                meets.pop()
        kept.append(int(i))
    return np.array(kept), np.array(meets)


def lookups(nu: float) -> np.ndarray:
    """Outcomes T from far left to far right, dense in the middle; [LOOKUPS]."""
    scores = np.sinh(np.linspace(-1.0, 1.0, LOOKUPS) * np.arcsinh(6.0))
    return scores if nu > 200.0 else -np.sign(scores) * special.stdtrit(nu, special.ndtr(-np.abs(scores)))


def cdf(t: np.ndarray, nu: float) -> np.ndarray:
    return np.asarray(special.ndtr(t) if nu > 200.0 else special.stdtr(nu, t))


def above(t: np.ndarray, nu: float) -> np.ndarray:
    """E[T; T > t]; 0 at both infinities."""
    if nu > 200.0:
        return np.asarray(stats.norm.pdf(t))
    safe = np.where(np.isfinite(t), t, 0.0)
    return np.where(np.isfinite(t), (nu + safe**2) / (nu - 1.0) * stats.t.pdf(safe, nu), 0.0)
