"""The claims as the report shows them."""

from dataclasses import replace

import pytest
from synthetic_traces import Made, results_of, world

from taut_paper.claims.rules import PRESETS, judge
from taut_paper.report import claims
from taut_paper.traces import Results


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of(world())


@pytest.fixture(scope="module")
def verdicts(results: Results) -> dict[str, list[object]]:
    return {preset: judge(results, preset) for preset in PRESETS}


def test_every_claim_has_a_view_of_each_preset(verdicts) -> None:
    shown = claims.shown(verdicts)
    assert len(shown) == 35
    assert all([view.preset for view in views] == ["library default", "preset paper"] for _, views in shown)


def test_a_view_has_the_titles_of_experiments_and_the_outcome_of_each_comparison(verdicts) -> None:
    default, paper = next(views for claim, views in claims.shown(verdicts) if claim.id == "C5")
    assert default.verdict == "confirmed" and default.numbers.startswith("Mystery: evaluations of c, dckg above cei+: ")
    (row,) = default.rows
    assert (row[0], row[4], row[5]) == ("Mystery", "12", "yes")
    assert (paper.verdict, paper.rows) == ("no data", ())
    assert paper.numbers == "Missing: Mystery: 0 common seeds of dckg, cei+, 5 needed."


def test_outcomes_of_comparisons(results: Results) -> None:
    worse = {("mystery", "dckg"): {"early": 0.0, "end": -2.0}}
    found = {each["id"]: each for each in claims.as_dicts(results_of(world(worse))) if each["preset"] == "default"}
    assert {detail["outcome"] for detail in found["C1"]["details"]} == {"yes", "opposite"}
    assert {detail["outcome"] for detail in found["C14"]["details"]} == {"yes", "for information"}


def test_counts_add_up(verdicts) -> None:
    (_, default, total), (name, paper, _) = claims.counts(verdicts)
    assert default == [35, 0, 0, 0] and total == 35
    assert name == "preset paper" and paper == [1, 0, 0, 34]  # what is computed needs no runs


def test_presets_against_each_other() -> None:
    made = Made(early=-3.0, end=-5.0, seeds=5)
    both = [(cell, each) for cell in (("test_function_2", "cei"), ("mystery", "dckg"))
            for each in (made, replace(made, end=-4.0, preset="paper"))]  # fmt: skip
    table = claims.presets_table(results_of(both))
    assert table is not None
    assert [[cell.text for cell in row[:3]] for row in table.rows] == [
        ["Mystery", "dckg", "5"], ["Test Function 2", "cei", "5"]
    ]  # fmt: skip
    assert table.rows[0][6].text == "0.062"
    assert claims.presets_table(results_of(both[:1])) is None
