"""Constrained maxima of posterior sample paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array, Flags, Ints
from taut.base.domain import Domain
from taut.base.slsqp import NonlinearProgram
from taut.policy.settings import PathSettings
from taut.surrogate.gp import GP
from taut.surrogate.paths import Grid, Paths, draw, fourier_features
from taut.surrogate.success import Successes

SLACK = 1e-8  # standardised: how far outside its bounds a refined maximum may be


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
    settings: PathSettings,
    rng: np.random.Generator,
    successes: Successes | None = None,
    within: Domain | None = None,
) -> Optima:
    """x*_j = argmax f_j subject to the sampled constraints, for joint draws of all functions.

    Where functions have failed, x*_j lies where each can be computed more probably than not: its score is at least 0.
    The best feasible one of points [q, d] is refined by sequential quadratic programming. A draw without a feasible
    point is replaced at most `redraws` times; with 0 it stays and its value is -inf. within: the cube if None.
    """
    features = [fourier_features(gp.hyper.l, settings.features, rng, gp.trend) for gp in processes]
    grids = [Grid.of(gp, each, points) for gp, each in zip(processes, features, strict=True)]
    paths = [draw(gp, each, settings.paths, rng) for gp, each in zip(processes, features, strict=True)]
    doubt = None if successes is None else -successes.scores(points).min(axis=0)
    seen = _Seen.of(paths, bounds, grids, doubt)
    redrawn = 0
    for _ in range(settings.redraws):
        missing = np.flatnonzero(~seen.feasible.any(axis=1))
        if not len(missing):
            break
        redrawn += len(missing)
        new = [draw(gp, each, len(missing), rng) for gp, each in zip(processes, features, strict=True)]
        paths = [old.with_part(missing, fresh) for old, fresh in zip(paths, new, strict=True)]
        seen.replace(missing, _Seen.of(new, bounds, grids, doubt))
    domain = within or Domain(points.shape[1])
    x, value = _refined(_Functions(paths, bounds, successes, domain), points, seen, settings)
    return Optima(x, value, redrawn)


@dataclass(frozen=True)
class _Seen:
    """The draws on the grid: f [J, q], and by how much the worst constraint exceeds its bounds, standardised [J, q].

    doubt: -z of the least computable function [q], which counts as such a constraint.
    """

    f: Array
    excess: Array

    @staticmethod
    def of(
        paths: Sequence[Paths], bounds: Sequence[Bounds], grids: Sequence[Grid], doubt: Array | None = None
    ) -> _Seen:
        f = paths[0].values_on(grids[0])
        excess = np.full_like(f, -np.inf)
        if doubt is not None:
            excess[:] = doubt
        for each, b, grid in zip(paths[1:], bounds, grids[1:], strict=True):
            c = each.values_on(grid)
            np.maximum(excess, np.maximum(c - b.upper, b.lower - c) / each.gp.scale, out=excess)
        return _Seen(f, excess)

    @property
    def feasible(self) -> Flags:
        return self.excess <= 0.0

    def replace(self, rows: Ints, new: _Seen) -> None:
        self.f[rows], self.excess[rows] = new.f, new.excess

    def starts(self, j: int, points: Array, settings: PathSettings) -> list[int]:
        """The best feasible point of draw j, the best one apart from it, and a better one that is nearly feasible."""
        height = np.where(self.excess[j] <= 0.0, self.f[j], -np.inf)
        best = int(height.argmax())
        far = np.where(np.abs(points - points[best]).max(axis=1) > settings.apart, height, -np.inf)
        near = np.where((self.excess[j] <= settings.nearly) & (self.f[j] > height[best]), self.f[j], -np.inf)
        return [best, *(int(each.argmax()) for each in (far, near) if np.isfinite(each.max()))]


@dataclass(frozen=True)
class _Functions:
    """Draws of all functions (objective first), feasible intervals, where they can be computed, where to search."""

    paths: Sequence[Paths]
    bounds: Sequence[Bounds]
    successes: Successes | None
    domain: Domain

    def one(self, j: int) -> _Functions:
        """Draw j alone."""
        return replace(self, paths=[each.part(np.array([j])) for each in self.paths])


def _refined(given: _Functions, points: Array, seen: _Seen, settings: PathSettings) -> tuple[Array, Array]:
    """The best of the grid and of the refinements from its best points, for every draw."""
    x, value = np.zeros((len(seen.f), points.shape[1])), np.full(len(seen.f), -np.inf)
    for j in np.flatnonzero(seen.feasible.any(axis=1)):
        task = _Task(given.one(int(j)))
        starts = seen.starts(int(j), points, settings)
        x[j], value[j] = points[starts[0]], seen.f[j, starts[0]]
        for start in starts:
            end, reached = task.maximum(points[start], settings)
            if reached > value[j]:
                x[j], value[j] = end, reached
    return x, value


class _Task(NonlinearProgram):
    """max f_j subject to the bounds of one draw, in standardised units."""

    def __init__(self, given: _Functions) -> None:
        super().__init__(bool(given.bounds) or given.successes is not None)
        self.paths, self.bounds, self.domain = given.paths, given.bounds, given.domain
        self.failing = () if given.successes is None else given.successes.models
        self.one = np.zeros(1, dtype=np.intp)

    def maximum(self, start: Array, settings: PathSettings) -> tuple[Array, float]:
        """Where a search from start [d] ends and the value there, -inf if a bound is exceeded by more than SLACK."""
        x = self.domain.solve(self, start, settings.tolerance, settings.steps)
        if x is None:
            return start, -np.inf
        if self.constrained and self.margins(x).min() < -2.0 * SLACK:
            return x, -np.inf
        return x, float(self.paths[0].values_with_gradient(x[None, :], self.one)[0][0])

    def objective(self, x: Array) -> tuple[float, Array]:
        gp = self.paths[0].gp
        value, slope = self.paths[0].values_with_gradient(x[None, :], self.one)
        return float(gp.offset - value[0]) / gp.scale, -slope[0] / gp.scale

    def limits(self, x: Array) -> tuple[Array, Array]:
        """Distances [m] to the finite bounds less SLACK, so that an end on a bound is inside, and gradients [m, d].

        Then scores of functions that have failed.
        """
        margin, slopes = [], []
        for each, b in zip(self.paths[1:], self.bounds, strict=True):
            value, slope = each.values_with_gradient(x[None, :], self.one)
            for bound, sign in ((b.upper, 1.0), (b.lower, -1.0)):
                if np.isfinite(bound):
                    margin.append(sign * (bound - value[0]) / each.gp.scale - SLACK)
                    slopes.append(-sign * slope[0] / each.gp.scale)
        for model in self.failing:
            score, slope = model.score_with_gradient(x[None, :])
            margin.append(score[0] - SLACK)
            slopes.append(slope[0])
        return np.array(margin), np.array(slopes).reshape(-1, len(x))
