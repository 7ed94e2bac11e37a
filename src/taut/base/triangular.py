"""Lower triangular factors: solves, and a packed form that keeps large ones in half the memory.

A factor is a matrix [n, n] in Fortran order, or, if it is large, a vector [n (n + 1)/2] in LAPACK's rectangular full
packed format, with which solves are as fast as with the matrix.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np
from scipy.linalg.lapack import dtfsm, dtfttr, dtrtri, dtrtrs, dtrttf

from taut.base import blocks
from taut.base.arrays import Array


def solve_lower(L: Array, B: Array, transposed: bool = False, overwrite: bool = False) -> Array:
    """L^-1 B or L'^-1 B for B [n, q]; LAPACK without the checks around it.

    overwrite: B is not needed any more; in Fortran order the result takes its place.
    """
    if L.ndim == 2:
        return cast(Array, dtrtrs(L, B, lower=1, trans=int(transposed), overwrite_b=overwrite)[0])
    return cast(Array, dtfsm(1.0, L, B, uplo="L", trans="T" if transposed else "N", overwrite_b=overwrite))


def inverted(L: Array) -> Array:
    """L^-1 of a factor that is not packed; [n, n], zero above the diagonal."""
    return np.tril(dtrtri(L, lower=1)[0])


def stored(L: Array) -> Array:
    """The factor [n, n] in the form in which it is kept: packed if it is large."""
    if len(L) <= blocks.PACKED_ROWS:
        return L
    return cast(Array, dtrttf(L, uplo="L")[0])


def leading(L: Array, n: int) -> Array:
    """The first n rows and columns of a factor in either form; [n, n] in Fortran order."""
    if L.ndim == 1:
        L = dtfttr(size(L), L, uplo="L")[0]
    return np.asfortranarray(L[:n, :n])


def size(L: Array) -> int:
    """The number of rows of a factor in either form."""
    return len(L) if L.ndim == 2 else math.isqrt(2 * len(L))
