"""Priors of the hyperparameters, as penalties of a likelihood.

`robust` (library default): log l ~ N(log(0.35 sqrt(d/2)), 0.5^2), a median length-scale that grows like the diagonal of
the cube; log noise ~ N(log 1e-2, 2^2) if it is learned, which says little. Mean and signal variance are integrated out
where the noise is a ratio; where it is given, the signal variance has the prior of `gamma`.

`gamma` (what the paper's code most likely ran): l ~ Gamma(3, rate 6), a ~ Gamma(2, rate 0.15), densities in l and a as
in the literature.

Parameters are theta = (log l [d], log a if it is not integrated out, log noise if it is learned).
"""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.settings import ModelSettings


def length_prior(d: int, settings: ModelSettings) -> tuple[float, float]:
    """Mean and standard deviation of log l in the robust prior."""
    return float(np.log(settings.length_median * np.sqrt(d / 2.0))), settings.length_sd


def length_penalty(t: Array, settings: ModelSettings) -> tuple[float, Array]:
    """-log prior of t = log l [d] and its gradient [d]."""
    if settings.prior == "robust":
        centre, sd = length_prior(len(t), settings)
        return float(0.5 * np.sum(((t - centre) / sd) ** 2)), (t - centre) / sd**2
    shape, rate = settings.length_gamma
    return float(np.sum(rate * np.exp(t) - (shape - 1.0) * t)), rate * np.exp(t) - (shape - 1.0)


def amplitude_penalty(t: float, settings: ModelSettings) -> tuple[float, float]:
    """-log prior of t = log a and its derivative."""
    shape, rate = settings.amplitude_gamma
    a = float(np.exp(t))
    return rate * a - (shape - 1.0) * t, rate * a - (shape - 1.0)


def noise_penalty(t: float, settings: ModelSettings) -> tuple[float, float]:
    """-log prior of t = log noise and its derivative."""
    if settings.prior != "robust":
        return 0.0, 0.0
    step, weight = float(t - np.log(settings.noise_median)), 1.0 / settings.noise_log_sd**2
    return 0.5 * weight * step**2, weight * step


def penalty(theta: Array, d: int, integrates: bool, learned: bool, settings: ModelSettings) -> tuple[float, Array]:
    """-log prior of all parameters and its gradient; integrates, learned: which of them there are."""
    gradient = np.zeros(len(theta))
    value, gradient[:d] = length_penalty(theta[:d], settings)
    if not integrates:
        more, gradient[d] = amplitude_penalty(float(theta[d]), settings)
        value += more
    if learned:
        more, gradient[-1] = noise_penalty(float(theta[-1]), settings)
        value += more
    return value, gradient
