"""Panels: marks stand where their numbers are."""

import re
from dataclasses import replace

import pytest
from shown import known, known_beliefs, sound

from taut.data.results import Error
from taut.plot import data
from taut.plot.page import charts, svg
from taut.plot.page.words import number


def tips(markup: str) -> list[str]:
    return [value for name, value in sound(markup).attributes if name == "data-tip"]


def test_convergence_has_a_dot_for_every_recommendation() -> None:
    study, found = known(), known_beliefs().convergence
    said = tips(charts.objective_course(study.problem, found))
    assert sum(tip.startswith("recommended at cost") for tip in said) == len(found.cost)
    assert sum(tip.startswith("best measured") for tip in said) == len(found.measured.cost)
    assert len(tips(charts.feasibility_course(study.problem, found))) == len(found.cost)


def test_bars_are_in_proportion() -> None:
    found = data.spending(known())
    made = charts.spending_bars(found)
    widths = [float(w) for w in re.findall(r'width="([\d.]+)" height="10" class="bar', made)]
    paid = [row.spent for row in found.rows]
    assert [w / max(widths) for w in widths] == pytest.approx([p / max(paid) for p in paid], abs=0.01)


def test_the_number_at_a_bar_says_what_it_is() -> None:
    found = data.spending(known())
    said = sound(charts.spending_bars(found)).texts
    for row in found.rows:
        assert row.coupled <= row.spent or f"{number(row.spent, 4)} of {number(row.coupled, 4)}" in said


def test_bands_end_at_the_axes() -> None:
    found = known_beliefs().slices[0]
    wide = replace(found, survey=replace(found.survey, sd=found.survey.sd * 1e6))
    made = charts.slice_panel(known().problem, wide, 0)
    band = re.findall(r'<path d="([^"]+)" class="band', made)[0]
    up = [float(y) for y in re.findall(r"[ML][-\d.]+ ([-\d.]+)", band)]
    assert min(up) >= svg.TOP and max(up) <= charts.LOW - svg.BOTTOM


def test_evaluations_end_with_the_counts() -> None:
    said = tips(charts.evaluations_course(known().problem, data.spending(known())))
    assert [int(tip.split(": ")[1].split(" ")[0]) for tip in said] == list(known().counts.values())


@pytest.mark.parametrize(("mean", "side"), [(100.0, -1.0), (150.0, 0.0), (200.0, 1.0)])
def test_a_value_stands_on_its_side_of_the_limit(mean: float, side: float) -> None:
    made = charts.margin_bar(known().problem, "stress", mean, 5.0, 50.0)
    limit = float(re.findall(r'x1="([\d.]+)" y1="1"', made)[0])
    dot = float(re.findall(r'cx="([\d.]+)"', made)[0])
    assert (dot > limit) - (dot < limit) == side
    assert "outside" in made


def test_slices_of_all_functions() -> None:
    for found in known_beliefs().slices:
        for k, name in enumerate(known().problem.functions):
            page = sound(charts.slice_panel(known().problem, found, k))
            assert ("aria-label", f"{name} over {found.parameter}") in page.attributes
            assert any(value.startswith(f"recommended {found.parameter} = ") for value in tips_of(page.attributes))


def tips_of(attributes: list[tuple[str, str]]) -> list[str]:
    return [value for name, value in attributes if name == "data-tip"]


def test_large_errors_are_marked() -> None:
    made = charts.error_strip("f", [Error(1, (0.5,), 0.3, 4.0), Error(2, (0.5,), -7.0, 4.0)], 0)
    assert made.count("dot alarm") == 1 and "suggestion 2: −7 standard deviations off" in made
