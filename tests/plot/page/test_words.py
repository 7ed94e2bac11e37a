"""Numbers as people write them."""

import math
from dataclasses import replace

import pytest
from shown import known_beliefs

import taut
from taut.plot.page.words import count, headline, limit, margin, number, percent, price, readable, share, uncertain

PROBLEM = taut.Problem(
    [taut.Real("x", 0.0, 1.0)],
    taut.Objective("mass", goal="minimize"),
    [
        taut.Constraint("stress", at_most=250.0),
        taut.Constraint("lift", at_least=-0.5),
        taut.Constraint("gap", at_least=1.0, at_most=2.0),
    ],
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "1"),
        (-0.25, "−0.25"),
        (-0.0, "0"),
        (123456.7, "123457"),
        (-123456789.0, "−1.2346·10⁸"),
        (1e-7, "1·10⁻⁷"),
        (3, "3"),
        ("steel", "steel"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "∞"),
    ],
)
def test_numbers(value: object, said: str) -> None:
    assert number(value) == said


@pytest.mark.parametrize(
    ("mean", "sd", "said"),
    [
        (8.2134, 0.031, "8.213 ± 0.031"),
        (-120.4, 15.0, "−120 ± 15"),
        (2.0, 0.0, "2"),
        (1e9, 1e7, "1·10⁹ ± 1·10⁷"),
        (0.0, 0.0, "0"),
        (math.nan, 1.0, "–"),
    ],
)
def test_uncertain_numbers(mean: float, sd: float, said: str) -> None:
    assert uncertain(mean, sd) == said


def test_no_certainty_that_was_not_computed() -> None:
    assert [percent(p) for p in (0.0, 0.5, 1.0, math.nan)] == ["< 1 %", "50 %", "> 99 %", "–"]
    assert share(1.0, 4.0) == "25 %" and share(1.0, 0.0) == "–"


def test_limits_and_margins() -> None:
    assert [limit(PROBLEM, name) for name in PROBLEM.functions] == ["minimise", "≤ 250", "≥ −0.5", "1 … 2"]
    assert headline(PROBLEM) == "Minimise mass subject to stress ≤ 250, lift ≥ −0.5, gap 1 … 2"
    assert margin(PROBLEM, "stress", 240.0) == 10.0
    assert margin(PROBLEM, "lift", -1.0) == -0.5
    assert margin(PROBLEM, "gap", 1.75) == 0.25


def test_counts() -> None:
    assert count(1, "value") == "1 value"
    assert count(12345, "value").replace("\N{NARROW NO-BREAK SPACE}", " ") == "12 345 values"


def test_a_price_without_an_end() -> None:
    row = known_beliefs().relevance[0]
    assert price(replace(row, price=(2.0, 1.5, math.inf))) == "2 (at least 1.5)"
    assert price(replace(row, price=(0.0, 0.0, 0.0))) == "0" and price(replace(row, price=None)) == ""


def test_powers_of_ten_in_sentences() -> None:
    assert readable("by 1e+09 saves 3.61e-08 of m1e-05") == "by 1·10⁹ saves 3.61·10⁻⁸ of m1e-05"
    assert readable("(-2.5e-300 to 1)") == "(-2.5·10⁻³⁰⁰ to 1)" and readable("0.5e, v1.2e-3") == "0.5e, v1.2e-3"
