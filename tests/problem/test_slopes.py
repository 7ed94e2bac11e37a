"""Formulas over arrays against Python's own numbers, and their slopes against differences."""

import math

import numpy as np
import pytest

from taut.problem.formula import Formula
from taut.problem.slopes import values, values_with_slopes

TEXTS = [
    "a + b - 2 * c",
    "-a ** 2 / (b * c)",
    "a ** b",
    "a ** 3 - b ** -1.5",
    "2 ** a",
    "sqrt(a) * exp(-b) + log(c) - log10(a * b)",
    "sin(a) * cos(b) / tan(0.3 * c)",
    "asin(0.1 * a) + acos(0.2 * b) - atan(c)",
    "abs(a - b) + max(a, b, c) - min(a, 2 * b)",
    "pi * a ** 2 * (b + 4 / 3 * a)",
    "+a - +b",
    "7",
]


def columns(count: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {name: rng.uniform(0.3, 2.7, count) for name in "abc"}


@pytest.mark.parametrize("text", TEXTS)
def test_arrays_have_the_values_of_python(text: str) -> None:
    formula, at = Formula.of("Objective 'f'", text), columns()
    plain = [formula.value({name: column[i] for name, column in at.items()}, {}) for i in range(len(at["a"]))]
    np.testing.assert_allclose(values(formula, at, {}), plain, rtol=1e-14)


@pytest.mark.parametrize("text", TEXTS)
def test_slopes_are_those_of_differences(text: str) -> None:
    formula, at, h = Formula.of("Objective 'f'", text), columns(), 1e-6
    value, slopes = values_with_slopes(formula, at, {}, ("a", "c", "b"))
    np.testing.assert_array_equal(value, values(formula, at, {}))
    for slope, name in zip(slopes, "acb", strict=True):
        up, down = (values(formula, at | {name: at[name] + step}, {}) for step in (h, -h))
        np.testing.assert_allclose(slope, (up - down) / (2 * h), rtol=2e-7, atol=2e-8)


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("1 / a", 0.0),
        ("log(a)", 0.0),
        ("sqrt(a)", -1.0),
        ("a ** 0.5", -1.0),
        ("exp(1000 * a)", 5.0),
        ("1e149 ** (1 + a)", 1.0),
        ("asin(a)", 2.0),
    ],
)
def test_what_cannot_be_computed_is_nan_and_the_rest_is_not(text: str, bad: float) -> None:
    formula = Formula.of("Objective 'f'", text)
    value, slope = values_with_slopes(formula, {"a": np.array([bad, 0.001])}, {}, ("a",))
    assert math.isnan(value[0]) and math.isfinite(value[1])
    assert math.isnan(formula.value({"a": bad}, {}))
    assert slope[0, 0] == 0.0 and np.isfinite(slope).all()
