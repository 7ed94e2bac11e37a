"""All claims judged: where they are true, without data, and with each preset."""

from dataclasses import replace

import pytest
from synthetic_traces import OPEN, Made, results_of, world

from taut_paper.claims.rules import KINDS, claims, compare_presets, judge, tensions
from taut_paper.traces import Results, Trace

NAMES = [f"C{number}" for number in range(1, 36)]
TF2 = "test_function_2"


@pytest.fixture(scope="module")
def true_world():
    return {verdict.id: verdict for verdict in judge(results_of(world()))}


def test_there_is_one_claim_for_each_number():
    assert [claim.id for claim in claims()] == NAMES
    for claim in claims():
        assert claim.claim.endswith(".") and claim.rule.endswith(".")


def test_every_kind_of_comparison_is_used():
    assert {each["kind"] for claim in claims() for each in claim.comparisons} == set(KINDS)


@pytest.mark.parametrize("name", NAMES)
def test_true_claims_are_confirmed(true_world, name):
    verdict = true_world[name]
    assert verdict.verdict == "confirmed", verdict.numbers
    assert verdict.details and verdict.numbers and "\n" not in verdict.numbers
    assert all(detail.n >= 5 for detail in verdict.details)


@pytest.mark.parametrize("seeds", [0, 4])
def test_without_five_common_seeds_there_is_no_verdict(seeds):
    cells = {cell: replace(made, seeds=seeds) for cell, made in world().items()}
    verdicts = {verdict.id: verdict for verdict in judge(results_of(cells))}
    assert {verdict.verdict for name, verdict in verdicts.items() if name != "C35"} == {"no data"}
    assert f"{seeds} common seeds of dckg, cei+, 5 needed" in verdicts["C5"].numbers
    assert verdicts["C35"].verdict == "confirmed"


def test_one_missing_arm_leaves_the_claims_that_need_it_without_verdict(true_world):
    cells = world()
    del cells["mystery", "pesc"], cells["mystery-f=5", "cei+"]
    found = {verdict.id for verdict in judge(results_of(cells)) if verdict.verdict == "no data"}
    assert found == {"C1", "C2", "C30", "C13", "C14", "C33"}  # C15 shows that experiment, but does not need it


def test_preset_is_selected_and_no_other_stands_in():
    cells = {cell: replace(made, preset="paper") for cell, made in world().items()}
    assert {verdict.verdict for verdict in judge(results_of(cells), "paper")} == {"confirmed"}
    assert judge(results_of(cells))[0].verdict == "no data"
    pesc = {cell: replace(made, preset="default" if cell[1] == "pesc" else "paper") for cell, made in world().items()}
    found = {verdict.id: verdict.verdict for verdict in judge(results_of(pesc), "paper")}
    assert found["C1"] == found["C2"] == found["C30"] == "no data" and found["C3"] == "confirmed"


def test_weak_advantage_after_many_comparisons_does_not_contradict():
    """cEI+ clearly ahead at 8 seeds and slightly behind at 4, p = 24/4096: not enough for 24 comparisons."""
    results = results_of(world())
    rival = results.traces("mystery", "dckg")

    def moved(trace: Trace) -> Trace:
        if trace.repetition.key[:2] != ("mystery", "cei+"):
            return trace
        other = rival[trace.repetition.seed]
        return replace(trace, spent=other.spent, oc=other.oc * (0.9 if trace.repetition.seed < 8 else 1.05))

    verdict = {verdict.id: verdict for verdict in judge(Results(map(moved, results)))}["C33"]
    assert verdict.verdict == OPEN
    assert min(detail.p for detail in verdict.details) == pytest.approx(24 / 4096)


def test_line_of_numbers_names_what_decides():
    verdict = {v.id: v for v in judge(results_of(world({("mystery", "dckg"): {"early": 0.0, "end": -2.0}})))}["C1"]
    assert verdict.numbers.startswith("9 of 12 comparisons hold. against: mystery: ")
    assert "against: mystery: mean log10 OC, dckg below cei+: " in verdict.numbers


def test_tensions_quote_the_verdicts(true_world):
    notes = tensions(list(true_world.values()))
    assert len(notes) == 2
    assert notes[0].endswith("Here: C9 confirmed, C15 confirmed, C27 confirmed, C4 confirmed.")
    assert tensions([])[1].endswith("Here: C22 no data, C9 no data.")


def test_presets_against_each_other():
    default, paper = Made(early=-3.0, end=-5.0), Made(early=-2.0, end=-4.0, preset="paper")
    pairs = [(("mystery", "dckg"), default), (("mystery", "dckg"), paper), (("mystery", "cei"), default)]
    few = [((TF2, "dckg"), default), ((TF2, "dckg"), replace(paper, seeds=4))]
    (row,) = compare_presets(results_of([*pairs, *few]))
    assert (row.experiment, row.method, row.n) == ("mystery", "dckg", 12)
    assert row.auc_default < row.auc_paper and row.auc_p < 0.001 and row.oc_p < 0.001
    assert row.ratio == pytest.approx(0.1, rel=0.3) and row.oc_paper == pytest.approx(1e-4, rel=0.3)
