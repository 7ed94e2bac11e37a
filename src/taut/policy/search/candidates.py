"""Where to look: raw candidates of a Knowledge Gradient search, and the points of its inner set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.acquisition.utility import EVERY_FUNCTION
from taut.base.arrays import Array, Ints
from taut.base.distinct import best_apart, distinct
from taut.policy.context import Context
from taut.policy.search.ei_maxima import ei_maxima
from taut.policy.search.inner import ellipsoid_samples, inner_points
from taut.policy.search.pricing import prepared_places


@dataclass(frozen=True)
class Points:
    """raw: candidates [q, d], x_r first; inner: where the recommendation might move to [N, d], x_r first."""

    raw: Array
    inner: Array


def points(context: Context, more: Array | None = None) -> Points:
    """x_r, other maxima of G, maxima of expected improvement, optimistic points, near x_r and all over the cube.

    more: further points [m, d] of both kinds.
    """
    optimum, settings, rng = context.optimum, context.settings.candidates, context.generator("candidates")
    expected, optimistic = _ei_maxima(context), optimistic_points(context)
    expected = expected if more is None else np.vstack([more, expected])
    inner = _inner(context, np.vstack([expected, optimistic]))
    assert settings.raw is not None
    domain, radii = context.domain, context.settings.inner.radii
    local = ellipsoid_samples(domain, optimum.centre, settings.raw // settings.near, rng, radii)
    wide = domain.sample(settings.raw - len(local), rng)
    wide[::2] = domain.to_bounds(wide[::2], settings.snap)
    maxima = optimum.maxima[1 : 1 + settings.maxima]
    beside, paid = domain.neighbours(optimum.x[None, :])[0], prepared_places(context)
    return Points(np.vstack([optimum.x[None, :], maxima, expected, optimistic, local, wide, beside, paid]), inner)


def points_at(context: Context, maxima: Array) -> Points:
    """Only x_r and the given maxima [m, d], of which values are asked for."""
    kept = maxima[: context.settings.candidates.ei_maxima]
    return Points(np.vstack([context.optimum.x[None, :], kept]), _inner(context, kept))


def _inner(context: Context, known: Array) -> Array:
    samples = context.raw_samples
    good = samples.x[np.argsort(-samples.log_value, kind="stable")[: context.settings.candidates.observed]]
    rng = context.generator("inner")
    beside = context.domain.neighbours(context.optimum.x[None, :])[0]
    fixed = np.vstack([known, good, beside])
    return inner_points(context.utility, context.optimum, fixed, context.settings.inner, rng)


def _ei_maxima(context: Context) -> Array:
    """Maxima of constrained expected improvement, more of them where there is more space; [p, d]."""
    settings, optimum = context.settings.ei, context.optimum
    assert settings.starts is not None and settings.calls is not None
    options = replace(settings.expected, calls=settings.calls)
    return ei_maxima(context, (optimum.x, optimum.metric), settings.starts, options).x[: settings.kept]


def optimistic_points(context: Context) -> Array:
    """Where the recommendation would go if one function, or all, were better than expected: points to ask for it."""
    samples, settings = context.raw_samples, context.settings.candidates
    certainty = samples.log_pf[:, int(np.argmax(samples.log_value))]
    least = np.argsort(certainty, kind="stable")[: settings.optimistic_constraints]
    which = [EVERY_FUNCTION, 0, *(1 + int(k) for k in least)]
    if not settings.optimistic_climb:
        return np.vstack(
            [samples.x[best_apart(samples.x, samples.log_optimistic(k), settings.optimistic_points)] for k in which]
        )
    each = min(max(settings.optimistic_rows // len(which), 2), 4)
    picks = [best_apart(samples.x, samples.log_optimistic(k), each) for k in which]
    rows = np.repeat(which, [len(pick) for pick in picks])

    def score(x: Array, mine: Ints) -> tuple[Array, Array]:
        return context.utility.log_optimistic_with_gradient(x, rows[mine])

    found = context.domain.ascend(score, samples.x[np.concatenate(picks)], settings.optimistic, kinds=rows)
    best = [np.flatnonzero(rows == k) for k in which]
    return np.vstack(
        [
            found.x[mine][
                distinct(found.x[mine], found.value[mine], settings.optimistic_apart)[: settings.optimistic_points]
            ]
            for mine in best
        ]
    )
