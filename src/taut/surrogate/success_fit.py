"""From points with a value and points that failed to models of where functions can be computed (success.py).

Hyperparameters are those of the largest evidence times prior (labels.py), found for the first points of each function,
so that the search need not be made again with every new one. They depend on the data alone.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.base.arrays import Array, Ints
from taut.data.dataset import Dataset
from taut.surrogate.gp import condition
from taut.surrogate.hyper import Hyper
from taut.surrogate.labels import Labels, propagate
from taut.surrogate.selection import farthest
from taut.surrogate.settings import SuccessSettings
from taut.surrogate.success import Nearest, Successes, SuccessModel
from taut.surrogate.ties import Ties, gathered, spread

LEAST_SITE = 1e-10  # a site of less precision says nothing; its target would overflow


def fit_successes(dataset: Dataset, settings: SuccessSettings, cache: MutableMapping[str, Any]) -> Successes | None:
    """The models of all functions; None if none has ever failed.

    cache: of this process, by function. It saves work where nothing has changed; the answer is the same without it.
    """
    models: list[SuccessModel] = []
    of_function = [-1] * len(dataset.functions)
    for together in alike(dataset):
        for k in together:
            of_function[k] = len(models)
        parts = [(dataset.X[k], dataset.failed[k]) for k in together]
        name = dataset.functions[together[0]].name
        models.append(_fit_cached(name, parts, settings, cache, dataset.ties))
    return Successes(tuple(models), tuple(of_function), settings.caution) if models else None


def alike(dataset: Dataset) -> list[list[int]]:
    """Functions that have failed, those together that have one cause: they failed at a common place, and wherever two
    of them were evaluated, both could be computed or neither.
    """
    succeeded, failed = ([{*map(bytes, column)} for column in columns] for columns in (dataset.X, dataset.failed))
    groups: list[list[int]] = []
    for k in (k for k, places in enumerate(failed) if places):
        for group in groups:
            agree = all(not (failed[k] & succeeded[j] or succeeded[k] & failed[j]) for j in group)
            if agree and all(failed[k] & failed[j] for j in group):
                group.append(k)
                break
        else:
            groups.append([k])
    return groups


def _each_once(parts: Sequence[Array]) -> Array:
    """The points of all parts [n, d], each once, in order of first appearance; [n, d]."""
    points = np.vstack(parts)
    first: Ints = np.sort(np.unique(points, axis=0, return_index=True)[1])
    return points[first]


@dataclass(frozen=True)
class _Kept:
    """What was found for points with a value X [n, d] and failed ones [m, d]."""

    X: Array
    failed: Array
    settings: SuccessSettings
    found: Any

    def answers(self, X: Array, failed: Array, settings: SuccessSettings) -> bool:
        same = settings == self.settings and np.array_equal(X, self.X)
        return same and np.array_equal(failed, self.failed)


Parts = Sequence[tuple[Array, Array]]
"""Of every function with one cause: points with a value [n, d] and failed ones [m, d], in order."""


def _fit_cached(
    name: str, parts: Parts, settings: SuccessSettings, cache: MutableMapping[str, Any], ties: Ties
) -> SuccessModel:
    last, fitted = cache.get(name, (None, None))
    points = _joined(parts)
    early = _joined([(_settled(X, settings), _settled(failed, settings)) for X, failed in parts])
    if fitted is None or not fitted.answers(*early, settings):  # a repeated failure may settle more, and add no point
        last, fitted = None, _Kept(*early, settings, hyperparameters(*early, settings, ties))
    if last is None or not last.answers(*points, settings):
        last = _Kept(*points, settings, success_model(*points, fitted.found, settings))
    cache[name] = last, fitted
    found: SuccessModel = last.found
    return found


def _joined(parts: Parts) -> tuple[Array, Array]:
    """All points with a value, and all that failed, each once; [n, d], [m, d]."""
    return _each_once([X for X, _ in parts]), _each_once([failed for _, failed in parts])


def _settled(points: Array, settings: SuccessSettings) -> Array:
    """The first of points [n, d], which hyperparameters are fitted to: all of a few, then the same for a while."""
    n, settled = len(points), min(len(points), settings.every_until)
    while settled and settled * settings.growth <= n:
        settled = int(np.ceil(settled * settings.growth))
    return points[:settled]


@dataclass(frozen=True)
class SuccessHyper:
    """Of g: length-scales l [d], signal variance a, mean m."""

    l: Array
    a: float
    m: float


def hyperparameters(X: Array, failed: Array, settings: SuccessSettings, ties: Ties = ()) -> SuccessHyper:
    """Maximum of the evidence of EP times the prior: log l, log sqrt(a) and m are normal."""
    from scipy.optimize import minimize

    labels = _labels(X, failed, settings)
    d = max(ties) + 1 if ties else X.shape[1]
    centre, sd = _prior(d, settings)

    def cost(theta: Array) -> tuple[float, Array]:
        l, a, m = spread(np.exp(theta[:d]), ties), float(np.exp(2.0 * theta[d])), float(theta[d + 1])
        found = propagate(labels, l, a, m, settings)
        by_l = gathered(found.gradient[:-2], ties)
        slope = np.append(by_l, found.gradient[-2:]) * np.append(np.ones(d), [2.0, 1.0])
        off = (theta - centre) / sd
        return 0.5 * float(off @ off) - found.evidence, off / sd - slope

    box = [(c - settings.widest * s, c + settings.widest * s) for c, s in zip(centre, sd, strict=True)]
    box[d] = float(np.log(settings.sd_box[0])), float(np.log(settings.sd_box[1]))
    options = {"maxfun": settings.evaluations, "ftol": settings.value_tolerance, "gtol": settings.slope_tolerance}
    theta = minimize(cost, centre, jac=True, method="L-BFGS-B", bounds=box, options=options).x
    return SuccessHyper(spread(np.exp(theta[:d]), ties), float(np.exp(2.0 * theta[d])), float(theta[d + 1]))


def _prior(d: int, settings: SuccessSettings) -> tuple[Array, Array]:
    """Means and standard deviations of (log l [d], log sqrt(a), m)."""
    length = np.log(settings.length_median * np.sqrt(d / 2.0))
    centre = np.append(np.full(d, length), [np.log(settings.sd_median), settings.mean])
    return centre, np.append(np.full(d, settings.length_sd), [settings.sd_sd, settings.mean_sd])


def success_model(X: Array, failed: Array, hyper: SuccessHyper, settings: SuccessSettings) -> SuccessModel:
    """EP's sites are observations nu/tau of g - m with noise 1/tau: given them, g is a process as any other."""
    labels = _labels(X, failed, settings)
    found = propagate(labels, hyper.l, hyper.a, hyper.m, settings)
    tau = np.maximum(found.tau, LEAST_SITE)
    target = hyper.m + found.nu / tau
    given = Hyper(hyper.l, hyper.a, 1.0, hyper.m, np.inf)
    latent = condition(labels.X, target[:, None], given, 0.0, 1.0, share=1.0 / (tau * hyper.a))
    return SuccessModel(latent, X, failed, settings)


def _labels(X: Array, failed: Array, settings: SuccessSettings) -> Labels:
    """Successes and failures, each point once; of very many those that matter."""
    X, failed = selected(_each_once([X]), _each_once([failed]), settings.most)
    return Labels(np.vstack([X, failed]), np.append(np.ones(len(X)), -np.ones(len(failed))))


def selected(X: Array, failed: Array, most: int) -> tuple[Array, Array]:
    """At most so many points: failures spread over the cube, no more than half; of the successes those nearest to a
    failure, which say where its region ends, and as many spread over the cube.
    """
    if len(X) + len(failed) <= most:
        return X, failed
    failed = failed[farthest(failed, max(most // 2, most - len(X)))]
    room = most - len(failed)
    if len(X) <= room:
        return X, failed
    step = Nearest(failed, np.ones(X.shape[1])).step(X)
    near = np.argsort(np.vecdot(step, step), kind="stable")
    order = np.concatenate([farthest(X, room - room // 2), near])
    first = np.sort(np.unique(order, return_index=True)[1])[:room]
    return X[np.sort(order[first])], failed
