"""Slow twin of taut.acquisition.knowledge: the Knowledge Gradient by conditioning from scratch, on every outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from reference.dense_gp import DenseGP
from scipy import stats

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.surrogate.gp import GP


@dataclass(frozen=True)
class Outcomes:
    """Standardised outcomes: z [C, m], one column per function; weight [C]; residual [C, m]: variance left in them."""

    z: Array
    weight: Array
    residual: Array | None = None


def fine(nu: float = np.inf, count: int = 6001) -> Outcomes:
    """A quadrature grid for one outcome T ~ t_nu: T = sinh(u), trapezoid in u; reaches far into heavy tails."""
    u = np.linspace(-10.0, 10.0, count)
    T = np.sinh(u)
    density = stats.norm.pdf(T) if np.isinf(nu) else stats.t(nu).pdf(T)
    weight = density * np.cosh(u) * (u[1] - u[0])
    return Outcomes(T[:, None], weight / weight.sum())


@dataclass(frozen=True)
class SlowKG:
    """KG^S on a finite inner set, one fantasy. points [N, d]; the candidate joins them as a further point."""

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float
    points: Array

    def value(self, S: tuple[int, ...], x: Array, constraints: Outcomes, objective: Outcomes | None = None) -> float:
        """E[max G+ - G+(x_r)] at x [d]: mean over the constraints' outcomes and, if 0 is in S, the objective's."""
        (now,), (feasible,) = self.after((), x, Outcomes(np.zeros((1, 0)), np.ones(1)))
        base = int(np.argmax(((now - self.M) * feasible)[:-1]))
        mean, product = self.after(S, x, constraints, objective)
        weight = objective.weight if 0 in S and objective is not None else np.ones(1)
        total = 0.0
        for feasible, w in zip(product, constraints.weight, strict=True):
            G = self.M + (mean - self.M) * feasible
            total += w * float(weight @ (G.max(axis=1) - G[:, base]))
        return total

    def after(
        self, S: tuple[int, ...], x: Array, constraints: Outcomes, objective: Outcomes | None = None
    ) -> tuple[Array, Array]:
        """Means of f after its outcomes [T, N + 1], feasibility after the others' [C, N + 1]; x is the last point."""
        f, *others = (DenseGP.like(gp) for gp in self.processes)
        everywhere = np.vstack([self.points, x])
        if 0 in S:
            assert objective is not None
            f = _told(f, x, objective.z[:, 0])
        product = np.ones((len(constraints.weight), len(everywhere)))
        members = [k for k in S if k > 0]
        for k, (belief, bounds) in enumerate(zip(others, self.bounds, strict=True), start=1):
            mean, var = belief.mean(everywhere), belief.variance(everywhere)
            if k in members:
                column = members.index(k)
                told = _told(belief, x, constraints.z[:, column])
                left = 0.0 if constraints.residual is None else constraints.residual[:, [column]]
                mean = told.mean(everywhere)
                var = told.variance(everywhere) + left * (var - told.variance(everywhere))
            sd = np.sqrt(var)
            product *= stats.norm.cdf((bounds.upper - mean) / sd) - stats.norm.cdf((bounds.lower - mean) / sd)
        return f.mean(everywhere), product

    def all_hold(self, members: list[int], x: Array) -> Outcomes:
        """The one scenario that every member's updated mean is feasible at x: its mean outcome, its probability."""
        z, p = [], 1.0
        for k in members:
            belief, bounds = DenseGP.like(self.processes[k]), self.bounds[k - 1]
            v = float(belief.variance(x[None, :])[0])
            mean, s = float(belief.mean(x[None, :])[0, 0]), v / np.sqrt(v + belief.noise)
            low, high = (bounds.lower - mean) / s, (bounds.upper - mean) / s
            z.append(stats.truncnorm(low, high).mean())
            p *= stats.norm.cdf(high) - stats.norm.cdf(low)
        return Outcomes(np.array([z]), np.array([p]))


def _told(belief: DenseGP, x: Array, z: Array) -> DenseGP:
    """Condition on mean + sqrt(v + r) z at x, one column per entry of z [J]."""
    at = x[None, :]
    y = belief.mean(at)[0, 0] + np.sqrt(belief.variance(at)[0] + belief.noise) * z
    return belief.given(at, y[None, :])
