"""Hyperparameters by penalised likelihood: data of one function -> GP, plus what a later fit may start from."""

from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.doubt import doubt
from taut.surrogate.drift import polynomials
from taut.surrogate.factor import Factor, factor
from taut.surrogate.gp import GP, Hyper, condition
from taut.surrogate.kernels import rounded_off
from taut.surrogate.likelihood import Standardised, integrated, least_squares, plugged_in
from taut.surrogate.priors import length_prior, penalty
from taut.surrogate.repeats import Repeats
from taut.surrogate.roughness import coarse_shares, exact_ratio, expected_ratio, ratio_penalty, rival_starts
from taut.surrogate.settings import ModelSettings
from taut.surrogate.ties import Ties
from taut.surrogate.trend import Trend

NO_FACTOR = 1e25  # the likelihood where a matrix cannot be factored
NOTED = 1e-3  # roughness of a deterministic function, of the spread of its values, from which on the user is told


@dataclass(frozen=True)
class Warm:
    """What the history keeps of a fit.

    theta: parameters, none of a polynomial (exact.py); n: values they were fitted to; full: values at the last
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
        return asdict(self)

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
    made: Factor | None = None


@dataclass(frozen=True)
class Doubted:
    """A process with the expected ratio of its roughness and in doubt far from data, made when it is asked for.

    gp: with the most likely ratio; known: a factor with the same leading block, if there is one.
    """

    gp: GP
    task: _Task
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


@dataclass(frozen=True)
class More:
    """What else is known of the values. whole: where there are very many, all those of which a selection is fitted [N],
    which decide on scale and schedule; repeats: what was gathered at each point. None where nothing was left out, or
    gathered. rounding: variance of their rounding where it counts; rounded: of each of them [n], None: the same for
    all; ties: columns that share a length-scale.
    """

    whole: Array | None = None
    repeats: Repeats | None = None
    rounding: float = 0.0
    rounded: Array | None = None
    ties: Ties = ()


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
    task = _Task(X, standard, noise, scale, settings, more)
    if len(y) < 2 or np.ptp(standard) == 0.0:
        hyper = task.default_hyper()
        return Fitted(condition(X, y[:, None], hyper, offset, scale, share=share), None, "", 0.0)
    task, theta, warm, note, height = _search(task, warm)
    ratio = exact_ratio(warm.likely, settings) if task.estimates else task.ratio(theta)
    before = None if known is None else known.factor
    found = task.factor(task.lengths(theta), ratio, warm.n, before, task.trend(theta))
    gp = condition(X, y[:, None], task.hyper(theta, found), offset, scale, found.L, found.share)
    before = None if known is None or known.doubted is None else known.doubted.made
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


class _Task:
    """One fitting problem: which parameters are free, their box, their prior, and how they become a Hyper."""

    def __init__(
        self, X: Array, y: Array, noise: float | str | None, scale: float, settings: ModelSettings, more: More
    ) -> None:
        repeats = None if more.repeats is None else more.repeats.scaled(scale)
        self.settings, self.data = settings, Standardised(X, y, settings.minimum_freedom, repeats, more.ties)
        self.count = len(y) if more.whole is None else len(more.whole)
        self.d, self.order = self.data.p, 0
        self.learned = noise == "learned"
        self.integrates = settings.prior == "robust" and (noise is None or self.learned)
        self.estimates = settings.rough and self.integrates and noise is None
        self.rounding = more.rounding / scale**2
        self.rounded = None if more.rounded is None or not self.estimates else more.rounded / scale**2
        if isinstance(noise, str) or noise is None:
            self.rho: float = settings.rho
        else:
            self.rho = max((noise / scale) ** 2, settings.least_noise)

    @property
    def box(self) -> Array:
        """Bounds of the parameters; [., 2]."""
        settings = self.settings
        boxes = [settings.length_box] * self.d
        boxes += [] if self.integrates else [settings.amplitude_box]
        boxes += [settings.trend_box] * self.order
        boxes += [settings.noise_box] if self.learned else []
        boxes += [(settings.rho, max(settings.rho, settings.rough_box))] if self.estimates else []
        box: Array = np.log(boxes)
        return box

    def with_trend(self, order: int) -> _Task:
        """The same task with a trend of this order, or without."""
        if order == self.order:
            return self
        other = copy(self)
        other.order = order
        return other

    def margin(self, order: int) -> float:
        """Nats by which a trend of this order must be better; inf if values cannot tell, or it explains little."""
        settings, basis = self.settings, polynomials(self.data.X - 0.5, order)
        left = len(basis) - basis.shape[1]
        if not settings.trend or not self.integrates or left < settings.trend_values:
            return np.inf
        rest = self.data.y - basis @ np.linalg.lstsq(basis, self.data.y)[0]
        if np.sqrt(rest @ rest / left) > settings.trend_rest[order - 1]:
            return np.inf
        return settings.trend_margin + (settings.trend_margin_each * left if order == 2 else 0.0)

    def sample(self, size: int) -> _Task:
        """The same task on about `size` values, taken at equal steps through the history."""
        keep = np.unique(np.linspace(0, len(self.data.y) - 1, size).astype(int))
        part = copy(self)
        repeats = None if self.data.repeats is None else self.data.repeats.part(keep)
        part.data = replace(self.data, X=self.data.X[keep], y=self.data.y[keep], repeats=repeats)
        return part

    def lengths(self, theta: Array) -> Array:
        """Length-scales of the columns; [d]."""
        return self.data.lengths(theta[: self.d])

    def trend(self, theta: Array) -> Trend | None:
        """The polynomial part, if there is one."""
        return Trend.from_logs(theta[self.d : self.d + self.order])

    def start(self) -> Array:
        """The default start: prior median (or a given length-scale), a = 1, the median noise."""
        settings, robust = self.settings, self.settings.prior == "robust"
        centre = length_prior(self.d, settings)[0] if robust else float(np.log(settings.start_length))
        theta = [centre] * self.d + ([] if self.integrates else [0.0])
        theta += [float(np.log(settings.trend_starts[0]))] * self.order
        theta += [float(np.log(settings.noise_median))] if self.learned else []
        return np.array(theta + ([float(np.log(settings.rough_start))] if self.estimates else []))

    def shifted(self, shift: float) -> Array:
        """The default start with its logs moved; a rough part stays as it is."""
        start = self.start()
        start[: self.d if self.estimates or self.order else None] += shift
        return start

    def with_variances(self, theta: Array, variance: float) -> Array:
        """Parameters with a trend from some without."""
        return np.insert(theta, self.d, np.full(self.order, np.log(variance)))

    def penalty(self, theta: Array) -> tuple[float, Array]:
        """-log prior and its gradient in theta; that of the logs of a trend is flat."""
        if self.order:
            mine = range(self.d, self.d + self.order)
            value, gradient = self.with_trend(0).penalty(np.delete(theta, mine))
            return value, np.insert(gradient, self.d, np.zeros(self.order))
        if not self.estimates:
            return penalty(theta, self.d, self.integrates, self.learned, self.settings)
        value, gradient = penalty(theta[:-1], self.d, self.integrates, self.learned, self.settings)
        more = ratio_penalty(float(theta[-1]), self.settings)
        return value + more, np.append(gradient, self.settings.rough_prior)

    def objective(self, theta: Array) -> tuple[float, Array]:
        """Penalised -log likelihood and its gradient in theta."""
        fixed = None if self.learned or self.estimates else self.rho
        try:
            if self.integrates:
                return integrated(self.data, theta, fixed, self.penalty, self.order)[:2]
            return plugged_in(self.data, theta, fixed, self.penalty)[:2]
        except np.linalg.LinAlgError:
            return NO_FACTOR, np.zeros_like(theta)

    def ratio(self, theta: Array) -> float:
        """Noise or roughness relative to the signal variance; of the latter the most likely one."""
        rho = float(np.exp(theta[-1])) if self.learned or self.estimates else self.rho
        return rho if self.integrates else rho / float(np.exp(theta[self.d]))

    def likely_ratio(self, theta: Array) -> float:
        """The same, not below the rounding of the values."""
        l, ratio, trend = self.lengths(theta), self.ratio(theta), self.trend(theta)
        for _ in range(2 if self.rounding and self.estimates else 0):  # the signal variance depends on the ratio
            ratio = min(max(ratio, self.rounding / self.variance(l, ratio, trend)), 1.0)
        return ratio

    def variance(self, l: Array, ratio: float, trend: Trend | None) -> float:
        """The signal variance for length-scales l [d], a ratio and a trend."""
        found = factor(self.data.X, l, ratio, len(self.data.y), None, None, trend)
        return self.signal(least_squares(found.L, self.data, found.rho).a, trend)

    def signal(self, a: float, trend: Trend | None) -> float:
        """A signal variance that is not too small; with a trend it is the sum that may not be too small."""
        whole = 1.0 + (trend.mean(self.data.X.shape[1]) if trend else 0.0)
        return float(max(a, self.settings.constant_amplitude / whole))

    def factor(self, l: Array, ratio: float, base: int, known: Factor | None, trend: Trend | None) -> Factor:
        """Of R for length-scales l [d], a ratio and a trend, with the noise of each value; see `factor`."""
        repeats = self.data.repeats
        share = None if repeats is None else repeats.share
        if self.rounded is not None:
            share = coarse_shares(self.rounded, self.variance(l, ratio, trend), ratio)
        return factor(self.data.X, l, ratio, base, known, share, trend)

    def hyper(self, theta: Array, found: Factor) -> Hyper:
        """The fitted Hyper, with the noise ratio at which the matrix could be factored."""
        least = least_squares(found.L, self.data, found.rho)
        if self.integrates:
            a = self.signal(least.a, found.trend)
            rough = found.rho if self.estimates and found.asked > self.settings.rough_from else 0.0
            return Hyper(found.l, a, found.rho, least.m, least.nu, rough, trend=found.trend)
        return Hyper(found.l, float(np.exp(theta[self.d])), found.rho, least.m, np.inf)

    def default_hyper(self) -> Hyper:
        """Prior predictions for 0 or 1 values, and the remaining uncertainty about constant data."""
        nu, nu0 = self.data.freedom
        a = max(nu0 / nu, self.settings.constant_amplitude)
        l = self.lengths(self.start())
        rho = self.settings.noise_median if self.learned else (self.rho if self.integrates else self.rho / a)
        return Hyper(l, a, rho, 0.0, nu if self.integrates else np.inf)


def _search(task: _Task, warm: Warm | None) -> tuple[_Task, Array, Warm, str, float]:
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


def _with_or_without_trend(task: _Task, start: Array | None) -> tuple[_Task, float, Array]:
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


def _remembered(task: _Task, theta: Array, full: int) -> Warm:
    """full: values at the last search from several starts."""
    kept = Warm(tuple(float(t) for t in theta), task.count, full, task.rho, order=task.order)
    if not task.estimates:
        return kept
    l, likely, trend, settings = task.lengths(theta), task.likely_ratio(theta), task.trend(theta), task.settings
    rho = max(exact_ratio(likely, settings), expected_ratio(task.data, l, settings, trend), rounded_off(l))
    a = task.variance(l, rho, trend)
    return replace(kept, rho=rho, likely=likely, doubt=doubt(task.data, l, rho, a, settings, trend))


def _best(task: _Task, warm: Array | None, full: bool) -> tuple[float, Array]:
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


def _rougher_or_smoother(task: _Task, height: float, theta: Array) -> tuple[float, Array]:
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


def _local(task: _Task, start: Array, evaluations: int | None = None) -> tuple[float, Array]:
    """One local search: value and parameters."""
    from scipy.optimize import minimize

    settings, (low, high) = task.settings, task.box.T
    result = minimize(
        task.objective,
        np.clip(start, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=task.box,
        options={
            "maxiter": settings.iterations,
            "maxfun": evaluations or settings.evaluations,
            "maxls": settings.line_search,
            "ftol": settings.value_tolerance,
            "gtol": settings.slope_tolerance,
        },
    )
    return float(result.fun), np.clip(result.x, low, high)
