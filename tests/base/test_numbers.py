"""Numbers of the user: which are taken, and what is said of the others."""

from fractions import Fraction

import numpy as np
import pytest

from taut.base import numbers
from taut.base.errors import ProblemError, StudyFileError, TautError


class Strange:
    def __float__(self) -> float:
        raise RuntimeError("no")

    __repr__ = __float__  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value", [2, 2.0, Fraction(2), np.float32(2), np.int64(2), np.array(2.0), np.array([2.0]), np.array([[2]])]
)
def test_what_is_a_number(value: object) -> None:
    assert numbers.as_float(value) == numbers.finite(value) == 2.0


@pytest.mark.parametrize("value", [None, True, "2", b"2", [2.0], 2j, np.zeros(2), np.bool_(True), Strange(), 10**400])
def test_what_is_none(value: object) -> None:
    assert numbers.as_float(value) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e151, -1e151, None])
def test_what_is_too_large(value: object) -> None:
    assert numbers.finite(value) is None
    with pytest.raises(ProblemError, match="low must be a finite number of at most 1e[+]150 in size, got .*; try 3[.]"):
        numbers.bound("low", value, "try 3")
    assert numbers.finite(1e150) == 1e150


@pytest.mark.parametrize(("text", "number"), [("1", 1.0), ("-.5", -0.5), ("+2.e3", 2000.0), ("1e-400", 0.0)])
def test_plain_digits(text: str, number: float) -> None:
    assert numbers.from_text(text) == number


@pytest.mark.parametrize("text", ["", " 1", "1,5", "nan", "inf", "0x1", "1_0", "\u0663", "1" * 401, "1e", "."])
def test_no_plain_digits(text: str) -> None:
    assert numbers.from_text(text) is None


def test_typed() -> None:
    def typed(text: str) -> float:
        return numbers.typed("x", text, StudyFileError, "a number", "write 1", "fail")

    assert typed("2.5") == 2.5
    with pytest.raises(StudyFileError, match="^x: expected a number, got 'two'; write 1[.]$"):
        typed("two")
    with pytest.raises(
        StudyFileError, match="^x: .* at most 1e[+]150 in size, got '1e200'; use another unit, or write fail[.]$"
    ):
        typed("1e200")


def test_shown_is_short_and_never_fails() -> None:
    assert numbers.shown("a") == "'a'"
    assert len(numbers.shown("x" * 500)) == 200
    assert numbers.shown(Strange()) == "something of type Strange that cannot be printed"


def test_flag() -> None:
    assert numbers.flag("log", np.bool_(True)) is True
    with pytest.raises(ProblemError, match="log must be True or False, got 1"):
        numbers.flag("log", 1)


@pytest.mark.parametrize("value", [0, -1, 1e-151, 1e151, "1", float("nan")])
def test_cost_and_noise_are_above_zero(value: object) -> None:
    with pytest.raises(TautError, match="f: cost must be"):
        numbers.cost("f", value)
    if value != 1e-151:
        with pytest.raises(TautError, match="f: noise must be"):
            numbers.noise("f", value)


def test_noise() -> None:
    assert [numbers.noise("f", value) for value in (None, "learned", np.float64(2))] == [None, "learned", 2.0]
