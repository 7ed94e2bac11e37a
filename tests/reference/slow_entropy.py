"""Slow twins of taut.acquisition.entropy: rejection sampling, and EP site by site with explicit inverses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from reference.dense_gp import DenseGP
from scipy import special, stats

from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.surrogate.gp import GP


def joint(gp: GP, x: Array, count: int, rng: np.random.Generator) -> Array:
    """Draws of the posterior at x [N, d]; [count, N]."""
    dense = DenseGP.like(gp)
    values, vectors = np.linalg.eigh(dense.covariance(x, x))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return dense.mean(x)[0] + rng.standard_normal((count, len(x))) @ root.T


def rejected(
    processes: Sequence[GP],
    bounds: Bounds,
    maximisers: Array,
    points: Array,
    x: Array,
    count: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Variances of every function at x [q, d] before, [K + 1, q], and given each star, [K + 1, J, q].

    Kept are the draws in which all constraints hold at the star and no point is feasible and better; at each x also
    only those in which x is not.
    """
    J, N = len(maximisers), len(points)
    draws = [joint(gp, np.vstack([maximisers, points, x]), count, rng) for gp in processes]
    ok = np.ones(draws[0].shape, dtype=bool)
    for c in draws[1:]:
        ok &= (c >= bounds.lower) & (c <= bounds.upper)
    before = np.array([h[:, J + N :].var(axis=0) for h in draws])
    after = np.empty((len(draws), J, len(x)))
    for j in range(J):
        better = ok[:, J:] & (draws[0][:, J:] > draws[0][:, [j]])
        keep = np.flatnonzero(ok[:, j] & ~better[:, :N].any(axis=1))
        good = 1.0 - better[keep, N:]
        good /= good.sum(axis=0)
        for k, h in enumerate(draws):
            part = h[keep, J + N :]
            part -= part.mean(axis=0)
            mean = np.einsum("nq,nq->q", part, good)
            after[k, j] = np.einsum("nq,nq,nq->q", part, part, good) - mean**2
    return before, after


def below_zero(mean: float, var: float) -> tuple[float, float]:
    """Mean and variance of N(mean, var) given that it is negative."""
    sd = np.sqrt(var)
    end = -mean / sd
    ratio = float(np.exp(stats.norm.logpdf(end) - special.log_ndtr(end)))
    return mean - sd * ratio, var * (1.0 - ratio * (ratio + end))


def sequential(gp: GP, star: Array, points: Array, x: Array) -> Array:
    """v~(x) [q] given f(u_n) <= f(star) at all points and f(x) <= f(star): EP site by site, then one exact factor."""
    dense, everywhere = DenseGP.like(gp), np.vstack([star[None, :], points, x])
    V, m = dense.covariance(everywhere, everywhere), dense.mean(everywhere)[0]
    n = 1 + len(points)
    Q, r = np.linalg.inv(V[:n, :n]), np.linalg.solve(V[:n, :n], m[:n])
    P = np.hstack([-np.ones((n - 1, 1)), np.eye(n - 1)])
    tau, nu = np.zeros(n - 1), np.zeros(n - 1)
    for _ in range(60):
        for i, p in enumerate(P):
            S = np.linalg.inv(Q + P.T @ np.diag(tau) @ P)
            var, mean = p @ S @ p, p @ S @ (r + P.T @ nu)
            cavity = 1.0 / (1.0 / var - tau[i])
            centre = cavity * (mean / var - nu[i])
            new_mean, new_var = below_zero(centre, cavity)
            tau[i], nu[i] = 1.0 / new_var - 1.0 / cavity, new_mean / new_var - centre / cavity
    result = []
    for q in range(len(x)):
        rows = [*range(n), n + q]
        wide = np.hstack([P, np.zeros((n - 1, 1))])
        S = np.linalg.inv(np.linalg.inv(V[np.ix_(rows, rows)]) + wide.T @ np.diag(tau) @ wide)
        mean = S @ (np.linalg.solve(V[np.ix_(rows, rows)], m[rows]) + wide.T @ nu)
        d = np.zeros(n + 1)
        d[0], d[-1] = -1.0, 1.0
        s, gap = d @ S @ d, S[-1] @ d
        result.append(S[-1, -1] - gap**2 / s * (1.0 - below_zero(d @ mean, s)[1] / s))
    return np.array(result)
