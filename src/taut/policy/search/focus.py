"""Where models of very many values must be exact: at the recommendation of a rough model and at its rivals.

Rivals are the best evaluated places, other local maxima of G, and the optimistic points. Evaluated places are rated by
what was measured there, as far as it was, and by the rough model otherwise: a narrow peak that the model does not know
of counts by its value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.acquisition.feasibility import log_probability
from taut.acquisition.utility import EVERY_FUNCTION, RawSamples, Utility
from taut.base.arrays import Array, Flags
from taut.base.distinct import best_apart
from taut.data.dataset import Dataset
from taut.data.same import same
from taut.policy.search.optimum import Optimum
from taut.policy.settings import FocusSettings
from taut.surrogate.selection import Selection


@dataclass(frozen=True)
class Look:
    """A look at some of very many values on the way to those that models are built on.

    places: evaluated points to start searches from [p, d], None for all selected; fit: hyperparameters, if known.
    """

    number: int
    selection: Selection
    places: Array | None = None
    fit: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class _Found:
    """The selection that was made for a dataset under some terms."""

    dataset: Dataset
    terms: tuple[Any, ...]
    selection: Selection


def once(
    kept: MutableMapping[str, Any], dataset: Dataset, terms: tuple[Any, ...], find: Callable[[], Selection]
) -> Selection:
    """What `find` finds, which depends on the data and the terms alone; the last answer if those are the same."""
    last: _Found | None = kept.get("last")
    if last is None or terms != last.terms or not same(dataset, last.dataset):
        last = kept["last"] = _Found(dataset, terms, find())
    return last.selection


def foci(samples: RawSamples, optimum: Optimum, best: Array, settings: FocusSettings) -> tuple[Array, Array]:
    """The foci [m, d], the recommendation first, and their weights [m]. best: the best evaluated places [p, d]."""
    maxima = optimum.maxima[1 : 1 + settings.maxima]
    certainty = samples.log_pf[:, int(np.argmax(samples.log_value))]
    least = np.argsort(certainty, kind="stable")[: settings.optimistic_constraints]
    which = [EVERY_FUNCTION, 0, *(1 + int(k) for k in least)]
    picks = [best_apart(samples.x, samples.log_optimistic(k), settings.optimistic_points) for k in which]
    points = np.vstack([optimum.x[None, :], best, maxima, samples.x[np.concatenate(picks)]])
    weights = np.full(len(points), settings.rival_weight)
    weights[: 1 + min(len(best), 1)] = 1.0
    return points, weights


def best_places(utility: Utility, dataset: Dataset, settings: FocusSettings) -> Array:
    """Evaluated places with the largest G that are not next to each other, best first; [p, d].

    dataset: on the scales of the processes.
    """
    x, inverse = np.unique(np.vstack(dataset.X), axis=0, return_inverse=True)
    known, values, first = [], [], 0
    for view, y in zip(dataset.functions, dataset.y, strict=True):
        value, there = np.zeros(len(x)), np.zeros(len(x), dtype=bool)
        if view.noise is None:  # a noisy value is a worse guess than the model's
            rows = inverse.ravel()[first : first + len(y)]
            value[rows], there[rows] = y, True
        known.append(there)
        values.append(value)
        first += len(y)
    rating = _rating(utility, x, known, values, exact=False)
    likely = np.argsort(-rating, kind="stable")[: utility.settings.shortlist]
    here = [each[likely] for each in known], [each[likely] for each in values]
    rating = _rating(utility, x[likely], *here, exact=True)
    return x[likely[best_apart(x[likely], rating, settings.places)]]


def _rating(utility: Utility, x: Array, known: Sequence[Flags], values: Sequence[Array], exact: bool) -> Array:
    """log(G - M) at x [p, d] with known values in place of means; not exact: with one sd for all that is not known."""
    rating = np.zeros(len(x)) if utility.successes is None else utility.successes.log(x)
    for k, (gp, there, value) in enumerate(zip(utility.processes, known, values, strict=True)):
        mean, sd = value.copy(), np.full(len(x), KNOWN_SD * np.sqrt(gp.size))
        rest = np.flatnonzero(~there)
        if exact and len(rest):
            posterior = gp.posterior(x[rest])
            mean[rest], sd[rest] = posterior.mean[0], np.sqrt(posterior.var)
        elif len(rest):
            mean[rest], sd[rest] = gp.mean(x[rest])[0], utility.settings.shortlist_sd * np.sqrt(gp.size)
        rating += utility.log_mean_excess(mean) if k == 0 else log_probability(utility.bounds[k - 1], mean, sd)
    return rating


KNOWN_SD = 1e-9  # prior sds of a value that is known, so that its logarithm stays finite
