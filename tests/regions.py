"""Regions that fail, and models of where a function can be computed: shared by the tests of failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from processes import dataset

from taut.base.arrays import Array
from taut.base.quasirandom import sobol
from taut.data.dataset import Dataset
from taut.surrogate.settings import SuccessSettings
from taut.surrogate.success import SuccessModel
from taut.surrogate.success_fit import hyperparameters, success_model

SETTINGS = SuccessSettings()
GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 15)] * 2), axis=-1).reshape(-1, 2)


def model(X: Array, failed: Array) -> SuccessModel:
    return success_model(X, failed, hyperparameters(X, failed, SETTINGS), SETTINGS)


def split(points: Array, fails: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Points [n, d] where it can be computed, and where not."""
    bad = fails(points)
    return points[~bad], points[bad]


def half(d: int, count: int = 24, seed: int = 0, edge: float = 0.6) -> SuccessModel:
    """Fails where the first parameter is above the edge."""
    return model(*split(np.random.default_rng(seed).random((count, d)), lambda x: x[:, 0] > edge))


def failing(*failed: list[int]) -> Dataset:
    """Functions at ten points, which failed at those of the given positions."""
    points = sobol(10, 2, np.random.default_rng(3))
    X = [np.delete(points, rows, axis=0) for rows in failed]
    data = dataset(X, [x[:, 0] for x in X])
    return replace(data, failed=tuple(points[rows] for rows in failed))
