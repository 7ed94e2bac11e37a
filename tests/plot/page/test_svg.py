"""Scales and marks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown import sound

from taut.plot.page import svg
from taut.plot.page.svg import Labels, Scale

numbers = st.floats(min_value=-1e150, max_value=1e150)


def test_scales() -> None:
    x = Scale(0.0, 10.0, 100.0, 200.0)
    assert [x.at(v) for v in (0.0, 5.0, 10.0)] == [100.0, 150.0, 200.0]
    log = Scale(1.0, 100.0, 0.0, 200.0, log=True)
    assert log.at(10.0) == pytest.approx(100.0)
    assert log.ticks(5) == [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    assert x.ticks(5) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


@given(st.lists(numbers, max_size=5))
def test_any_values_have_a_scale_with_finite_ticks(values: list[float]) -> None:
    made = svg.scale(values, 0.0, 100.0)
    assert made.low < made.high
    assert all(-1e-6 <= made.at(value) <= 100.0 + 1e-6 for value in values)
    ticks = made.ticks(5)
    assert len(ticks) <= 7 and all(-1e-6 <= made.at(tick) <= 100.0 + 1e-6 for tick in ticks)


def test_what_is_not_finite_is_left_out() -> None:
    assert svg.path([1.0, math.nan, 3.0, 4.0], [1.0, 2.0, 3.0, math.inf]) == '<path d="M1 1M3 3"></path>'
    assert svg.path([math.nan], [1.0]) == "" and svg.dot(math.nan, 1.0) == ""
    assert svg.area([1.0, 2.0], [0.0, math.nan], [1.0, 1.0]) == ""
    assert svg.area([1.0, 2.0], [0.0, 0.0], [1.0, 1.0]) == '<path d="M1 1L2 1L2 0L1 0Z"></path>'


def test_stairs() -> None:
    assert svg.steps([0.0, 2.0], [5.0, 7.0], 10.0) == ([0.0, 2.0, 2.0, 10.0], [5.0, 5.0, 7.0, 7.0])


def test_a_panel_names_its_axes() -> None:
    x = Scale(0.0, 1.0, svg.LEFT, 100.0)
    page = sound(svg.panel(200, 100, x, x, Labels("<x>", "y & z"), "about", svg.rect(0, 0, -1, 2)))
    assert "<x>" in page.text and "y & z" in page.text
    assert ("aria-label", "about") in page.attributes


def test_colours_come_again() -> None:
    assert [svg.series(k) for k in (0, 1, 5, 6, 11)] == ["s0", "s1", "s5", "s1", "s1"]


@pytest.mark.parametrize(("low", "high"), [(0.0, 12.0), (1.0, 4.0), (1.0, 2.0), (0.0, 1e9), (-3.0, 3.0), (5.0, 6.0)])
def test_whole_numbers_have_whole_ticks(low: float, high: float) -> None:
    for most in range(3, 8):
        ticks = Scale(low, high, 0.0, 100.0, whole=True).ticks(most)
        assert len(ticks) >= 2 and all(tick == round(tick) for tick in ticks)
    assert all(tick == round(tick) for tick in Scale(1.0, 2.0, 0.0, 100.0, log=True, whole=True).ticks(5))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.0, 2.0, ["0", "0.5", "1", "1.5", "2"]),
        (1e9, 1e9 + 1.0, ["1·10⁹", "+0.25", "+0.5", "+0.75", "+1"]),
        (3.0 - 1.2e-9, 3.0 + 1.2e-9, ["−1·10⁻⁹", "3", "+1·10⁻⁹"]),
    ],
)
def test_ticks_can_be_told_apart(low: float, high: float, said: list[str]) -> None:
    assert [words for _, words in svg._numbered(Scale(low, high, 0.0, 100.0), 4)] == said


def test_what_rounding_made_is_not_magnified() -> None:
    flat = svg.scale([3.0, 3.0 + 1e-15], 0.0, 100.0)
    assert abs(flat.at(3.0) - flat.at(3.0 + 1e-15)) < 0.01
    exact = svg.scale([3.0, 3.0 + 1e-15], 0.0, 100.0, 0.0)
    assert (exact.at(3.0), exact.at(3.0 + 1e-15)) == (0.0, 100.0), "a range of a parameter is as it is"
