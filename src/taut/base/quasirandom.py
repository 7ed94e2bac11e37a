"""Sobol points with a random digital shift, and Latin hypercubes.

Written here because importing SciPy's generator costs more time than several decisions. The primitive polynomials and
first direction numbers are those of Joe and Kuo (2008), in joe_kuo.json; a test compares with SciPy's generator.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from taut.base.arrays import Array, Ints

BITS = 30
MAX_DIMENSION = 64


@cache
def _table() -> list[list[int]]:
    """One row per dimension from the second on: the polynomial as an integer, then its initial direction numbers."""
    rows: list[list[int]] = json.loads(Path(__file__).with_name("joe_kuo.json").read_bytes())
    return rows


@cache
def _directions(dimension: int) -> tuple[int, ...]:
    """The BITS direction numbers of one dimension (0-based), scaled to integers of BITS bits."""
    if dimension == 0:
        return tuple(1 << (BITS - 1 - i) for i in range(BITS))
    polynomial, *m = _table()[dimension - 1]
    degree = len(m)
    for i in range(degree, BITS):
        new = m[i - degree] ^ (m[i - degree] << degree)
        for k in range(1, degree):
            if (polynomial >> (degree - k)) & 1:
                new ^= m[i - k] << k
        m.append(new)
    return tuple(value << (BITS - 1 - i) for i, value in enumerate(m))


@lru_cache(maxsize=64)
def _unshifted(count: int, dimension: int) -> Ints:
    """Integer Sobol points [count, dimension] in Gray-code order, the first one 0."""
    V = np.array([_directions(j) for j in range(dimension)], dtype=np.int64)
    points = np.zeros((count, dimension), dtype=np.int64)
    for i in range(1, count):
        lowest_zero = ((i - 1) ^ i).bit_length() - 1
        points[i] = points[i - 1] ^ V[:, lowest_zero]
    return points


def sobol(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """count points in the open unit cube, Sobol with a random digital shift; [count, dimension].

    Beyond 64 dimensions the further columns are Latin-hypercube stratified.
    """
    inside = min(dimension, MAX_DIMENSION)
    points = _unshifted(count, inside) ^ rng.integers(0, 1 << BITS, size=inside)
    unit = (points + 0.5) / float(1 << BITS)
    if dimension == inside:
        return unit
    return np.hstack([unit, latin_hypercube(count, dimension - inside, rng)])


def latin_hypercube(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """count points, exactly one in each of count equal slices of every axis of the unit cube; [count, dimension]."""
    slices = rng.permuted(np.tile(np.arange(count, dtype=np.float64), (dimension, 1)), axis=1).T
    points: Array = (slices + rng.random((count, dimension))) / max(count, 1)
    return points
