"""A sceptical process: what the values that are far from each other say, with shorter length-scales.

Values that crowd make a process sure of itself everywhere: a basin that was climbed to the bottom looks smooth, and its
many values outvote those that were spread. So the hyperparameters are fitted to spread values alone, length-scales are
shortened by one standard deviation of their prior, and the process is conditioned on all values, or on so many of them
that are farthest from each other. Near data it says what the usual one says; far from them it knows that it does not
know.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.base.arrays import Array, Ints
from taut.surrogate.doubt import spread_rows
from taut.surrogate.factor import cholesky
from taut.surrogate.fit import Warm, fit
from taut.surrogate.gp import GP, condition
from taut.surrogate.likelihood import Standardised, least_squares
from taut.surrogate.priors import length_prior
from taut.surrogate.settings import ModelSettings


def sceptical(gp: GP, noise: float | str | None, settings: ModelSettings) -> GP:
    """The sceptical twin of a process without fantasies; noise: of the function, as `fit` takes it."""
    rows = spread_values(gp.X, gp.hyper.l, settings)
    if gp.drift or len(rows) < settings.sceptic_values:
        return gp
    l = settings.sceptic_shrink * _lengths(gp, rows, noise, settings)
    part = Standardised(gp.X[rows], (gp.y[rows, 0] - gp.offset) / gp.scale, settings.minimum_freedom)
    L, rho = cholesky(part.X, l, gp.hyper.rho, None, gp.trend)
    found = least_squares(L, part, rho)
    hyper = replace(gp.hyper, l=l, a=max(found.a, settings.constant_amplitude), m=found.m, nu=found.nu)
    known = slice(None) if len(gp.X) <= settings.sceptic_most else spread_rows(gp.X, l, 1.0, settings.sceptic_most)
    share = None if gp.share is None else gp.share[known]
    return condition(gp.X[known], gp.y[known], hyper, gp.offset, gp.scale, None, share)


def _lengths(gp: GP, rows: Ints, noise: float | str | None, settings: ModelSettings) -> Array:
    """Length-scales by these values alone, in one search from those of all values. Far apart, none looks rough."""
    smooth = replace(settings, rough=False)
    warm = Warm(tuple(float(t) for t in np.log(gp.hyper.l)), -1, len(gp.X), settings.rho) if noise is None else None
    return fit(gp.X[rows], gp.y[rows, 0], noise, smooth, warm).gp.hyper.l


def spread_values(X: Array, l: Array, settings: ModelSettings) -> Ints:
    """Rows of X [n, d] far from each other; length-scales that crowded values made long do not count."""
    usual = float(np.exp(length_prior(X.shape[1], settings)[0]))
    if not len(X):
        return np.empty(0, dtype=np.intp)
    return spread_rows(X, np.minimum(l, usual), settings.sceptic_spread, settings.sceptic_most)
