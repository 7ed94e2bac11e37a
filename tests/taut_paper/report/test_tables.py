"""The tables of the report."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import Made, make, results_of

from taut_paper.experiments import Arm
from taut_paper.report import tables
from taut_paper.report.tables import Table
from taut_paper.traces import Results

TF2 = "test_function_2"


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_wasted_evaluations() -> None:
    mine = results_of({("mystery_redundant8", "cei"): Made(budget=25.0, seeds=1)})
    table = tables.wasted_table(mine, "mystery_redundant8", [Arm("cei")])
    assert table is not None
    assert [cell.text for cell in table.rows[0]] == ["cei", "16", "16 to 16", "80 %", "0 / 1"]
    assert tables.wasted_table(mine, "mystery", [Arm("cei")]) is None


def test_best_method_is_strong() -> None:
    ends = {("mystery", "dckg"): Made(end=-5.0, seeds=6), ("mystery", "cei"): Made(end=-3.0, seeds=6)}
    table = tables.arm_table(results_of(ends), "mystery", [Arm("dckg"), Arm("cei")])
    assert [row[2].strong for row in table.rows] == [True, False]
    assert table.rows[0][4].text == "–" and table.rows[1][4].text == "0.031"


@pytest.mark.parametrize(
    ("value", "text"), [(1.44e-6, "1.4e-6"), (0.0, "0"), (2.5, "2.5"), (4153.6, "4154"), (float("nan"), "–")]
)
def test_small_numbers(value: float, text: str) -> None:
    assert tables.small(value) == text


def test_other_numbers_in_words() -> None:
    assert tables.signed(-1.234) == "−1.23" and tables.signed(float("nan")) == "–"
    assert [tables.probability(p) for p in (1e-5, 0.0312, 0.5, float("nan"))] == ["< 0.001", "0.031", "0.50", "–"]
    assert [tables.milliseconds(s) for s in (0.00123, 1.5, float("nan"))] == ["1.2", "1,500", "–"]


def test_what_was_run_has_a_column_for_each_arm() -> None:
    small = {"budget": 8.0}
    mine = [
        (("mystery", "dckg"), Made(seeds=2, **small)),
        (("mystery", "dckg"), Made(seeds=1, preset="paper", **small)),
    ]
    table = tables.what_was_run(results_of([*mine, ((TF2, "<new>"), Made(seeds=1, **small))]))
    assert table.head == ("experiment", "budget", "dckg", "<new>", "dckg")
    assert texts(table) == [["Mystery", "8", "2", "–", "1"], ["Test Function 2", "8", "–", "1", "–"]]
    assert table.groups == (("", 2), ("library default", 2), ("preset paper", 1))


def test_only_arms_with_the_most_seeds_can_be_best() -> None:
    ends = {("mystery", "dckg"): Made(seeds=3), ("mystery", "cei"): Made(end=-2.0, seeds=3)}
    table = tables.auc_table(results_of({**ends, ("mystery", "pesc"): Made(end=-6.0, seeds=1)}), "default")
    assert table.head == ("experiment", "dckg", "cei", "pesc")
    assert [cell.strong for cell in table.rows[0]] == [False, True, False, False]


def test_arms_are_compared_at_the_smallest_budget() -> None:
    mine = [make("mystery", "dckg", seed, Made(budget=20.0 + seed, sets=("f", "c"))) for seed in range(3)]
    assert "at a cost of 20." in tables.arm_table(Results(mine), "mystery", [Arm("dckg")]).caption


def test_stuck_runs_are_counted() -> None:
    ends = {(TF2, "dckg"): Made(trapped=2, seeds=5), ("welded_beam", "dckg"): Made(seeds=1)}
    table = tables.stuck_table(results_of(ends))
    assert texts(table) == [["Test Function 2", "2/5"], ["Welded beam", "0/1"]]
    assert table.rows[0][1].strong and not table.rows[1][1].strong


def test_conduct_is_counted_over_all_experiments() -> None:
    ends = {(TF2, "dckg"): Made(trapped=2, seeds=5), ("mystery", "dckg"): Made(seeds=1)}
    table = tables.conduct_table(results_of(ends))
    (row,) = texts(table)
    assert table.head[:3] == ("method", "runs", "stuck") and row[:4] == ["dckg", "6", "2 of 6", "0 of 6"]
    assert row[5:8] == ["-", "-", "-"]  # nothing was said in these runs


def test_times_that_were_not_kept_are_a_dash() -> None:
    trace = make("mystery", "dckg", 0, Made(budget=20.0))
    unknown = replace(trace, ask_seconds=np.full_like(trace.ask_seconds, np.nan))
    assert texts(tables.cpu_table(Results([unknown]))) == [["Mystery", "–"]]
    assert 80 < float(texts(tables.cpu_table(Results([trace])))[0][1]) < 120
