"""Small processes with known hyperparameters, finite differences, and data sets: shared by the numerical tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.data.dataset import Dataset, FunctionView
from taut.surrogate.gp import GP, condition
from taut.surrogate.hyper import Hyper
from taut.surrogate.model import Surrogate
from taut.surrogate.trend import Trend

AT_MOST_ZERO = Bounds(-np.inf, 0.0)


def process(
    X: Array,
    y: Array,
    length: float | Array = 0.4,
    a: float = 1.3,
    rho: float = 1e-6,
    m: float = 0.2,
    nu: float = np.inf,
    trend: Trend | None = None,
) -> GP:
    """A process with the given hyperparameters; y [n] or [n, J] in inner units, standardised with its own moments."""
    y = y[:, None] if y.ndim == 1 else y
    offset, scale = (float(y.mean()), float(y.std()) or 1.0) if len(y) > 1 else (0.7, 2.5)
    hyper = Hyper(np.broadcast_to(np.asarray(length, dtype=float), X.shape[1]).copy(), a, rho, m, nu, trend=trend)
    return condition(X, y, hyper, offset, scale)


def random_process(seed: int, n: int, d: int, J: int = 1, **settings: object) -> GP:
    """Data at random points, values of a random wave of size 3 around -1."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    wave = -1.0 + 3.0 * np.sin(X @ rng.normal(0.0, 4.0, (d, J)) + rng.random(J))
    settings.setdefault("length", 0.25 + 0.4 * rng.random(d))
    return process(X, wave, **settings)  # type: ignore[arg-type]


def problem(seed: int, d: int, K: int, n: int = 6, nu: float = np.inf) -> tuple[GP, ...]:
    """An objective and K constraints with data at different places each; every constraint holds on average."""
    objective = random_process(seed, n, d, nu=nu)
    return (objective, *(_constraint(1000 + 17 * seed + k, n - 1, d) for k in range(1, K + 1)))


def _constraint(seed: int, n: int, d: int) -> GP:
    gp = random_process(seed, n, d)
    return process(gp.X, gp.y - gp.y.mean() - 0.5, length=gp.hyper.l)


def surrogate(*processes: GP) -> Surrogate:
    """Processes as if fitted, without changes of scale, memory and notes."""
    return Surrogate(processes, (0.0,) * len(processes), {}, ())


def draw(gp: GP, j: int) -> GP:
    """One fantasy of a process with several."""
    return condition(gp.X, gp.y[:, j : j + 1], gp.hyper, gp.offset, gp.scale)


def slope(function: Callable[[Array], Array], x: Array, h: float = 1e-5) -> Array:
    """Central differences of function(x [q, d]) -> [q], row by row independent; [q, d]."""
    out = np.empty_like(x)
    for i in range(x.shape[1]):
        step = h * np.eye(x.shape[1])[i]
        out[:, i] = (function(x + step) - function(x - step)) / (2.0 * h)
    return out


def dataset(X: list[Array], y: list[Array], noise: object = None, bounds: tuple[Bounds, ...] | None = None) -> Dataset:
    """Objective first; every function costs 1."""
    bounds = bounds or (AT_MOST_ZERO,) * (len(X) - 1)
    limits = [(-np.inf, np.inf), *((b.lower, b.upper) for b in bounds)]
    views = tuple(
        FunctionView("f" if k == 0 else f"c{k}", 1.0, low, high, noise, k == 0)  # type: ignore[arg-type]
        for k, (low, high) in enumerate(limits)
    )
    d = X[0].shape[1]
    none = tuple(np.empty((0, d)) for _ in X)
    return Dataset(views, d, tuple(X), tuple(y), none, none)
