"""Cholesky factors of correlation matrices: at once, or grown by appended rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf

from taut.base.arrays import Array
from taut.base.triangular import leading, solve_lower, stored
from taut.surrogate.kernels import matern52
from taut.surrogate.trend import Trend

LEAST_RATIO = 1e-15  # less than rounding leaves of a correlation matrix


@dataclass(frozen=True)
class Factor:
    """Cholesky factor L of C(X, X) + rho I, C with a trend if there is one.

    asked: the rho asked for, to which a trend adds its rounding errors, raised to `rho` where rounding made the
    matrix indefinite; base: rows factored at once,
    the others were appended (0: the appended part had to be given up, nothing may be built on this factor); share: of
    the noise, C + rho diag(share) (None: 1).
    """

    X: Array
    l: Array
    asked: float
    rho: float
    L: Array
    base: int
    share: Array | None = None
    trend: Trend | None = None

    def leads(self, X: Array, l: Array, rho: float, base: int, trend: Trend | None) -> bool:
        """Is the leading block of this factor the one of X [n, d] with the same base?"""
        same = self.base == base and self.asked == rho and self.trend == trend and np.array_equal(self.l, l)
        return same and base <= len(X) and np.array_equal(self.X[:base], X[:base])


def _correlation(A: Array, B: Array, l: Array, trend: Trend | None) -> Array:
    """C between points A [n, d] and B [m, d], with a trend; [n, m]."""
    C = matern52(A, B, l)
    if trend:
        C += trend.between(A, B)
    return C


def cholesky(
    X: Array, l: Array, rho: float, share: Array | None = None, trend: Trend | None = None
) -> tuple[Array, float]:
    """Cholesky factor of C(X, X) + rho I [n, n] in Fortran order, and the rho that was needed.

    share: noise variances in those of one value [n], so that it is C + rho diag(share); None: 1.
    rho is raised tenfold (1e-14 -> 1e-13 -> 1e-12 ...) when rounding makes the matrix indefinite: it is noise that does
    not exist, and the least of it keeps a recommendation off a boundary that is known better.
    """
    C = _correlation(X, X, l, trend)
    diagonal = np.diag(C).copy() if trend else 1.0
    while len(X):
        R = C.copy()
        np.fill_diagonal(R, diagonal + (rho if share is None else rho * share))
        L, info = dpotrf(R.T, lower=1, overwrite_a=1)  # symmetric: its transpose is itself, in Fortran order
        if not info:
            return L, rho
        rho = max(rho, LEAST_RATIO) * 10.0
    return C, rho


def appended(L: Array, X: Array, new: Array, l: Array, rho: float, trend: Trend | None = None) -> Array | None:
    """The factor of C + rho I with rows `new` [m, d] after X [n, d]; None if rounding makes it indefinite. O(n^2 m).

    With V = L^-1 C(X, new): [[L, 0], [V', chol(C(new, new) + rho I - V'V)]].
    """
    n, m = len(X), len(new)
    V = solve_lower(L, _correlation(X, new, l, trend))
    S = _correlation(new, new, l, trend)
    np.fill_diagonal(S, (np.diag(S) if trend else 1.0) + rho)
    S -= V.T @ V
    last, info = dpotrf(S, lower=1)
    if info:
        return None
    whole = np.zeros((n + m, n + m), order="F")
    whole[:n, :n], whole[n:, :n], whole[n:, n:] = leading(L, n), V.T, last
    return stored(whole)


def factor(
    X: Array,
    l: Array,
    rho: float,
    base: int,
    known: Factor | None,
    share: Array | None = None,
    trend: Trend | None = None,
) -> Factor:
    """Factor the first `base` rows at once and append the others; with shares of the noise [n] all at once.

    A known factor with the same leading block saves that part. The result does not depend on it: the leading block is
    the same to the last bit, and the rest is computed in the same way.
    """
    needed = rho + (trend.rounding if trend else 0.0)
    if share is not None:
        whole, used = cholesky(X, l, needed, share, trend)
        return Factor(X, l, rho, used, stored(whole), 0, share, trend)
    base = min(base, len(X))
    if known is not None and known.leads(X, l, rho, base, trend):
        lead, used = leading(known.L, base), known.rho
    else:
        lead, used = cholesky(X[:base], l, needed, None, trend)
    if base == len(X):
        return Factor(X, l, rho, used, stored(lead), base, None, trend)
    grown = appended(lead, X[:base], X[base:], l, used, trend) if base else None
    if grown is None:
        lead, used = cholesky(X, l, needed, None, trend)
        grown, base = stored(lead), 0
    return Factor(X, l, rho, used, grown, base, None, trend)
