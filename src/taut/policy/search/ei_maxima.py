"""Local maxima of constrained expected improvement."""

from __future__ import annotations

import numpy as np

from taut.acquisition.improvement import Improvement
from taut.acquisition.utility import RawSamples
from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, ascend, curvature
from taut.base.distinct import best_apart, distinct

FINISHED, FINISHED_APART = 3, 0.01  # best ends that are climbed to the last, and how far they are apart at least


def maxima(
    score: Improvement,
    samples: RawSamples,
    near: Array,
    centre: Array,
    starts: int,
    options: AscentOptions,
    finish: AscentOptions | None = None,
) -> tuple[Array, Array]:
    """Distinct local maxima of log cEI, best first; ([m, d], [m]).

    Starts: the best distinct points of raw samples of the cube, and a quarter as many of a set near x_r [p, d] at many
    scales, because the way on from a recommendation in a corner of sharp constraints can be very narrow.
    finish: a second ascent, which knows the curvature, from the best ends and from `centre` [d], x_r itself: once the
    constraints are known, the maximum is often next to it and so narrow that nothing else leads there.
    """
    far = samples.x[best_apart(samples.x, score.log_value(samples), starts)]
    close = near[np.argsort(-score.log_value(score.utility.raw_samples(near)), kind="stable")[: starts // 4]]

    def height(x: Array, rows: Ints) -> tuple[Array, Array]:
        return score.value_with_gradient(x)

    found = ascend(height, np.vstack([far, close]), options)
    x, value = found.x, found.value
    if finish is not None:
        best = np.vstack([centre, x[distinct(x, value, FINISHED_APART)[:FINISHED]]])
        last = ascend(height, best, finish, curvature(height, best))
        x, value = np.vstack([last.x, x]), np.concatenate([last.value, value])
    order = distinct(x, value, 1e-3)
    return x[order], value[order]
