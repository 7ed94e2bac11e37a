"""The fitted belief about a problem: one process per function, objective first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.arrays import Array
from taut.data import Dataset
from taut.quasirandom import sobol
from taut.surrogate.fit import FitOptions, Warm, fit
from taut.surrogate.gp import GP

SAME_PLACE = 1e-9  # unit-cube distance below which two values of a deterministic function are one observation


@dataclass(frozen=True)
class Surrogate:
    """processes: one GP per function; memory: JSON-able fitted hyperparameters by name; notes: numerical trouble."""

    processes: tuple[GP, ...]
    memory: dict[str, Any]
    notes: tuple[str, ...]


def fit_surrogate(dataset: Dataset, options: FitOptions, memory: Mapping[str, Any]) -> Surrogate:
    """Fit every function to its own data, starting from what `memory` kept of the last fit."""
    processes, kept, notes = [], {}, []
    for view, X, y in zip(dataset.functions, dataset.X, dataset.y, strict=True):
        if view.noise is None:
            X, y = merge_repeats(X, y)
        gp, warm, note = fit(X, y, view.noise, options, Warm.from_json(memory.get(view.name)))
        processes.append(gp)
        if warm is not None:
            kept[view.name] = warm.to_json()
        if note:
            notes.append(f"{view.name}: {note}")
        if view.noise is None and gp.hyper.rho > 100.0 * max(options.rho, 1e-8):
            notes.append(f"{view.name}: noise raised to {gp.hyper.rho:.0e} of its variance to keep the matrix positive")
    return Surrogate(tuple(processes), kept, tuple(notes))


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
