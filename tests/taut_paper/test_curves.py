"""The numbers of the figures."""

import numpy as np
import pytest
from synthetic_traces import Made, make, results_of

from taut_paper import curves, statistics
from taut_paper.experiments import Arm

TF2 = "test_function_2"


def test_counts_end_at_the_counts_of_the_trace() -> None:
    mine = results_of({("mystery", "dckg"): Made(sets=("f", "c", "c"), budget=31.0, seeds=3)})
    panel = curves.count_panel(mine, "mystery", Arm("dckg"))
    assert {line.label: line.middle[-1] for line in panel.lines} == {"f": 11.0, "c": 20.0}


def test_many_functions_are_put_together() -> None:
    redundant = curves.function_groups(make("mystery_redundant8", "cei", 0, Made()))
    assert list(redundant) == ["f", "c1", "redundant constraints (mean)"]
    speed = curves.function_groups(make("speed_reducer", "cei", 0, Made()))
    assert sorted(column for group in speed.values() for column in group) == list(range(12))


def test_shares_of_sets() -> None:
    mine = results_of({(TF2, "dckg"): Made(sets=("f", "c1+c3"), budget=30.0, seeds=2)}).traces(TF2, "dckg")
    found = curves.choices(mine, "", ["f"])
    assert found.sets == ("f", "other")
    assert np.allclose(found.share.sum(axis=0), 1.0)
    assert curves.common_sets([mine]) == ["f", "c1+c3"]


def test_coupled_methods_are_told_apart() -> None:
    mine = results_of({("mystery", "cei"): Made(seeds=1), ("mystery", "dckg"): Made(sets=("f", "c"), seeds=1)})
    assert [curves.is_decoupled(mine.traces("mystery", name)) for name in ("cei", "dckg")] == [False, True]


def test_lines_are_quartiles_of_the_arms_that_have_results() -> None:
    mine = results_of({("mystery", "dckg"): Made(end=-5.0, seeds=5), ("mystery", "cei"): Made(seeds=5)})
    panel = curves.oc_panel(mine, "mystery", [Arm("dckg"), Arm("pesc"), Arm("cei")])
    assert (panel.title, [line.label for line in panel.lines]) == ("Mystery", ["dckg", "cei"])
    line = panel.lines[0]
    bands = statistics.bands(mine.traces("mystery", "dckg"), [160.0])
    assert (line.low[-1], line.middle[-1], line.high[-1]) == (bands.lower[0], bands.median[0], bands.upper[0])
    assert line.cost[0] == 0.0 and line.cost[-1] == 160.0
    assert panel.floor == pytest.approx(4.1e-7, rel=0.01)


def test_presets_of_one_method_side_by_side() -> None:
    mine = results_of([(("mystery", "dckg"), Made(seeds=1)), (("mystery", "dckg"), Made(seeds=1, preset="paper"))])
    panel = curves.preset_panel(mine, "mystery", "dckg", ["default", "paper", "other"], "row")
    assert [line.label for line in panel.lines] == ["library default", "preset paper"]
    assert (panel.title, panel.row) == ("dckg", "row")
    assert curves.preset_panel(mine, "mystery", "cei", ["default"]).lines == ()


def test_a_cloud_has_a_mark_for_each_seed() -> None:
    traces = results_of({("mystery", "dckg"): Made(end=-4.0, seeds=12)}).traces("mystery", "dckg")
    cloud = curves.cloud("dckg", curves.method_style("dckg"), traces)
    assert len(cloud.values) == 12 and cloud.quartiles[1] == pytest.approx(1e-4, rel=0.1)
    assert cloud.quartiles == tuple(sorted(cloud.quartiles))
