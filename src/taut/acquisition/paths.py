"""Posterior sample paths and their constrained maxima.

| symbol | meaning | shape |
| --- | --- | --- |
| omega | frequencies diag(1/l) g / sqrt(t), g ~ N(0, I), t ~ Gamma(5/2, rate 5/2) | [F, d] |
| tau | phases ~ U(0, 2 pi) | [F] |
| p_j(x) | prior path sqrt(2 a/F) sum_m W_mj cos(omega_m . x + tau_m), W ~ N(0, 1) | [J, q] |
| h_j(x) | m + p_j(x) + C(x, X) R^-1 (y - m - p_j(X) - eps_j), eps_j ~ N(0, a rho) | [J, q] |

The waves approximate the prior only. What the data say enters exactly (Matheron's rule), so a path runs through the
data and its spread between them does not starve, however many values there are. A path is a plain function: it can be
evaluated anywhere, with its gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.acquisition.programming import Program
from taut.arrays import Array, Flags, Ints
from taut.surrogate.gp import GP
from taut.surrogate.kernels import correlation, correlation_with_slope, pull_back, sites
from taut.surrogate.triangular import solve_lower

FEATURES = 1000
REDRAWS = 10  # of a path without any feasible point of the grid
SLACK = 1e-8  # standardised: how far outside its bounds a refined maximum may be
APART = 0.15  # a second start of the refinement is at least this far (max-norm) from the best point of the grid
NEARLY = 0.15  # standardised: a third start may exceed bounds by this much; corners of a feasible region are narrow
STEPS, TOLERANCE = 25, 1e-9


@dataclass(frozen=True)
class Waves:
    """Random Fourier features of a Matern-5/2 correlation: omega [F, d], tau [F]."""

    omega: Array
    tau: Array

    def angles(self, x: Array) -> Array:
        """omega_m . x + tau_m at x [q, d]; [q, F]."""
        angle: Array = x @ self.omega.T
        angle += self.tau
        return angle


def waves(lengths: Array, count: int, rng: np.random.Generator) -> Waves:
    """The spectral density of Matern-5/2 is a multivariate t with 5 degrees of freedom; lengths: [d]."""
    g = rng.standard_normal((count, len(lengths)))
    t = rng.gamma(2.5, 0.4, count)
    return Waves(g / (np.sqrt(t)[:, None] * lengths), rng.uniform(0.0, 2.0 * np.pi, count))


@dataclass(frozen=True)
class Paths:
    """J paths of one process in its inner units. W: weights of the waves [F, J]; weights: of the data term [n, J]."""

    gp: GP
    waves: Waves
    W: Array
    weights: Array

    def values(self, x: Array) -> Array:
        """All paths at x [q, d]; [J, q]."""
        return self.values_on(Grid.of(self.gp, self.waves, x))

    def values_on(self, grid: Grid) -> Array:
        """All paths at a prepared grid; [J, q]."""
        gp = self.gp
        path: Array = gp.offset + gp.scale * (gp.hyper.m + (grid.cosines @ self.W).T + self.weights.T @ grid.C)
        return path

    def slopes(self, x: Array, rows: Ints) -> tuple[Array, Array]:
        """Path rows[i] at x[i]: values [p] and gradients [p, d]."""
        gp = self.gp
        angle, W = self.waves.angles(x), self.W[:, rows].T
        value = np.einsum("pf,pf->p", np.cos(angle), W)
        slope = -(np.sin(angle) * W) @ self.waves.omega
        to = sites(x, gp.hyper.l)
        C, D = correlation_with_slope(gp.opposite, to)
        mine = self.weights[:, rows]
        value += np.einsum("np,np->p", C, mine)
        slope += pull_back(mine, D, gp.placed, to, gp.hyper.l)
        return gp.offset + gp.scale * (gp.hyper.m + value), gp.scale * slope

    def part(self, rows: Ints) -> Paths:
        """Some of the paths."""
        return replace(self, W=self.W[:, rows], weights=self.weights[:, rows])

    def with_part(self, rows: Ints, new: Paths) -> Paths:
        """The paths with some replaced by others on the same waves."""
        W, weights = self.W.copy(), self.weights.copy()
        W[:, rows], weights[:, rows] = new.W, new.weights
        return replace(self, W=W, weights=weights)


@dataclass(frozen=True)
class Grid:
    """Points prepared for one process: cosines of the waves [q, F] and correlations with the data C [n, q]."""

    cosines: Array
    C: Array

    @staticmethod
    def of(gp: GP, features: Waves, x: Array) -> Grid:
        angle = features.angles(x)
        return Grid(np.cos(angle, out=angle), correlation(gp.opposite, sites(x, gp.hyper.l)))


def draw(gp: GP, features: Waves, count: int, rng: np.random.Generator) -> Paths:
    """count paths given the data; a process with several draws of pending outcomes is taken at the first one."""
    hyper, F = gp.hyper, len(features.tau)
    W = rng.standard_normal((F, count)) * np.sqrt(2.0 * hyper.a / F)
    noise = rng.standard_normal((len(gp.X), count)) * np.sqrt(hyper.a * hyper.rho)
    weights = np.repeat(gp.alpha[:, :1], count, axis=1)
    if len(gp.X):
        prior = np.cos(features.angles(gp.X)) @ W + noise
        weights = weights - solve_lower(gp.L, solve_lower(gp.L, prior), transposed=True)
    return Paths(gp, features, W, weights)


@dataclass(frozen=True)
class Optima:
    """Constrained maxima of J joint draws of all functions.

    x: [J, d]; value: f at x, -inf where the draw has no feasible point [J]; redrawn: how many draws were replaced.
    """

    x: Array
    value: Array
    redrawn: int

    @property
    def found(self) -> Flags:
        return np.isfinite(self.value)


def optima(
    processes: Sequence[GP],
    bounds: Sequence[Bounds],
    points: Array,
    count: int,
    rng: np.random.Generator,
    redraws: int = REDRAWS,
) -> Optima:
    """x*_j = argmax f_j subject to the sampled constraints, for `count` joint draws.

    The best feasible one of points [q, d] is refined by sequential quadratic programming. A draw without a feasible
    point is replaced at most `redraws` times; with 0 it stays and its value is -inf.
    """
    features = [waves(gp.hyper.l, FEATURES, rng) for gp in processes]
    grids = [Grid.of(gp, each, points) for gp, each in zip(processes, features, strict=True)]
    paths = [draw(gp, each, count, rng) for gp, each in zip(processes, features, strict=True)]
    seen = _Seen.of(paths, bounds, grids)
    redrawn = 0
    for _ in range(redraws):
        missing = np.flatnonzero(~seen.feasible.any(axis=1))
        if not len(missing):
            break
        redrawn += len(missing)
        new = [draw(gp, each, len(missing), rng) for gp, each in zip(processes, features, strict=True)]
        paths = [old.with_part(missing, fresh) for old, fresh in zip(paths, new, strict=True)]
        seen.replace(missing, _Seen.of(new, bounds, grids))
    return _refined(paths, bounds, points, seen, redrawn)


@dataclass(frozen=True)
class _Seen:
    """The draws on the grid: f [J, q], and by how much the worst constraint exceeds its bounds, standardised [J, q]."""

    f: Array
    excess: Array

    @staticmethod
    def of(paths: Sequence[Paths], bounds: Sequence[Bounds], grids: Sequence[Grid]) -> _Seen:
        f = paths[0].values_on(grids[0])
        excess = np.full_like(f, -np.inf)
        for each, b, grid in zip(paths[1:], bounds, grids[1:], strict=True):
            c = each.values_on(grid)
            np.maximum(excess, np.maximum(c - b.upper, b.lower - c) / each.gp.scale, out=excess)
        return _Seen(f, excess)

    @property
    def feasible(self) -> Flags:
        return self.excess <= 0.0

    def replace(self, rows: Ints, new: _Seen) -> None:
        self.f[rows], self.excess[rows] = new.f, new.excess

    def starts(self, j: int, points: Array) -> list[int]:
        """The best feasible point of draw j, the best one apart from it, and a better one that is nearly feasible."""
        height = np.where(self.excess[j] <= 0.0, self.f[j], -np.inf)
        best = int(height.argmax())
        far = np.where(np.abs(points - points[best]).max(axis=1) > APART, height, -np.inf)
        near = np.where((self.excess[j] <= NEARLY) & (self.f[j] > height[best]), self.f[j], -np.inf)
        return [best, *(int(each.argmax()) for each in (far, near) if np.isfinite(each.max()))]


def _refined(paths: Sequence[Paths], bounds: Sequence[Bounds], points: Array, seen: _Seen, redrawn: int) -> Optima:
    """The best of the grid and of the refinements from its best points, for every draw."""
    x, value = np.zeros((len(seen.f), points.shape[1])), np.full(len(seen.f), -np.inf)
    for j in np.flatnonzero(seen.feasible.any(axis=1)):
        task = _Task([each.part(np.array([j])) for each in paths], bounds)
        starts = seen.starts(int(j), points)
        x[j], value[j] = points[starts[0]], seen.f[j, starts[0]]
        for start in starts:
            end, reached = task.maximum(points[start])
            if reached > value[j]:
                x[j], value[j] = end, reached
    return Optima(x, value, redrawn)


class _Task(Program):
    """max f_j subject to the bounds of one draw, in standardised units."""

    def __init__(self, paths: Sequence[Paths], bounds: Sequence[Bounds]) -> None:
        super().__init__(bool(bounds))
        self.paths, self.bounds = paths, bounds
        self.one = np.zeros(1, dtype=np.intp)

    def maximum(self, start: Array) -> tuple[Array, float]:
        """Where a search from start [d] ends and the value there, -inf if a bound is exceeded by more than SLACK."""
        x = self.solve(start, TOLERANCE, STEPS)
        if x is None:
            return start, -np.inf
        if self.bounds and self.margins(x).min() < -2.0 * SLACK:
            return x, -np.inf
        return x, float(self.paths[0].slopes(x[None, :], self.one)[0][0])

    def objective(self, x: Array) -> tuple[float, Array]:
        gp = self.paths[0].gp
        value, slope = self.paths[0].slopes(x[None, :], self.one)
        return float(gp.offset - value[0]) / gp.scale, -slope[0] / gp.scale

    def limits(self, x: Array) -> tuple[Array, Array]:
        """Distances [m] to the finite bounds less SLACK, so that an end on a bound is inside, and gradients [m, d]."""
        margin, slopes = [], []
        for each, b in zip(self.paths[1:], self.bounds, strict=True):
            value, slope = each.slopes(x[None, :], self.one)
            for bound, sign in ((b.upper, 1.0), (b.lower, -1.0)):
                if np.isfinite(bound):
                    margin.append(sign * (bound - value[0]) / each.gp.scale - SLACK)
                    slopes.append(-sign * slope[0] / each.gp.scale)
        return np.array(margin), np.array(slopes).reshape(-1, len(x))
