"""Which figures and tables stand in which part of the report, and what their captions say."""

from dataclasses import replace

import numpy as np
from synthetic_traces import Made, make, results_of

from taut_paper.experiments import PARTS
from taut_paper.report import parts
from taut_paper.report.parts import Section
from taut_paper.traces import Results

TF2 = "test_function_2"
SMALL = {"seeds": 2, "budget": 20.0}


def sections(results: Results) -> dict[str, Section]:
    return {section.id: section for section in parts.sections(results)}


def names(section: Section) -> list[str]:
    return [picture.name for picture in section.pictures]


def test_one_seed_of_one_coupled_method() -> None:
    baseline = sections(Results([make("mystery", "cei", 3, Made(budget=20.0))]))["baseline"]
    assert names(baseline) == ["oc-baseline"]  # no figure of evaluations: all functions have the same
    assert baseline.pictures[0].caption.endswith("median and quartiles over 1 seed.")


def test_further_methods_have_a_figure_of_their_own() -> None:
    arms = [
        (("mystery", "dckg"), Made(sets=("f", "c"), **SMALL)),
        (("mystery", "random"), Made(**{**SMALL, "seeds": 1})),
    ]
    baseline = sections(results_of(arms))["baseline"]
    assert names(baseline) == ["oc-baseline", "oc-baseline-further", "evaluations-baseline"]
    assert baseline.pictures[1].caption.endswith("over 1 to 2 seeds.")
    assert [table.caption.split(",")[0] for table in baseline.folded] == ["Mystery"]


def test_problems_with_several_costs_have_a_figure_each() -> None:
    cells = [(name, "dckg") for name in ("mystery-f=5", "mystery-c=5", f"{TF2}-c2=5")]
    costs = sections(results_of((cell, Made(**SMALL)) for cell in cells))["costs"]
    assert names(costs) == ["oc-costs-mystery", f"oc-costs-{TF2}"]


def test_redundant_constraints_have_a_table_of_waste() -> None:
    redundant = sections(results_of({("mystery_redundant8", "cei"): Made(**SMALL)}))["redundant"]
    assert [table.caption for table in redundant.tables] == [
        "Evaluations of the 8 redundant constraints after the initial design."
    ]


def test_the_ablation_shows_both_methods_with_every_preset() -> None:
    methods = ("dckg", "dckg-uncoupled")
    arms = [((TF2, method), Made(preset=preset, **SMALL)) for method in methods for preset in ("default", "paper")]
    found = sections(results_of(arms))
    assert names(found["ablation"]) == ["oc-ablation", "spread-ablation", "sets-ablation"]
    assert len(found["ablation"].tables) == 2
    assert names(found["presets"]) == ["oc-presets-costs"]  # dckg alone


def test_presets_are_a_grid_where_several_methods_have_them() -> None:
    arms = [(("mystery", method), Made(preset=preset, **SMALL)) for method in ("dckg", "cei")
            for preset in ("default", "paper")]  # fmt: skip
    presets = sections(results_of(arms))["presets"]
    assert names(presets) == ["oc-presets"]
    assert "with library default and preset paper" in presets.pictures[0].caption


def test_only_the_settings_of_the_paper() -> None:
    found = sections(Results([make("mystery", "dckg", 0, Made(budget=20.0, preset="paper"))]))
    assert all(not section.pictures for section in found.values())


def test_zero_is_drawn_at_the_floor() -> None:
    trace = make("mystery", "dckg", 0, Made(budget=20.0, sets=("f", "c")))
    baseline = sections(Results([replace(trace, oc=np.zeros_like(trace.oc))]))["baseline"]
    assert "Values below 4.1e\N{NON-BREAKING HYPHEN}7, and 0, are drawn at that floor" in baseline.pictures[0].caption


def test_nothing_decided() -> None:
    found = sections(Results([make("mystery", "dckg", 0, Made(budget=0.5))]))
    assert names(found["baseline"]) == ["oc-baseline"]
    assert found["baseline"].pictures[0].caption.endswith("over 1 seed.")


def test_experiments_that_are_not_in_the_plan_come_last() -> None:
    trace = make("mystery", "dckg", 0, Made(budget=20.0))
    mine = replace(trace, repetition=replace(trace.repetition, experiment="mine"))
    last = parts.sections(Results([mine]))[-1]
    assert (last.id, names(last)) == ("others", ["oc-others"])


def test_what_was_not_run_is_named() -> None:
    nothing = Results([])
    assert parts.not_run(nothing, PARTS["baseline"]) == ["everything on all 3 experiments"]
    some = results_of({(name, "dckg"): Made(**SMALL) for name in PARTS["engineering"].experiments[:1]})
    (beam, rest) = parts.not_run(some, PARTS["engineering"])
    assert beam == "cei+, ckg, cei, ucb-d, cmes, random on Welded beam"
    assert rest == "everything on 3 experiments (Pressure vessel; Spring; Speed reducer)"
