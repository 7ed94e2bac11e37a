"""The fitted belief about a problem: one process per function, objective first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.arrays import Array
from taut.data import Dataset, FunctionView
from taut.quasirandom import sobol
from taut.surrogate.fit import FitOptions, Fitted, Warm, fit
from taut.surrogate.gp import GP
from taut.surrogate.warp import log_slope, scales, warp

WARP_MARGIN = 2.0  # nats by which a change of scale must be better
SAME_PLACE = 1e-9  # unit-cube distance below which two values of a deterministic function are one observation


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


def fit_surrogate(dataset: Dataset, options: FitOptions, memory: Mapping[str, Any]) -> Surrogate:
    """Fit every function to its own data, starting from what `memory` kept of the last fit."""
    processes, warps, kept, notes = [], [], {}, []
    for view, X, y in zip(dataset.functions, dataset.X, dataset.y, strict=True):
        if view.noise is None:
            X, y = merge_repeats(X, y)
        found, s = _fit_one(view, X, y, options, Warm.from_json(memory.get(view.name)))
        processes.append(found.gp)
        warps.append(s)
        if found.warm is not None:
            kept[view.name] = replace(found.warm, warp=s).to_json()
        if found.note:
            notes.append(f"{view.name}: {found.note}")
    return Surrogate(tuple(processes), tuple(warps), kept, tuple(notes))


def _fit_one(view: FunctionView, X: Array, y: Array, options: FitOptions, warm: Warm | None) -> tuple[Fitted, float]:
    """The process and its change of scale; scales compete by evidence whenever a search from several starts is due."""
    if view.objective or view.noise is not None or not options.warp:
        return fit(X, y, view.noise, options, warm), 0.0
    if warm is not None and not warm.stale(len(y)):
        return fit(X, warp(y, warm.warp), None, options, warm), warm.warp
    best, chosen = fit(X, y, None, options, warm if warm is not None and warm.warp == 0.0 else None), 0.0
    height = best.evidence + WARP_MARGIN
    for s in scales(y):
        rival = fit(X, warp(y, s), None, options, None)
        if rival.evidence + log_slope(y, s) > height:
            best, chosen, height = rival, s, rival.evidence + log_slope(y, s)
    return best, chosen


def merge_repeats(X: Array, y: Array) -> tuple[Array, Array]:
    """Average values at one place, in order of first appearance: a deterministic function cannot have two."""
    if len(X) < 2:
        return X, y
    cells = np.round(X / SAME_PLACE)
    _, first, group = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    if len(first) == len(X):
        return X, y
    group = group.reshape(-1)
    means = np.bincount(group, weights=y) / np.bincount(group)
    order = np.argsort(first)
    return X[first[order]], means[order]


def with_pending(surrogate: Surrogate, pending: tuple[Array, ...], draws: int, seed: int) -> tuple[GP, ...]:
    """Condition on evaluations under way: covariances exactly, means on `draws` joint draws of their outcomes.

    For function k with pending points Q: y_Q = mu(Q) + chol(cov(Q, Q) + r I) z, z normal Sobol vectors. One draw is
    the kriging believer (z = 0).
    """
    from scipy.special import ndtri

    if not any(len(points) for points in pending):
        return surrogate.processes
    total = sum(len(points) for points in pending)
    z = ndtri(sobol(draws, total, np.random.default_rng([seed, total]))).T if draws > 1 else np.zeros((total, 1))
    result, used = [], 0
    for gp, points in zip(surrogate.processes, pending, strict=True):
        if len(points):
            table = gp.at(points)
            cov = gp.covariance(table, table)
            cov[np.diag_indices_from(cov)] += max(gp.noise, 1e-10 * gp.amplitude)
            outcome = table.mean.T + np.linalg.cholesky(cov) @ z[used : used + len(points)]
            used += len(points)
            result.append(gp.observed(points, outcome))
        else:
            result.append(gp.repeated(draws))
    return tuple(result)
