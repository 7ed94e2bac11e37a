"""The two identities of the Knowledge Gradient, on one small model here and on many in the tests of the library."""

from __future__ import annotations

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.lookahead import InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.base.arrays import Array
from taut.surrogate.gp import GP, condition
from taut.surrogate.hyper import Hyper
from taut_paper.claims.evidence import Detail, Evidence


def _process(rng: np.random.Generator) -> GP:
    X = rng.random((6, 2))
    y = np.sin(X @ np.array([5.0, 3.0]) + rng.random())
    hyper = Hyper(np.array([0.4, 0.5]), 1.3, 1e-6, 0.1, np.inf)
    return condition(X, y[:, None], hyper, float(y.mean()), float(y.std()))


def _model() -> tuple[tuple[GP, ...], Array, Array]:
    """Three processes, an inner set [20, d] and points [112, d]."""
    rng = np.random.default_rng(1)
    return tuple(_process(rng) for _ in range(3)), rng.random((20, 2)), rng.random((112, 2))


def plain_kg(gp: GP, inner: Array, x: Array) -> Array:
    """E[max_i (mu_i + s_i Z)] - max_j mu_j, i over the inner set [N, d] and x, j over the set alone; x [q, d], [q]."""
    z = np.linspace(-9.0, 9.0, 6001)
    weight = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * (z[1] - z[0])
    table, own = gp.posterior(inner), gp.posterior(x)
    s = np.hstack([gp.covariance(own, table), own.var[:, None]]) / np.sqrt(own.var + gp.noise)[:, None]
    mean = np.hstack([np.broadcast_to(table.mean[0], (len(x), len(inner))), own.mean[0][:, None]])
    return np.asarray(np.max(mean[:, :, None] + s[:, :, None] * z, axis=1) @ weight - table.mean[0].max())


def without_constraints(evidence: Evidence, where: str) -> Detail:
    """The constrained Knowledge Gradient without constraints against numerical integration."""
    gps, inner, points = _model()
    x = points[:12]
    free = LookAhead(InnerSet.of(gps[:1], (), -2.0, inner), ScenarioOptions(), 0)
    plain = plain_kg(gps[0], inner, x)
    error = float(np.max(np.abs(free.value((0,), free.candidates(x), refine=30) - plain)) / plain.max())
    holds = error < 1e-3
    return Detail(f"error {error:.1e}", None, len(x), holds, not holds)


def not_negative(evidence: Evidence, where: str) -> Detail:
    """With two constraints."""
    gps, inner, points = _model()
    bound = LookAhead(InnerSet.of(gps, (Bounds(-np.inf, 0.0),) * 2, -2.0, inner), ScenarioOptions(), 0)
    ckg = bound.value((0, 1, 2), bound.candidates(points[12:]))
    holds = bool(ckg.min() >= 0.0 and ckg.max() > 0.0)
    return Detail(f"least of 100: {float(ckg.min()):.2g}", None, len(ckg), holds, not holds)


KINDS = (without_constraints, not_negative)
