"""Slow twin of taut.acquisition.knowledge: the Knowledge Gradient by conditioning from scratch, outcome by outcome."""

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
    """KG^S on a finite inner set, one draw. points [N, d]; the candidate joins them as a further point."""

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float
    points: Array

    def value(self, S: tuple[int, ...], x: Array, constraints: Outcomes, objective: Outcomes | None = None) -> float:
        """E[max G+ - G+(x_r)] at x [d]: mean over the constraints' outcomes and, if 0 is in S, the objective's."""
        beliefs = [DenseGP.like(gp) for gp in self.processes]
        everywhere = np.vstack([self.points, x])
        now = (beliefs[0].mean(everywhere)[0] - self.M) * self._feasible(beliefs[1:], everywhere)
        base = int(np.argmax(now[:-1]))
        mean, weight = self._objective(beliefs[0], S, x, everywhere, objective)
        members = [k for k in S if k > 0]
        total = 0.0
        residual = np.zeros(constraints.z.shape) if constraints.residual is None else constraints.residual
        for z, w, left in zip(constraints.z, constraints.weight, residual, strict=True):
            after, more = list(beliefs), np.zeros((len(beliefs), len(everywhere)))
            for column, k in enumerate(members):
                after[k] = _told(beliefs[k], x, z[column : column + 1])
                more[k] = left[column] * (beliefs[k].variance(everywhere) - after[k].variance(everywhere))
            G = self.M + (mean - self.M) * self._feasible(after[1:], everywhere, more[1:])
            total += w * float(weight @ (G.max(axis=1) - G[:, base]))
        return total

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

    def _objective(
        self, belief: DenseGP, S: tuple[int, ...], x: Array, everywhere: Array, outcomes: Outcomes | None
    ) -> tuple[Array, Array]:
        """Means of the objective after each of its outcomes [T, N + 1] and their weights [T]."""
        if 0 not in S:
            return belief.mean(everywhere), np.ones(1)
        assert outcomes is not None
        return _told(belief, x, outcomes.z[:, 0]).mean(everywhere), outcomes.weight

    def _feasible(self, constraints: list[DenseGP], x: Array, more: Array | None = None) -> Array:
        """Product of the feasibilities; more: variance added to each constraint [K, N]."""
        product = np.ones(len(x))
        for k, (belief, bounds) in enumerate(zip(constraints, self.bounds, strict=True)):
            sd = np.sqrt(belief.variance(x) + (0.0 if more is None else more[k]))
            product *= stats.norm.cdf((bounds.upper - belief.mean(x)[0]) / sd) - stats.norm.cdf(
                (bounds.lower - belief.mean(x)[0]) / sd
            )
        return product


def _told(belief: DenseGP, x: Array, z: Array) -> DenseGP:
    """Condition on mean + sqrt(v + r) z at x, one column per entry of z [J]."""
    at = x[None, :]
    y = belief.mean(at)[0, 0] + np.sqrt(belief.variance(at)[0] + belief.noise) * z
    return belief.given(at, y[None, :])
