"""Printed digits: which habit, and how fine."""

import numpy as np
import pytest

from taut.data.digits import last_digits, next_digit

VALUES = np.random.default_rng(0).normal(size=30) * 10.0 ** np.random.default_rng(1).uniform(-2.0, 3.0, 30)


def significant(values: np.ndarray, digits: int) -> np.ndarray:
    return np.array([float(f"{value:.{digits - 1}e}") for value in values])


@pytest.mark.parametrize("decimals", [0, 2, 4])
def test_decimals(decimals: int) -> None:
    assert last_digits(np.round(VALUES, decimals)) == pytest.approx(10.0**-decimals)


@pytest.mark.parametrize("digits", [2, 3, 4, 6])
def test_significant_digits(digits: int) -> None:
    rounded = significant(VALUES, digits)
    expected = 10.0 ** (np.floor(np.log10(np.abs(rounded))) + 1 - digits)
    assert last_digits(rounded) == pytest.approx(expected)


def test_exact_values_have_no_last_digit() -> None:
    assert not last_digits(VALUES).any()


def test_a_subtracted_bound_leaves_the_digits() -> None:
    rounded = np.round(VALUES, 3)
    assert last_digits((rounded - 250.0) + 250.0) == pytest.approx(1e-3)


def test_signs_and_zeros_change_nothing() -> None:
    rounded = np.append(np.round(VALUES, 2), 0.0)
    assert np.array_equal(last_digits(rounded), last_digits(-rounded))


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 3.0], [5.0] * 20, [0.0, 0.0, 1.0, 1.0]])
def test_few_different_values_say_nothing(values: list[float]) -> None:
    assert not last_digits(np.array(values)).any()


def test_multiples_of_ten_are_coarser() -> None:
    assert last_digits(10.0 * np.arange(1.0, 30.0)) == pytest.approx(10.0)


def test_values_at_the_end_of_what_a_float_can_hold() -> None:
    assert not last_digits(np.array([1e-320, 2e-320, 5e-321, 1e-310, 3e-305])).any()


@pytest.mark.parametrize(("at", "step"), [(812.0, 1.0), (-0.0456, 1e-4), (9.99, 0.01)])
def test_the_next_value_will_have_as_many_digits(at: float, step: float) -> None:
    assert next_digit(significant(VALUES, 3), at) == pytest.approx(step)
    assert next_digit(np.round(VALUES, 2), at) == pytest.approx(0.01)
    assert next_digit(VALUES, at) == 0.0


def test_of_nothing_nothing_is_known() -> None:
    assert next_digit(np.empty(0), 1.0) == 0.0
