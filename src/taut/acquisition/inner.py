"""The inner set: where the recommendation might move to once something has been observed.

Half of the points lie on level-set ellipsoids of G around x_r (shape: the inverse Hessian of -log(G - M)), because
that is where a small piece of news moves the maximum; a plain space-filling cloud understates late values by orders
of magnitude. The rest are the other local maxima, the best evaluated places and Sobol points.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from taut.acquisition.value import Anchor
from taut.arrays import Array
from taut.quasirandom import sobol

RADII = (0.03, 4.0)  # in semi-axes of the ellipsoid on which G - M has fallen by exp(-1/2)


def around(x: Array, metric: Array, count: int, rng: np.random.Generator, radii: tuple[float, float] = RADII) -> Array:
    """count points on ellipsoids around x [d], radii log-uniform, folded back into the cube; [count, d]."""
    d = len(x)
    u = sobol(count, d + 1, rng)
    direction = ndtri(u[:, :d])
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
    radius = radii[0] * (radii[1] / radii[0]) ** u[:, d]
    root = np.linalg.cholesky(metric)
    return fold(x + radius[:, None] * (direction @ root.T))


def fold(x: Array) -> Array:
    """Reflect points outside the unit cube back into it."""
    return 1.0 - np.abs(1.0 - np.mod(x, 2.0))


def snapped(x: Array, within: float = 0.12) -> Array:
    """The points with coordinates near a bound moved onto it: maxima at the edge of the cube are common."""
    return np.where(x < within, 0.0, np.where(x > 1.0 - within, 1.0, x))


def inner_set(anchor: Anchor, places: Array, size: int, rng: np.random.Generator) -> Array:
    """x_r, local maxima, the given places, ellipsoids, Sobol; about [size, d]."""
    fixed = np.vstack([anchor.x[None, :], anchor.maxima[1:12], places])
    local = around(anchor.x, anchor.metric, size // 2, rng)
    spread = sobol(max(size - len(fixed) - len(local), 16), len(anchor.x), rng)
    return np.vstack([fixed, local, spread])
