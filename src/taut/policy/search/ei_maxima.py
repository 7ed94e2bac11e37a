"""Local maxima of constrained expected improvement."""

from __future__ import annotations

import numpy as np

from taut.acquisition.improvement import Improvement
from taut.acquisition.utility import Screen
from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, ascend, curvature
from taut.base.distinct import distinct, spread

FINISHED, FINISHED_APART = 3, 0.01  # best ends that are climbed to the last, and how far they are apart at least


def maxima(
    score: Improvement,
    cube: Screen,
    near: Array,
    centre: Array,
    starts: int,
    options: AscentOptions,
    finish: AscentOptions | None = None,
) -> tuple[Array, Array]:
    """Distinct local maxima of log cEI, best first; ([m, d], [m]).

    Starts: the best distinct points of a screen of the cube, and a quarter as many of a set near x_r [p, d] at many
    scales, because the way on from a recommendation in a corner of sharp constraints can be very narrow.
    finish: a second ascent, which knows the curvature, from the best ends and from `centre` [d], x_r itself: once the
    constraints are known, the maximum is often next to it and so narrow that nothing else leads there.
    """
    far = cube.x[spread(cube.x, score.log_value(cube), starts)]
    close = near[np.argsort(-score.log_value(score.land.screen(near)), kind="stable")[: starts // 4]]

    def slopes(x: Array, rows: Ints) -> tuple[Array, Array]:
        return score.slopes(x)

    found = ascend(slopes, np.vstack([far, close]), options)
    x, value = found.x, found.value
    if finish is not None:
        best = np.vstack([centre, x[distinct(x, value, FINISHED_APART)[:FINISHED]]])
        last = ascend(slopes, best, finish, curvature(slopes, best))
        x, value = np.vstack([last.x, x]), np.concatenate([last.value, value])
    order = distinct(x, value, 1e-3)
    return x[order], value[order]
