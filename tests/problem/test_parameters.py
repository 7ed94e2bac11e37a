"""Parameters: what is accepted and refused, and the way to the unit cube and back."""

import math

import numpy as np
import pytest
import toy
from hypothesis import given
from hypothesis import strategies as st

import taut


@st.composite
def reals(draw: st.DrawFn, name: str = "x") -> taut.Real:
    log = draw(st.booleans())
    low = draw(st.floats(1e-6, 1e3) if log else st.floats(-1e6, 1e6))
    return taut.Real(name, low, low + draw(st.floats(1e-3, 1e6)), log)


@given(reals(), st.floats(0.0, 1.0))
def test_unit_cube_and_back(parameter: taut.Real, u: float) -> None:
    value = parameter.from_unit(u)
    assert parameter.low <= value <= parameter.high
    assert parameter.check(value) == value
    # a float value has about 16 digits, of which the interval may be a small part
    scale = max(abs(parameter.low), abs(parameter.high)) / (parameter.high - parameter.low)
    if parameter.log:
        scale = (1.0 + abs(math.log(parameter.low))) / math.log(parameter.high / parameter.low)
    assert parameter.to_unit(value) == pytest.approx(u, abs=1e-14 * max(scale, 1.0))


@given(reals(), st.floats(-1.0, 2.0))
def test_bounds_are_met_exactly(parameter: taut.Real, u: float) -> None:
    assert parameter.from_unit(0.0) == parameter.low
    assert parameter.from_unit(1.0) == parameter.high
    assert parameter.low <= parameter.from_unit(u) <= parameter.high
    assert (parameter.to_unit(parameter.low), parameter.to_unit(parameter.high)) == (0.0, 1.0)


def test_log_parameter_is_searched_on_a_logarithmic_scale() -> None:
    parameter = taut.Real("x", 0.01, 100.0, log=True)
    assert parameter.from_unit(0.5) == pytest.approx(1.0)
    assert parameter.to_unit(10.0) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [(1.0, 50.0, True), (0.1, 4.9, False), (0.0, 1e6, False), (-1.0, 1e6, False), (1e-300, 1e100, True)],
)
def test_wide_positive_bounds_are_searched_on_a_logarithmic_scale(low: float, high: float, log: bool) -> None:
    assert taut.Real("x", low, high).log is log
    assert taut.Real("x", low, high).automatic and not taut.Real("x", low, high, log=False).automatic
    assert taut.Real("x", low, high, log=False).log is False
    assert taut.Real("x", low, high) == taut.Real("x", low, high, log=log)


def test_numpy_numbers_become_floats() -> None:
    parameter = taut.Real("x", np.float32(0.0), np.int64(2))
    assert type(parameter.low) is float and type(parameter.high) is float
    assert taut.Real("x", np.array([1.0]), np.array(2.0)) == taut.Real("x", 1.0, 2.0)


def test_numpy_booleans_are_booleans() -> None:
    assert taut.Real("x", 1.0, 2.0, log=np.True_).log is True
    assert taut.Real("x", 1.0, 2.0, log=np.False_).log is False


BAD = {
    "low above high": (lambda: taut.Real("width", 0.5, 0.2), ["width", "0.5", "0.2", "high must exceed low"]),
    "low equals high": (lambda: taut.Real("width", 0.5, 0.5), ["width", "0.5", "high must exceed low"]),
    "bound NaN": (lambda: taut.Real("width", math.nan, 1.0), ["width", "low", "finite", "nan"]),
    "bound infinite": (lambda: taut.Real("width", 0.0, math.inf), ["width", "high", "finite", "inf"]),
    "bound a string": (lambda: taut.Real("width", "0", 1.0), ["width", "low", "number", "'0'"]),
    "bound too large": (lambda: taut.Real("width", 0.0, 1e151), ["width", "high", "1e+150", "1e+151", "unit"]),
    "bound with too many digits": (lambda: taut.Real("width", 0, 10**5000), ["width", "1e+150", "int"]),
    "bounds of booleans": (lambda: taut.Real("width", np.False_, np.True_), ["width", "low", "False", "give"]),
    "bound an array": (lambda: taut.Real("width", 0.0, np.array([1.0, 2.0])), ["width", "high", "array"]),
    "log from zero": (lambda: taut.Real("width", 0.0, 1.0, log=True), ["width", "low > 0", "0.0"]),
    "log of equal logarithms": (
        lambda: taut.Real("width", 1e149, math.nextafter(1e149, 1e150), log=True),
        ["width", "logarithms differ", "1e+149", "drop log=True"],
    ),
    "log not a boolean": (lambda: taut.Real("width", 1.0, 2.0, log=1), ["width", "True or False", "1", "leave it out"]),
    "log an array": (lambda: taut.Real("width", 1.0, 2.0, log=np.array([True, False])), ["width", "log", "array"]),
    "empty name": (lambda: taut.Real("", 0.0, 1.0), ["name", "letter", "''"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_declarations_are_refused(case: str) -> None:
    declare, fragments = BAD[case]
    message = toy.refusal(declare, taut.ProblemError)
    assert all(fragment in message for fragment in fragments)
