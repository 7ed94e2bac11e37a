"""One fitting problem: which hyperparameters are free, their box, their prior, and how they become a Hyper."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.drift import polynomials
from taut.surrogate.factor import Factor, factor
from taut.surrogate.hyper import Hyper
from taut.surrogate.likelihood import Standardised, integrated, least_squares, plugged_in
from taut.surrogate.priors import length_prior, penalty
from taut.surrogate.repeats import Repeats
from taut.surrogate.roughness import coarse_shares, ratio_penalty
from taut.surrogate.settings import ModelSettings
from taut.surrogate.ties import Ties
from taut.surrogate.trend import Trend

NO_FACTOR = 1e25  # the likelihood where a matrix cannot be factored


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


class Task:
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

    def with_trend(self, order: int) -> Task:
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

    def sample(self, size: int) -> Task:
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
