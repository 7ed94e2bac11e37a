"""The fitted belief about a problem: one process per function, objective first."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.quasirandom import sobol
from taut.data.dataset import Dataset, FunctionView
from taut.surrogate.factor import Factor
from taut.surrogate.fit import Fitted, Warm, fit
from taut.surrogate.gp import GP
from taut.surrogate.settings import ModelSettings
from taut.surrogate.warp import log_slope, scales, tempered, warp


@dataclass(frozen=True)
class Surrogate:
    """The fitted processes.

    processes: one GP per function; warps: scale of each constraint's change of scale (0: none); memory: JSON-able
    fitted hyperparameters by name; notes: numerical trouble.
    """

    processes: tuple[GP, ...]
    warps: tuple[float, ...]
    memory: dict[str, Any]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Kept:
    """The last fit of one function with what it depended on."""

    X: Array
    y: Array
    terms: tuple[Any, ...]
    fitted: Fitted
    warp: float

    def answers(self, X: Array, y: Array, terms: tuple[Any, ...]) -> bool:
        return terms == self.terms and np.array_equal(X, self.X) and np.array_equal(y, self.y)


def fit_surrogate(
    dataset: Dataset, settings: ModelSettings, memory: Mapping[str, Any], cache: MutableMapping[str, Any]
) -> Surrogate:
    """Fit every function to its own data, starting from what `memory` kept of the last fit.

    cache: fits of this process, by function. It saves work for functions whose data did not change and the leading part
    of the others' factors; the answer is the same to the last bit without it.
    """
    processes, warps, kept, notes = [], [], {}, []
    for view, X, y, failed in zip(dataset.functions, dataset.X, dataset.y, dataset.failed, strict=True):
        X, y = with_failures(view, X, y, failed)
        if view.noise is None:
            X, y = merge_repeats(X, y, settings.same_point)
        warm = Warm.from_json(memory.get(view.name))
        if warm is not None:  # a later value may change the unit
            warm = replace(warm, warp=tempered(warm.warp * view.unit, y))
        found, s = _fit_cached(view, X, y, settings, warm, cache)
        processes.append(found.gp)
        warps.append(s)
        if found.warm is not None:
            kept[view.name] = replace(found.warm, warp=s / view.unit).to_json()
        if view.unit != 1.0:
            notes.append(f"{view.name}: values of extreme size, treated in units of {1.0 / view.unit:.3g}")
        if found.note:
            notes.append(f"{view.name}: {found.note}")
    return Surrogate(tuple(processes), tuple(warps), kept, tuple(notes))


def _fit_cached(
    view: FunctionView,
    X: Array,
    y: Array,
    settings: ModelSettings,
    warm: Warm | None,
    cache: MutableMapping[str, Any],
) -> tuple[Fitted, float]:
    """_fit_one, or its last answer if nothing it depends on has changed."""
    last: _Kept | None = cache.get(view.name)
    terms = (view, settings, warm)
    if last is None or not last.answers(X, y, terms):
        known = None if last is None else last.fitted.factor
        last = _Kept(X, y, terms, *_fit_one(view, X, y, settings, warm, known))
        cache[view.name] = last
    return last.fitted, last.warp


def _fit_one(
    view: FunctionView, X: Array, y: Array, settings: ModelSettings, warm: Warm | None, known: Factor | None
) -> tuple[Fitted, float]:
    """The process and its change of scale.

    Scales compete by evidence while the data still spread over the cube; later values crowd at the threshold and say
    little about the shape.
    """
    if view.objective or view.noise is not None or not settings.warp:
        return fit(X, y, view.noise, settings, warm, known), 0.0
    early = len(y) < max(settings.warp_until, settings.warp_until_each * X.shape[1])
    if warm is not None and not (early and warm.stale(len(y), settings)):
        return fit(X, warp(y, warm.warp), None, settings, warm, known), warm.warp
    best, chosen = fit(X, y, None, settings, warm if warm is not None and warm.warp == 0.0 else None), 0.0
    height = best.evidence + settings.warp_margin
    for s in scales(y, settings):
        rival = fit(X, warp(y, s), None, settings, None)
        if rival.evidence + log_slope(y, s) > height:
            best, chosen, height = rival, s, rival.evidence + log_slope(y, s)
    return best, chosen


def with_failures(view: FunctionView, X: Array, y: Array, failed: Array) -> tuple[Array, Array]:
    """The data with failed points added at the worst value seen: a region that fails is not worth going back to.

    Objective: the smallest value. Constraint: violated by at least the spread of its values. Nothing is added while the
    function has no value at all.
    """
    if not len(failed) or not len(y):
        return X, y
    worst = float(y.min()) if view.objective else max(float(y.max()), view.upper + float(np.std(y)))
    return np.vstack([X, failed]), np.append(y, np.full(len(failed), worst))


def merge_repeats(X: Array, y: Array, distance: float) -> tuple[Array, Array]:
    """Average values at one point, in order of first appearance: a deterministic function cannot have two."""
    first = _first_within(X, distance)
    if len(X) < 2 or np.array_equal(first, np.arange(len(X))):
        return X, y
    kept, group = np.unique(first, return_inverse=True)
    return X[kept], np.bincount(group, weights=y) / np.bincount(group)


def _first_within(X: Array, distance: float) -> Ints:
    """For every row the first row within a distance (max-norm); [n].

    Rows at one point have almost equal projections, so only rows with a close neighbour among the sorted projections
    are compared with each other.
    """
    first = np.arange(len(X))
    weights = np.sqrt(np.arange(2.0, 2.0 + X.shape[1]))
    shadow = X @ weights
    order = np.argsort(shadow, kind="stable")
    close = np.diff(shadow[order]) <= distance * float(weights.sum())
    suspects = np.unique(np.concatenate([order[1:][close], order[:-1][close]]))
    for i, row in enumerate(suspects):
        near = suspects[: i + 1][np.abs(X[suspects[: i + 1]] - X[row]).max(axis=1) <= distance]
        first[row] = first[near[0]]
    return first


def with_pending(surrogate: Surrogate, pending: tuple[Array, ...], fantasies: int, seed: int) -> tuple[GP, ...]:
    """Condition on evaluations under way: covariances exactly, means on several joint fantasies of their outcomes.

    For function k with pending points Q: y_Q = mu(Q) + chol(cov(Q, Q) + r I) z, z normal Sobol vectors. One fantasy is
    the kriging believer (z = 0).
    """
    from scipy.special import ndtri

    if not any(len(points) for points in pending):
        return surrogate.processes
    total = sum(len(points) for points in pending)
    z = np.zeros((total, 1))
    if fantasies > 1:
        z = ndtri(sobol(fantasies, total, np.random.default_rng([seed, total]))).T
    result, used = [], 0
    for gp, points in zip(surrogate.processes, pending, strict=True):
        if len(points):
            here = gp.posterior(points)
            outcome = here.mean.T + _root(gp.covariance(here, here), gp.noise) @ z[used : used + len(points)]
            used += len(points)
            result.append(gp.observed(points, outcome))
        else:
            result.append(gp.repeated(fantasies))
    return tuple(result)


def _root(cov: Array, noise: float) -> Array:
    """Cholesky factor of cov + noise I; the noise is raised as far as rounding demands."""
    while True:
        try:
            return np.linalg.cholesky(cov + noise * np.eye(len(cov)))
        except np.linalg.LinAlgError:
            noise = max(10.0 * noise, 1e-14 * float(np.trace(cov)) + 1e-300)
