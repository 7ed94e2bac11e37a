"""How rough a deterministic function is: the ratio rho of its rough part to its signal variance (gp.py).

Three sources, and the largest counts:

* the most likely ratio, estimated with the length-scales (fit.py), with the prior p(log rho) ~ rho^-w of `rough_prior`;
  at the lower end of its box (1e-12, below which the search would climb on rounding errors) it is taken as 1e-14;
* the expected ratio, because data that cannot tell 1e-14 from 1e-4 do not say 1e-14:

      E rho = sum_j w_j rho_j / sum_j w_j,   w_j = exp(-nll(rho_j)) rho_j^-w,   rho_j = 1e-14, 1e-13, ... 0.01

  at the length-scales found, with a w of its own (`rough_open`). It falls by itself as values crowd and agree;
* rounding: values printed with a step h carry a variance of h^2/12 at least. With a fixed number of significant digits
  large values are coarser than those near a limit: rho is of the latter, and each of the former has a share of its own,
  s_i = max(1, (h_i^2/12)/(a rho)) in R = C + rho diag(s) (gp.py).
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.likelihood import Standardised, ratio_values
from taut.surrogate.settings import ModelSettings
from taut.surrogate.trend import Trend


def ratio_penalty(t: float, settings: ModelSettings) -> float:
    """-log prior of t = log rho, up to a constant."""
    return settings.rough_prior * (t - float(np.log(settings.rho)))


def exact_ratio(likely: float, settings: ModelSettings) -> float:
    """The ratio on which a process rests: less than a likelihood can be searched with where its data look exact."""
    smooth = likely <= settings.rho * (1.0 + 1e-9) <= settings.rough_from
    return min(settings.exact_rho, likely) if smooth else likely


def coarse_shares(rounded: Array, a: float, rho: float) -> Array | None:
    """s [n] for the variances of the rounding of each value [n] and the signal variance a; None if all are 1."""
    if not (rounded > a * rho).any():
        return None
    shares: Array = np.maximum(rounded / (a * rho), 1.0)
    return shares


def expected_ratio(data: Standardised, l: Array, settings: ModelSettings, trend: Trend | None = None) -> float:
    """E rho over a grid, for length-scales l [d] and a trend; 0 with too few values to say anything."""
    if len(data.y) < settings.rough_values:
        return 0.0
    least = exact_ratio(settings.rho, settings)
    ratios = np.array([least, *(each for each in settings.rough_grid if each > least)])
    nll = ratio_values(data, l, ratios, trend) + settings.rough_open * np.log(ratios / least)
    if not np.isfinite(nll).any():
        return 0.0
    weight = np.exp(np.min(nll) - nll)
    return float(weight @ ratios / weight.sum())


def rival_starts(
    data: Standardised, theta: Array, lengths: tuple[Array, ...], extra: list[float], settings: ModelSettings
) -> tuple[float, Array]:
    """The best of a grid of ratios for several length-scales [p], with its penalised nll.

    theta: (log l, the logs of a trend, log rho); extra: the penalty of each of the length-scales.
    """
    trend = theta[data.p : -1]
    ratios = np.array([max(each, settings.rho) for each in settings.rough_rivals])
    best, found = np.inf, theta
    for log_l, more in zip(lengths, extra, strict=True):
        nll = ratio_values(data, data.lengths(log_l), ratios, Trend.from_logs(trend)) + more
        nll += settings.rough_prior * np.log(ratios / settings.rho)
        lowest = int(np.argmin(nll))
        if nll[lowest] < best:
            best, found = float(nll[lowest]), np.concatenate([log_l, trend, [np.log(ratios[lowest])]])
    return best, found
