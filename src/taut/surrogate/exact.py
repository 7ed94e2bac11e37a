"""Functions that are exactly linear or quadratic, to the last digits of their values.

A mass, a distance, a limit of geometry is often a polynomial, and no kernel is as exact as that: the errors of a matrix
of correlations are 1e-8 of a function's spread, those of its coefficients 1e-15. So where a least-squares polynomial
leaves nothing but rounding,

    y(x) = polynomial(x) + e(x),   e a process of variance (doubt spread)^2

with a doubt that is tiny for decisions and usual for what is told (`honest`): that a function is nowhere anything else
is believed, not promised. As soon as one value is off, it is fitted as any other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.drift import Drift, polynomials
from taut.surrogate.fit import Fitted, Told
from taut.surrogate.gp import condition
from taut.surrogate.hyper import Hyper
from taut.surrogate.priors import length_prior
from taut.surrogate.settings import ModelSettings


def exactly(X: Array, y: Array, settings: ModelSettings) -> Fitted | None:
    """The process of a deterministic function with values y [n] at X [n, d] if they are those of a polynomial."""
    if not settings.trend or settings.prior != "robust" or len(y) < 2:
        return None
    n, d = X.shape
    offset, scale = float(np.mean(y)), float(np.std(y))
    if not scale > settings.exact_digits * abs(offset):
        return None
    for order in (1, 2):
        drift = _polynomial(X, (y - offset) / scale, order, settings)
        if drift is not None:
            l = np.full(d, np.exp(length_prior(d, settings)[0]))
            hyper = Hyper(l, settings.exact_doubt**2, settings.exact_rho, 0.0, max(n - 1.0, settings.minimum_freedom))
            gp = condition(X, y[:, None], hyper, offset, scale, drift=drift)
            told = replace(gp, hyper=replace(gp.hyper, a=settings.constant_amplitude))
            return Fitted(gp, None, "", np.nan, doubted=Told(told))
    return None


def _polynomial(X: Array, y: Array, order: int, settings: ModelSettings) -> Drift | None:
    """Of this order through standardised values y [n], if it leaves rounding only and its coefficients are known."""
    basis = polynomials(X - 0.5, order)
    few = basis.shape[1] + settings.trend_values
    if len(y) < few or _rest(basis[:few], y[:few]) > np.sqrt(few) * settings.exact_rest:
        return None
    beta, _, rank, singular = np.linalg.lstsq(basis, y)
    if rank < basis.shape[1] or singular[-1] < settings.exact_condition * singular[0]:
        return None
    beta += np.linalg.lstsq(basis, y - basis @ beta)[0]  # one step of refinement
    rest = np.abs(y - basis @ beta).max()
    return Drift(order, tuple(float(each) for each in beta)) if rest <= settings.exact_rest else None


def _rest(basis: Array, y: Array) -> float:
    """The largest value that least squares leave."""
    return float(np.abs(y - basis @ np.linalg.lstsq(basis, y)[0]).max())
