"""Sobol points against SciPy's generator, their shift, and Latin hypercubes."""

import numpy as np
import pytest
from scipy.stats import qmc

from taut.base.quasirandom import BITS, MAX_DIMENSION, _unshifted, latin_hypercube, sobol


def test_unshifted_points_are_scipys() -> None:
    expected = qmc.Sobol(MAX_DIMENSION, scramble=False, bits=BITS).random(1024)
    assert MAX_DIMENSION == 64
    assert np.array_equal(_unshifted(1024, 64) / 2.0**BITS, expected)


@pytest.mark.parametrize("count, dimension", [(1, 1), (7, 3), (256, 64), (5, 80)])
def test_points_lie_in_the_open_cube(count: int, dimension: int) -> None:
    for seed in range(20):
        u = sobol(count, dimension, np.random.default_rng(seed))
        assert u.shape == (count, dimension)
        assert u.min() > 0.0 and u.max() < 1.0


def test_the_shift_is_an_exclusive_or_with_one_number_per_column() -> None:
    shifted = (sobol(32, 4, np.random.default_rng(1)) * 2.0**BITS - 0.5).astype(np.int64)
    difference = shifted ^ _unshifted(32, 4)
    assert (difference == difference[0]).all() and len(set(difference[0])) == 4


@pytest.mark.parametrize("dimension", [1, 2, 64, 80])
def test_every_column_is_stratified(dimension: int) -> None:
    """2^m points fall one into each of 2^m equal cells, shift or not, beyond 64 dimensions too."""
    u = sobol(64, dimension, np.random.default_rng(2))
    cells = np.sort(np.floor(64 * u).astype(int), axis=0)
    assert (cells == np.arange(64)[:, None]).all()


def test_pairs_of_columns_fill_the_square_evenly() -> None:
    u = sobol(256, 2, np.random.default_rng(3))
    cells = np.floor(16 * u).astype(int) @ np.array([16, 1])
    assert len(set(cells.tolist())) == 256


def test_the_generator_decides() -> None:
    first, again, other = (sobol(16, 3, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize("count, dimension", [(0, 2), (1, 1), (6, 2), (13, 90)])
def test_latin_hypercube_has_one_point_per_cell_and_column(count: int, dimension: int) -> None:
    u = latin_hypercube(count, dimension, np.random.default_rng(7))
    assert u.shape == (count, dimension)
    assert (np.sort(np.floor(count * u).astype(int), axis=0) == np.arange(count)[:, None]).all()


def test_latin_hypercube_columns_are_shuffled_independently() -> None:
    u = latin_hypercube(200, 3, np.random.default_rng(8))
    assert np.abs(np.corrcoef(u.T) - np.eye(3)).max() < 0.25
