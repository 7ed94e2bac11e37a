"""The fitted belief about a problem: one process per function, objective first."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.quasirandom import sobol
from taut.data.bend import STRAIGHT, Bend
from taut.data.dataset import Dataset, FunctionView
from taut.data.digits import last_digits
from taut.data.results import Error
from taut.surrogate.calibration import widened, widening
from taut.surrogate.exact import exactly
from taut.surrogate.fit import Fitted, Warm, fit
from taut.surrogate.gp import GP
from taut.surrogate.known import BentFunction, KnownProcess
from taut.surrogate.ratio import due as changing
from taut.surrogate.ratio import extremes, predictive, ratios, zero
from taut.surrogate.repeats import gather_repeats, merge_repeats
from taut.surrogate.scale import choice, considered, declared, due, likeliest, pinned
from taut.surrogate.sceptic import sceptical
from taut.surrogate.selection import Part, Selection
from taut.surrogate.settings import ModelSettings
from taut.surrogate.task import More
from taut.surrogate.warp import log_slope, scales, slope, tempered, unwarp, warp


@dataclass(frozen=True)
class Surrogate:
    """The fitted processes.

    processes: one GP per function, on which decisions rest; warps: scale of each constraint's change of scale (0:
    none); memory: JSON-able fitted hyperparameters by name; notes: numerical trouble; fits: of which they are; widths:
    by how much error bars that are told are widened because of earlier errors (calibration.py); bends: the logarithmic
    scale of the objective's process, or of a constraint's that is seen as a ratio (ratio.py).
    """

    processes: tuple[GP, ...]
    warps: tuple[float, ...]
    memory: dict[str, Any]
    notes: tuple[str, ...]
    fits: tuple[Fitted, ...] = ()
    widths: tuple[float, ...] = ()
    bends: tuple[Bend, ...] = ()

    @property
    def bend(self) -> Bend:
        """Of the objective."""
        return self.bend_of(0)

    def bend_of(self, k: int) -> Bend:
        """Of function k; a constraint may have a warp instead."""
        return self.bends[k] if k < len(self.bends) else STRAIGHT

    def honest(self, k: int) -> GP:
        """The process of function k with all doubts there are: what is told of it, and promised, rests on this one."""
        return widened(self.fits[k].honest, self.widths[k]) if self.fits else self.processes[k]

    def unscaled(self, k: int, w: Array) -> Array:
        """Values of function k from those of its process."""
        return self.bend_of(k).back(unwarp(w, self.warps[k]))

    def scaled(self, k: int, y: Array) -> Array:
        """Values of function k on the scale of its process."""
        return warp(self.bend_of(k).of(y), self.warps[k])

    def slope(self, k: int, y: Array) -> Array:
        """The derivative of `scaled`."""
        return self.bend_of(k).slope(y) * slope(y, self.warps[k])

    def bent(self, dataset: Dataset) -> Dataset:
        """The dataset with the objective's values on the scale of its process."""
        return replace(dataset, y=(self.bend.of(dataset.y[0]), *dataset.y[1:]))

    def on_scales(self, dataset: Dataset) -> Dataset:
        """The dataset with all values on the scales of their processes."""
        return replace(dataset, y=tuple(self.scaled(k, y) for k, y in enumerate(dataset.y)))

    @property
    def cautious(self) -> Surrogate:
        """The same for decisions that rest on what is promised."""
        return replace(self, processes=tuple(self.honest(k) for k in range(len(self.processes))))

    def sceptical(self, functions: Sequence[FunctionView], settings: ModelSettings) -> Surrogate:
        """The same for decisions about places far from data (sceptic.py)."""
        pairs = zip(self.processes, functions, strict=True)
        return replace(self, processes=tuple(sceptical(gp, view.noise, settings) for gp, view in pairs), fits=())


@dataclass(frozen=True)
class _Data:
    """What one function is fitted to: X [n, d], y [n], and what it was reduced from."""

    X: Array
    y: Array
    more: More

    def same(self, other: _Data) -> bool:
        if not (np.array_equal(self.X, other.X) and np.array_equal(self.y, other.y)):
            return False
        one, two = self.more, other.more
        if (one.whole is None, one.repeats is None) != (two.whole is None, two.repeats is None):
            return False
        whole = one.whole is None or two.whole is None or np.array_equal(one.whole, two.whole)
        if one.repeats is None or two.repeats is None:
            return whole
        counts = np.array_equal(one.repeats.count, two.repeats.count)
        return whole and counts and np.array_equal(one.repeats.scatter, two.repeats.scatter)


@dataclass(frozen=True)
class _Kept:
    """The last fit of one function with what it depended on.

    warp: of a constraint; with a bend, what it would be without.
    """

    data: _Data
    terms: tuple[Any, ...]
    fitted: Fitted
    warp: float
    bend: Bend

    def answers(self, data: _Data, terms: tuple[Any, ...]) -> bool:
        return terms == self.terms and self.data.same(data)


def fit_surrogate(
    dataset: Dataset,
    settings: ModelSettings,
    memory: Mapping[str, Any],
    cache: MutableMapping[str, Any],
    selection: Selection | None = None,
    errors: Mapping[str, Sequence[Error]] | None = None,
    near: Array | None = None,
) -> Surrogate:
    """Fit every function to its own data, starting from what `memory` kept of the last fit.

    errors: of earlier predictions, by function. near: the last recommendation [0 or 1, d], around which a known
    objective is seen on a scale of its own.

    selection: of the rows, where there are very many; None for all. cache: fits of this process, by function. It saves
    work for functions whose data did not change and the leading part of the others' factors; the answer is the same to
    the last bit without it.
    """
    fits, warps, bends, kept, notes = [], [], [], {}, []
    for k, view in enumerate(dataset.functions):
        if view.known is not None:
            bend = STRAIGHT if near is None else view.known.contended(np.vstack(dataset.X), near)
            seen = BentFunction(view.known, bend)
            process = KnownProcess.of(seen, dataset.dimension, *view.known.merit(bend))
            fits.append(Fitted(process, None, "", np.nan))
            warps.append(0.0)
            bends.append(bend)
            continue
        data = _data(dataset, k, settings, None if selection is None else selection.parts[k])
        warm = Warm.from_json(memory.get(view.name))
        if warm is not None:  # a later value may change the unit, and a question the limit
            change = _moved(_in_unit(warm.bend, view.unit), zero(view))
            warm = replace(warm, warp=tempered(warm.warp * view.unit, data.y), bend=change)
        last = _fit_cached(view, data, settings, warm, cache)
        found, s = last.fitted, last.warp
        fits.append(found)
        warps.append(0.0 if last.bend.size else s)
        bends.append(last.bend)
        if found.warm is not None:
            change = _in_unit(_moved(last.bend, -zero(view)), 1.0 / view.unit)
            kept[view.name] = replace(found.warm, warp=s / view.unit, bend=change).to_json()
        if view.unit != 1.0:
            notes.append(f"{view.name}: values of extreme size, treated in units of {1.0 / view.unit:.3g}")
        if found.note:
            notes.append(f"{view.name}: {found.note}")
    widths = tuple(widening((errors or {}).get(view.name, ()), settings) for view in dataset.functions)
    processes = tuple(each.gp for each in fits)
    return Surrogate(processes, tuple(warps), kept, tuple(notes), tuple(fits), widths, tuple(bends))


def _data(dataset: Dataset, k: int, settings: ModelSettings, part: Part | None) -> _Data:
    """The rows of function k in the form in which they are fitted.

    Many noisy values are gathered, which loses nothing; few are left alone, because it would change last digits.
    """
    view, whole, repeats = dataset.functions[k], None, None
    X, y = dataset.X[k], dataset.y[k]
    many = len(y) > settings.most_values
    if part is not None:
        X, y, whole = X[part.rows], y[part.rows], y
    if view.noise is None:
        X, y = merge_repeats(X, y, settings.same_point)
    elif many:
        X, y, repeats = gather_repeats(X, y, settings.same_point)
        repeats = repeats if repeats.more else None
    return _Data(X, y, More(whole, repeats, ties=dataset.ties))


def _fit_cached(
    view: FunctionView,
    data: _Data,
    settings: ModelSettings,
    warm: Warm | None,
    cache: MutableMapping[str, Any],
) -> _Kept:
    """_fit_one, or its last answer if nothing it depends on has changed."""
    last: _Kept | None = cache.get(view.name)
    terms = (view, settings, warm)
    if last is None or not last.answers(data, terms):
        known = None if last is None else last.fitted
        plain = view.noise is None and view.scale != "log" and data.more.whole is None
        exact = exactly(data.X, data.y, settings) if plain else None
        if exact is not None:
            last = _Kept(data, terms, exact, 0.0, STRAIGHT)
        elif view.objective:
            fitted, bend = _fit_objective(view, data, settings, warm, known)
            last = _Kept(data, terms, fitted, 0.0, bend)
        else:
            last = _Kept(data, terms, *_fit_constraint(view, data, settings, warm, known))
        cache[view.name] = last
    return last


def _fit_constraint(
    view: FunctionView, data: _Data, settings: ModelSettings, warm: Warm | None, known: Fitted | None
) -> tuple[Fitted, float, Bend]:
    """The process, its change of scale by the distance to its limit, and another logarithm if that is used instead."""
    y, n = data.y, len(data.y if data.more.whole is None else data.more.whole)
    kept = STRAIGHT if warm is None or warm.bend is None else Bend(*warm.bend)
    bends, margins = _logarithms(view, y, kept, settings)
    again = warm is None or changing(n, warm.decided, settings)
    if not bends if again else not kept.size:  # nothing to choose, or nothing was chosen
        found, s = _fit_one(view, data, settings, None if kept.size else warm, known)
        return _decided(found, 0 if warm is None else warm.decided), s, STRAIGHT
    steps = _steps(view, y, settings)

    def on(bend: Bend, warm: Warm | None, known: Fitted | None = None) -> Fitted:
        return fit(data.X, bend.of(y), None, settings, warm, known, _scaled(data.more, view, y, steps, 0.0, bend))

    if not again and warm is not None:
        return on(kept, warm, known), warm.warp, kept
    start = None if warm is None else replace(warm, n=min(warm.n, n - 1), full=n)
    plain, s = _fit_one(view, data, settings, start if kept.size else warm, None if kept.size else known)
    fits = [(plain, STRAIGHT), *((on(each, warm, known) if each == kept else on(each, start), each) for each in bends)]
    slopes = [np.log(slope(y, s)), *(each.log_slope(y) for each in bends)]
    best = predictive([(each.gp, change) for (each, _), change in zip(fits, slopes, strict=True)], y, view, *margins)
    return _decided(fits[best][0], n), s, fits[best][1]


def _logarithms(
    view: FunctionView, y: Array, kept: Bend, settings: ModelSettings
) -> tuple[tuple[Bend, ...], tuple[float, float]]:
    """Other logarithmic scales worth trying for a constraint, and by how much they must be better: in all, and each."""
    if view.noise is not None or not settings.warp:
        return (), (0.0, 0.0)
    if found := ratios(y, view, settings):
        return found, (settings.warp_margin, 0.0)
    return extremes(y, kept, settings), (settings.extreme_margin, settings.extreme_margin_each)


def _fit_one(
    view: FunctionView, data: _Data, settings: ModelSettings, warm: Warm | None, known: Fitted | None
) -> tuple[Fitted, float]:
    """The process of a constraint and its change of scale.

    Scales compete by evidence while the data still spread over the cube; later values crowd at the threshold and say
    little about the shape.
    """
    X, y, more = data.X, data.y, data.more
    steps = _steps(view, y, settings)
    if view.noise is not None or not settings.warp:
        return fit(X, y, view.noise, settings, warm, known, _scaled(more, view, y, steps, 0.0)), 0.0
    early = len(y) < max(settings.warp_until, settings.warp_until_each * X.shape[1])
    if warm is not None and not (early and warm.stale(len(y), settings)):
        scaled = _scaled(more, view, y, steps, warm.warp)
        return fit(X, warp(y, warm.warp), None, settings, warm, known, scaled), warm.warp
    given = warm if warm is not None and warm.warp == 0.0 else None
    best, chosen = fit(X, y, None, settings, given, more=_scaled(more, view, y, steps, 0.0)), 0.0
    height = best.evidence + settings.warp_margin
    for s in scales(y, settings):
        rival = fit(X, warp(y, s), None, settings, None, more=_scaled(more, view, y, steps, s))
        if rival.evidence + log_slope(y, s) > height:
            best, chosen, height = rival, s, rival.evidence + log_slope(y, s)
    return best, chosen


def _in_unit(bend: tuple[float, float, bool] | None, unit: float) -> Bend | None:
    return None if bend is None or not bend[1] else Bend(*bend).in_unit(unit)


def _moved(bend: Bend | None, by: float) -> Bend | None:
    return None if bend is None else bend._replace(pivot=bend.pivot + by)


def _fit_objective(
    view: FunctionView, data: _Data, settings: ModelSettings, warm: Warm | None, known: Fitted | None
) -> tuple[Fitted, Bend]:
    """The process of the objective and its scale."""
    y, steps = data.y, _steps(view, data.y, settings)
    whole = y if data.more.whole is None else data.more.whole
    n = len(whole)

    def on(bend: Bend, warm: Warm | None, known: Fitted | None = None) -> Fitted:
        noise = view.noise
        if isinstance(noise, float) and len(y):
            noise *= float(np.median(bend.slope(y[y >= np.median(y)])))
        return fit(data.X, bend.of(y), noise, settings, warm, known, _bent(data.more, y, steps, bend))

    kept = STRAIGHT if warm is None or warm.bend is None else pinned(Bend(*warm.bend), whole)
    beyond = warm is not None and warm.bend is not None and not kept.size
    open_ = view.scale is None and settings.warp and view.noise is None
    if open_ and (beyond or warm is None or due(n, warm.decided, settings)):
        bends = (STRAIGHT, *considered(whole, kept, settings))
    elif view.scale == "log" and not kept.size:
        bends = declared(whole) or (STRAIGHT,)
    else:
        return _decided(on(kept, warm, known), 0 if warm is None else warm.decided), kept
    start = None if warm is None or beyond else replace(warm, n=min(warm.n, n - 1), full=n)
    fits = [(on(bend, warm, known) if bend == kept else on(bend, start), bend) for bend in bends]
    best, bend = fits[choice(fits, y, settings) if view.scale is None else likeliest(fits, y)]
    return _decided(best, n), bend


def _decided(fitted: Fitted, n: int) -> Fitted:
    """With the number of values at the last choice of a scale."""
    return fitted if fitted.warm is None else replace(fitted, warm=replace(fitted.warm, decided=n))


def _bent(more: More, y: Array, steps: Array, bend: Bend) -> More:
    """Of the objective's values y [n] on a scale: all of them, and the variance of the rounding of the better half."""
    whole = None if more.whole is None else bend.of(more.whole)
    if not steps.any():
        return replace(more, whole=whole)
    return _rounded(replace(more, whole=whole), steps * bend.slope(y), y >= np.median(y))


def _steps(view: FunctionView, y: Array, settings: ModelSettings) -> Array:
    """Of the last printed digit of each value; [n]."""
    exact = view.noise is not None or not settings.rough
    return np.zeros(len(y)) if exact else last_digits(view.printed(y)) * view.unit


def _scaled(more: More, view: FunctionView, y: Array, steps: Array, s: float, bend: Bend = STRAIGHT) -> More:
    """Of a deterministic function on the scale s, or bent: all its values, and the variance of their rounding.

    steps: of the last printed digit of each value [n]. What counts is the half that is nearest to a bound.
    """
    whole = None if more.whole is None else warp(bend.of(more.whole), s)
    if not steps.any():
        return replace(more, whole=whole)
    far = np.minimum(np.abs(y - view.upper), np.abs(y - view.lower))
    return _rounded(replace(more, whole=whole), steps * bend.slope(y) * slope(y, s), far <= np.median(far))


def _rounded(more: More, steps: Array, count: Flags) -> More:
    """With the variance of the rounding of each value, and of the half that counts, from the steps on its scale [n]."""
    each = None if np.ptp(steps) == 0.0 else steps**2 / 12.0
    return replace(more, rounding=float(np.median(steps[count])) ** 2 / 12.0, rounded=each)


def with_pending(surrogate: Surrogate, pending: tuple[Array, ...], fantasies: int, seed: int) -> tuple[GP, ...]:
    """Condition on evaluations under way: covariances exactly, means on several joint fantasies of their outcomes.

    For function k with pending points Q: y_Q = mu(Q) + chol(cov(Q, Q) + r I) z, z normal Sobol vectors, r noise or
    roughness. One fantasy is the kriging believer (z = 0).
    """
    from scipy.special import ndtri

    if not any(len(points) for points in pending):
        return surrogate.processes
    total = sum(len(points) for points in pending)
    z = np.zeros((total, 1))
    if fantasies > 1:
        z = ndtri(sobol(fantasies, total, np.random.default_rng([seed, total]))).T
    result, used = [], 0
    for gp, points in zip(surrogate.processes, pending, strict=True):
        if len(points):
            here = gp.posterior(points)
            scatter = gp.amplitude * gp.hyper.rho  # noise or roughness
            outcome = here.mean.T + _root(gp.covariance(here, here), scatter) @ z[used : used + len(points)]
            used += len(points)
            result.append(gp.observed(points, outcome))
        else:
            result.append(gp.repeated(fantasies))
    return tuple(result)


def _root(cov: Array, noise: float) -> Array:
    """Cholesky factor of cov + noise I; the noise is raised as far as rounding demands."""
    while True:
        try:
            return np.linalg.cholesky(cov + noise * np.eye(len(cov)))
        except np.linalg.LinAlgError:
            noise = max(10.0 * noise, 1e-14 * float(np.trace(cov)) + 1e-300)
