"""Hyperparameters by penalised likelihood: data of one function -> GP, plus what a later fit may start from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.doubt import doubt
from taut.surrogate.factor import Factor
from taut.surrogate.gp import GP, condition
from taut.surrogate.kernels import rounded_off
from taut.surrogate.priors import penalty
from taut.surrogate.roughness import exact_ratio, expected_ratio, rival_starts
from taut.surrogate.settings import ModelSettings
from taut.surrogate.task import NO_FACTOR, More, Task

NOTED = 1e-3  # roughness of a deterministic function, of the spread of its values, from which on the user is told


@dataclass(frozen=True)
class Warm:
    """What the history keeps of a fit.

    theta: parameters; n: values they were fitted to; full: values at the last
    multi-start; rho: noise ratio, of a rough function the largest that counts; warp: scale of the constraint's
    change of scale (0: none); likely: of a rough function the most likely ratio; doubt: factor on variances far
    from data (doubt.py); bend: of the objective's values (pivot, size, rising; scale.py); decided: values at the
    last choice of it; order: of the trend, 0 without.
    """

    theta: tuple[float, ...]
    n: int
    full: int
    rho: float
    warp: float = 0.0
    likely: float = 0.0
    doubt: float = 1.0
    bend: tuple[float, float, bool] | None = None
    decided: int = 0
    order: int = 0

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))

    @staticmethod
    def from_json(entry: Any) -> Warm | None:
        if not entry:
            return None
        bend = tuple(entry["bend"]) if entry.get("bend") else None
        return Warm(**{**entry, "theta": tuple(entry["theta"]), "bend": bend})

    def stale(self, n: int, settings: ModelSettings) -> bool:
        """Is a search from several starts due? Always with little data, then whenever it has grown by half."""
        return n != self.n and (n < settings.full_until or n >= settings.full_growth * self.full)

    def due(self, n: int, settings: ModelSettings) -> bool:
        """Is any search due? At every new value at first, then whenever the data has grown by about 3 %."""
        grown = self.n + max(1, self.n // settings.refit_share)
        return n != self.n and (n <= settings.every_value_until or n >= grown)


@dataclass(frozen=True)
class Fitted:
    """A process, the warm start for the next fit, numerical trouble in words.

    evidence: log evidence up to a constant, nan if earlier hyperparameters were kept; factor: for the next fit;
    doubted: the process with all that the data leave open, if that is another one.
    """

    gp: GP
    warm: Warm | None
    note: str
    evidence: float
    factor: Factor | None = None
    doubted: Doubted | Told | None = None

    @property
    def honest(self) -> GP:
        """The process whose error bars are told: decisions rest on what is most likely, promises on all doubts."""
        return self.gp if self.doubted is None else self.doubted.process


@dataclass(frozen=True)
class Told:
    """A process that is told instead of the one that decisions rest on."""

    process: GP


@dataclass(frozen=True)
class Doubted:
    """A process with the expected ratio of its roughness and in doubt far from data, made when it is asked for.

    gp: with the most likely ratio; known: a factor with the same leading block, if there is one.
    """

    gp: GP
    task: Task
    warm: Warm
    known: Factor | None

    @cached_property
    def factor(self) -> Factor | None:
        """None if the most likely ratio is the largest that counts."""
        gp, warm = self.gp, self.warm
        same = warm.rho <= exact_ratio(warm.likely, self.task.settings)
        return None if same else self.task.factor(gp.hyper.l, warm.rho, warm.n, self.known, gp.trend)

    @cached_property
    def process(self) -> GP:
        gp, found = self.gp, self.factor
        if found is not None:
            hyper = self.task.hyper(np.log(gp.hyper.l), found)
            gp = condition(gp.X, gp.y, hyper, gp.offset, gp.scale, found.L, found.share)
        return replace(gp, hyper=replace(gp.hyper, doubt=self.warm.doubt))

    @property
    def made(self) -> Factor | None:
        """The factor, if anybody has asked for it."""
        return self.__dict__.get("factor")


def fit(
    X: Array,
    y: Array,
    noise: float | str | None,
    settings: ModelSettings,
    warm: Warm | None,
    known: Fitted | None = None,
    more: More = More(),  # noqa: B008  (immutable)
) -> Fitted:
    """Fit one function. X: [n, d] unit cube, y: [n] inner units; noise: None, "learned" or a known sd (inner units).

    more: what a large number of values was reduced from. The answer depends on these arguments only, never on earlier
    calls; the factors of a known fit save work and change nothing.
    """
    offset, scale = _standard(y if more.whole is None else more.whole)
    standard, share = (y - offset) / scale, None if more.repeats is None else more.repeats.share
    task = Task(X, standard, noise, scale, settings, more)
    if len(y) < 2 or np.ptp(standard) == 0.0:
        hyper = task.default_hyper()
        return Fitted(condition(X, y[:, None], hyper, offset, scale, share=share), None, "", 0.0)
    task, theta, warm, note, height = _search(task, warm)
    ratio = exact_ratio(warm.likely, settings) if task.estimates else task.ratio(theta)
    before = None if known is None else known.factor
    found = task.factor(task.lengths(theta), ratio, warm.n, before, task.trend(theta))
    gp = condition(X, y[:, None], task.hyper(theta, found), offset, scale, found.L, found.share)
    before = known.doubted.made if known is not None and isinstance(known.doubted, Doubted) else None
    doubted = Doubted(gp, task, warm, before) if task.estimates else None
    # n, not n - 1, factors of the scale: the evidence of two scales of the data must not depend on their unit.
    return Fitted(gp, warm, note or _roughness(gp), -height - len(y) * float(np.log(scale)), found, doubted)


def _roughness(gp: GP) -> str:
    """In words."""
    share = np.sqrt(gp.hyper.a * gp.hyper.rough)
    return f"values are rough by about {share:.0e} of their spread" if share >= NOTED else ""


def _standard(y: Array) -> tuple[float, float]:
    """Offset and scale; constant data keep scale 1, and a spread that is only rounding counts as constant."""
    if not len(y):
        return 0.0, 1.0
    offset = float(np.mean(y))
    scale = float(np.std(y))
    if scale <= 1e-12 * abs(offset):
        return float(y[0]) if np.ptp(y) == 0.0 else offset, 1.0
    return offset, scale


def _search(task: Task, warm: Warm | None) -> tuple[Task, Array, Warm, str, float]:
    """The task with its trend, parameters, warm start, trouble in words, and the value reached.

    They are kept while the data has hardly grown.
    """
    n, settings = task.count, task.settings
    task = task.with_trend(0 if warm is None else warm.order)
    if warm is not None and len(warm.theta) != len(task.box):
        warm, task = None, task.with_trend(0)
    if warm is not None and not warm.due(n, settings):
        return task, np.array(warm.theta), warm, "", np.nan
    full = warm is None or warm.stale(n, settings)
    done = n if full or warm is None else warm.full
    start = None if warm is None else np.array(warm.theta)
    if start is not None and not full and n > settings.every_value_until:
        height, theta = _local(task, start, settings.touch_up_evaluations)
        if height < NO_FACTOR:
            return task, theta, _remembered(task, theta, done), "", height
    if full:
        task, height, theta = _with_or_without_trend(task, start)
    else:
        height, theta = _best(task, start, full)
    if not height < NO_FACTOR:
        theta = task.start() if start is None else start
        note = "the fit failed and earlier hyperparameters were kept"
        return task, theta, _remembered(task, theta, n), note, height
    height, theta = _rougher_or_smoother(task, height, theta)
    return task, theta, _remembered(task, theta, done), "", height


def _with_or_without_trend(task: Task, start: Array | None) -> tuple[Task, float, Array]:
    """The task without a trend, or with one that explains the values better, and the value and parameters reached.

    start: parameters of the last fit. A trend starts from the length-scales found without it.
    """
    settings, plain = task.settings, task.with_trend(0)
    height, theta = _best(plain, None if task.order else start, True)
    chosen, lowest, best = plain, height, theta
    for order in (1, 2):
        margin = task.margin(order)
        if not (height < NO_FACTOR and np.isfinite(margin)):
            continue
        other = task.with_trend(order)
        starts = [other.with_variances(theta, each) for each in settings.trend_starts]
        starts += [start] if order == task.order and start is not None else []
        reached, at = min((_local(other, each) for each in starts), key=lambda result: result[0])
        if reached + margin < lowest:
            chosen, lowest, best = other, reached, at
    return chosen, lowest, best


def _remembered(task: Task, theta: Array, full: int) -> Warm:
    """full: values at the last search from several starts."""
    kept = Warm(tuple(float(t) for t in theta), task.count, full, task.rho, order=task.order)
    if not task.estimates:
        return kept
    l, likely, trend, settings = task.lengths(theta), task.likely_ratio(theta), task.trend(theta), task.settings
    rho = max(exact_ratio(likely, settings), expected_ratio(task.data, l, settings, trend), rounded_off(l))
    a = task.variance(l, rho, trend)
    return replace(kept, rho=rho, likely=likely, doubt=doubt(task.data, l, rho, a, settings, trend))


def _best(task: Task, warm: Array | None, full: bool) -> tuple[float, Array]:
    """Best local minimum from the warm parameters and, for a full search or if it promises more, from the default."""
    settings = task.settings
    if full and len(task.data.y) >= settings.sample_from:
        return _local(task, _best(task.sample(settings.sample_size), warm, True)[1], settings.sample_polish)
    results = [] if warm is None else [_local(task, warm, settings.refit_evaluations)]
    if full:
        results += [_local(task, task.shifted(shift)) for shift in settings.start_shifts]
    elif task.objective(task.start())[0] < results[0][0]:
        results.append(_local(task, task.start()))
    return min(results, key=lambda result: result[0])


def _rougher_or_smoother(task: Task, height: float, theta: Array) -> tuple[float, Array]:
    """A better explanation by another roughness, with the length-scales found or the usual ones, if there is one.

    Short length-scales explain roughness as signal, and from there a search does not find back.
    """
    if not task.estimates:
        return height, theta
    settings, d = task.settings, task.d
    lengths = (theta[:d], task.start()[:d])
    extra = [penalty(each, d, True, False, settings)[0] for each in lengths]
    rival, start = rival_starts(task.data, theta, lengths, extra, settings)
    if rival < height + settings.rough_worth and abs(start[-1] - theta[-1]) > settings.rough_other:
        found = _local(task, start, 2 * settings.refit_evaluations)
        if found[0] < height:
            return found
    return height, theta


def _local(task: Task, start: Array, evaluations: int | None = None) -> tuple[float, Array]:
    """One local search: value and parameters."""
    from scipy.optimize import minimize

    settings, box = task.settings, task.box
    low, high = box.T
    result = minimize(
        task.objective,
        np.clip(start, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=box,
        options={
            "maxiter": settings.iterations,
            "maxfun": evaluations or settings.evaluations,
            "maxls": settings.line_search,
            "ftol": settings.value_tolerance,
            "gtol": settings.slope_tolerance,
        },
    )
    return float(result.fun), np.clip(result.x, low, high)
