"""The inner set: where the recommendation might move to once something has been observed.

Half of the points lie near x_r, because that is where a small piece of news moves the maximum; a plain space-filling
cloud understates late values by orders of magnitude. News about one constraint move its boundary and x_r with it, so
some points lie on lines on which one boundary recedes while the others stay. The others lie on level-set ellipsoids of
G (shape: the inverse Hessian of -log(G - M)), moved onto its ridge: off a narrow ridge they would never win. The rest
are the other local maxima, the best evaluated places and Sobol points.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from taut.acquisition.feasibility import log_probability
from taut.acquisition.utility import Utility, outward
from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.base.quasirandom import sobol
from taut.policy.search.optimum import Optimum
from taut.policy.settings import InnerSettings


def ellipsoid_samples(
    domain: Domain, centre: tuple[Array, Array], count: int, rng: np.random.Generator, radii: tuple[float, float]
) -> Array:
    """count points on ellipsoids, radii log-uniform, folded back into the domain; [count, d].

    centre: their centre [d], and the squares of their semi-axes as a matrix [d, d].
    """
    x, metric = centre
    d = len(x)
    u = sobol(count, d + 1, rng)
    direction = ndtri(u[:, :d])
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
    radius = radii[0] * (radii[1] / radii[0]) ** u[:, d]
    root = np.linalg.cholesky(metric)
    return domain.folded(x + radius[:, None] * (direction @ root.T))


def inner_points(
    utility: Utility, optimum: Optimum, known: Array, settings: InnerSettings, rng: np.random.Generator
) -> Array:
    """x_r, local maxima, the given points [p, d], lines, ellipsoids, Sobol; about [settings.size, d]."""
    assert settings.size is not None
    size, (lines, on_axes, local_share) = settings.size, settings.shares
    fixed = np.vstack([optimum.x[None, :], optimum.maxima[1 : 1 + settings.maxima], known])
    near = boundary_lines(utility, optimum, settings)[: size // lines] if optimum.feasible else fixed[:0]
    domain = utility.domain
    local = axes(domain, optimum, settings)[: size // on_axes]
    count = size // local_share - len(near) - len(local)
    local = np.vstack([local, ellipsoid_samples(domain, optimum.centre, count, rng, settings.radii)])
    local = on_ridge(utility, optimum, local, settings.narrow) if optimum.feasible else local
    wide = domain.sample(max(size - len(fixed) - len(near) - len(local), settings.least_wide), rng)
    return np.vstack([fixed, near, local, wide])


def boundary_lines(utility: Utility, optimum: Optimum, settings: InnerSettings) -> Array:
    """Where x_r goes if the boundary of one constraint moves and the others' stay, the most doubtful first; [p, d].

    x_r + t w_k with A w_k = sigma_k e_k, for the outward slopes A and the standard deviations sigma of the constraints
    whose boundaries are next to x_r.
    """
    found: list[tuple[float, float, Array]] = []
    for gp, bounds in zip(utility.processes[1:], utility.bounds, strict=True):
        trace = gp.posterior_with_gradient(optimum.x[None, :])
        mean, sd = trace.mean[0], np.sqrt(trace.var)
        log_p = float(log_probability(bounds, mean, sd)[0])
        if log_p < -settings.next_to:
            found.append((log_p, float(sd[0]), trace.gradient(outward(bounds, mean)[None, :], None)[0]))
    if not found:
        return optimum.maxima[:0]
    found = sorted(found, key=lambda one: one[0])[: len(optimum.x)]
    slopes, sds = np.array([slope for _, _, slope in found]), np.array([sd for _, sd, _ in found])
    steps = np.linalg.lstsq(slopes, np.diag(sds), rcond=1e-8)[0].T
    outward_sds = np.array(settings.outward)
    furthest = outward_sds.max() * np.abs(steps).max(axis=1, keepdims=True)
    steps = steps * np.minimum(1.0, settings.widest / np.maximum(furthest, 1e-300))
    return utility.domain.repair(optimum.x + (outward_sds[:, None] * steps[:, None, :]).reshape(-1, len(optimum.x)))


def axes(domain: Domain, optimum: Optimum, settings: InnerSettings) -> Array:
    """Points on the longest axes of the ellipsoid of G, where a little news about the objective move x_r; [p, d]."""
    squares, directions = optimum.axes
    long = np.flatnonzero(squares >= settings.narrow**2 * squares[-1])[-settings.axes :]
    steps = (directions[:, long] * np.sqrt(squares[long])).T
    moved = (np.array(settings.axis_steps)[:, None] * steps[:, None, :]).reshape(-1, len(optimum.x))
    return domain.folded(optimum.x + moved)


def on_ridge(utility: Utility, optimum: Optimum, x: Array, narrow_share: float) -> Array:
    """The points x [p, d] after a Newton step of log(G - M) across the ridge through x_r, if it is one; [p, d]."""
    squares, directions = optimum.axes
    narrow = squares < narrow_share**2 * squares[-1]
    if not narrow.any():
        return x
    squares, across = squares[narrow], directions[:, narrow]
    step = (utility.log_value_with_gradient(x)[1] @ across) * squares
    furthest = 2.0 * np.sqrt(squares)
    return utility.domain.repair(x + np.clip(step, -furthest, furthest) @ across.T)
