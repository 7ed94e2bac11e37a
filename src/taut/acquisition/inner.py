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


def around(anchor: Anchor, count: int, rng: np.random.Generator, radii: tuple[float, float] = RADII) -> Array:
    """count points on ellipsoids around x_r, radii log-uniform, folded back into the cube; [count, d]."""
    d = len(anchor.x)
    u = sobol(count, d + 1, rng)
    direction = ndtri(u[:, :d])
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
    radius = radii[0] * (radii[1] / radii[0]) ** u[:, d]
    root = np.linalg.cholesky(anchor.metric)
    return fold(anchor.x + radius[:, None] * (direction @ root.T))


def fold(x: Array) -> Array:
    """Reflect points outside the unit cube back into it."""
    return 1.0 - np.abs(1.0 - np.mod(x, 2.0))


def inner_set(anchor: Anchor, places: Array, size: int, rng: np.random.Generator) -> Array:
    """x_r, local maxima, the given places, ellipsoids, Sobol; about [size, d]."""
    fixed = np.vstack([anchor.x[None, :], anchor.maxima[1:12], places])
    local = around(anchor, size // 2, rng)
    spread = sobol(max(size - len(fixed) - len(local), 16), len(anchor.x), rng)
    return np.vstack([fixed, local, spread])
