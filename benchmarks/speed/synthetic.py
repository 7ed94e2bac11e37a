"""Smooth random test problems of any dimension and any number of constraints, in closed form and fixed by a seed.

Every function is a sum of F cosines whose frequencies are drawn from the spectrum of a Matern-5/2 process (a Student-t
with 5 degrees of freedom), so that it looks like a draw of that process with length-scale 0.35 sqrt(d/2):

    h(x) = sqrt(2/F) sum_i cos(w_i . x + b_i),   x in [0, 1]^d
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import Constraint, Objective, Problem, Real

COSINES = 128
SAMPLE = 4096
"""Uniform points by which the share of the cube that a constraint leaves is measured."""
SLACK = 0.1
"""The known feasible point lies this far (share of the sample) inside every constraint."""
CUTTING = (0.3, 0.6)
"""Share of the cube left by a constraint that cuts."""
LOOSE = (0.9, 1.05)
"""The same for the others; above 1 the constraint holds everywhere in the sample, with a margin."""
Functions = dict[str, Callable[[Mapping[str, float]], float]]


@dataclass(frozen=True)
class Wave:
    """sign * (h(x) - shift) with frequencies w [F, d] and phases b [F]."""

    w: np.ndarray
    b: np.ndarray
    sign: float = 1.0
    shift: float = 0.0

    def at(self, x: np.ndarray) -> np.ndarray:
        """Values at x [q, d]; [q]."""
        fourier_features = np.cos(x @ self.w.T + self.b).sum(axis=1)
        return self.sign * (np.sqrt(2.0 / len(self.b)) * fourier_features - self.shift)

    def __call__(self, point: Mapping[str, float]) -> float:
        x = np.array([point[f"x{i + 1}"] for i in range(self.w.shape[1])])
        return float(self.at(x[None, :])[0])


@dataclass(frozen=True)
class Synthetic:
    """A problem with its functions, a point that is feasible with slack, and the names of the constraints that cut."""

    problem: Problem
    functions: Functions
    feasible: dict[str, float]
    cutting: tuple[str, ...]


def synthetic(d: int, K: int, seed: int = 0) -> Synthetic:
    """Maximise f subject to c1, ..., cK <= 0, all costs 1. Up to 3 constraints cut, the others hold almost everywhere.

    Each cutting constraint forbids the best point of the sample and allows the known one.
    """
    rng = np.random.default_rng([seed, d, K])
    sample = rng.random((SAMPLE, d))
    f = _wave(d, rng)
    order = np.argsort(f.at(sample))
    known, top = int(order[int(0.95 * SAMPLE)]), int(order[-1])
    cuts = min(K, 2 if K < 3 else 3)
    fourier_features = [_cutting(sample, known, top, rng) for _ in range(cuts)]
    fourier_features += [_loose(sample, known, rng) for _ in range(K - cuts)]
    names = [f"c{k}" for k in range(1, K + 1)]
    functions: dict[str, Any] = {"f": f, **dict(zip(names, fourier_features, strict=True))}
    problem = Problem(
        parameters=[Real(f"x{i + 1}", 0.0, 1.0) for i in range(d)],
        objective=Objective("f", goal="maximize"),
        constraints=[Constraint(name, at_most=0.0) for name in names],
    )
    point = {f"x{i + 1}": float(u) for i, u in enumerate(sample[known])}
    return Synthetic(problem, functions, point, tuple(names[:cuts]))


def _wave(d: int, rng: np.random.Generator) -> Wave:
    length = 0.35 * np.sqrt(d / 2.0)
    spread = np.sqrt(5.0 / rng.chisquare(5.0, COSINES))
    return Wave(rng.normal(size=(COSINES, d)) * spread[:, None] / length, rng.uniform(0.0, 2.0 * np.pi, COSINES))


def _cutting(sample: np.ndarray, known: int, top: int, rng: np.random.Generator) -> Wave:
    """A constraint that leaves 30 to 60 % of the cube, not the best point; drawn again until there is one."""
    while True:
        wave, share = _wave(sample.shape[1], rng), float(rng.uniform(*CUTTING))
        for sign in (1.0, -1.0):
            values = sign * wave.at(sample)
            limit = float(np.quantile(values, share))
            if values[top] > limit and values[known] < np.quantile(values, share - SLACK):
                return Wave(wave.w, wave.b, sign, sign * limit)


def _loose(sample: np.ndarray, known: int, rng: np.random.Generator) -> Wave:
    """A constraint that holds on 90 to 100 % of the cube."""
    wave, share = _wave(sample.shape[1], rng), float(rng.uniform(*LOOSE))
    values = wave.at(sample)
    sign = 1.0 if values[known] <= np.median(values) else -1.0
    values = sign * values
    limit = float(np.quantile(values, min(share, 1.0))) + max(share - 1.0, 0.0) * float(np.ptp(values))
    return Wave(wave.w, wave.b, sign, sign * limit)
