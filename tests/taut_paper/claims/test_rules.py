"""The checker of claims on results made so that a claim is true, false, or has no data."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import COUPLED, TF2_SETS, Made, make, results_of, world

from taut_paper import statistics
from taut_paper.claims import overall
from taut_paper.claims.evidence import FINAL, Detail, Evidence, judged, near
from taut_paper.claims.rules import CLAIMS, compare_presets, judge, outcome, tensions
from taut_paper.claims.steps import coupled_share, expected_share, near_share, trapped
from taut_paper.traces import Results, Trace

NAMES = [f"C{number}" for number in range(1, 36)]
TF2 = "test_function_2"
ALIKE = {"early": -3.0, "end": -5.0}
CONTRADICTED, OPEN = "contradicted", "not confirmed"


@pytest.fixture(scope="module")
def true_world():
    return {verdict.id: verdict for verdict in judge(results_of(world()))}


def test_there_is_one_claim_for_each_number():
    assert [claim.id for claim in CLAIMS] == NAMES
    for claim in CLAIMS:
        assert claim.claim.endswith(".") and claim.rule.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_true_claims_are_confirmed(true_world, name):
    verdict = true_world[name]
    assert verdict.verdict == "confirmed", verdict.numbers
    assert verdict.details and verdict.numbers and "\n" not in verdict.numbers
    assert all(detail.n >= 5 for detail in verdict.details)


# (claim, changes to the world in which all are true, verdict)
FALSE = [
    ("C1", {("mystery", "dckg"): {"early": 0.0, "end": -2.0}}, CONTRADICTED),
    ("C1", {("mystery", "cei+"): ALIKE}, OPEN),
    ("C2", {(TF2, "pesc"): {"early": -2.0, "end": -4.5}}, CONTRADICTED),
    ("C2", {(TF2, "pesc"): {"early": -1.0, "end": -3.5, "jitter": 0.5}}, OPEN),
    ("C3", {("constrained_branin", "cei+"): {"end": -3.0}}, CONTRADICTED),
    ("C3", {("mystery", "cei+"): {"end": -2.0}}, OPEN),  # worse, but by more than an order of magnitude
    ("C4", {("mystery", "dckg"): {"sets": ("f",) * 9 + ("c",)}}, CONTRADICTED),
    ("C5", {("mystery", "dckg"): {"sets": ("f", "f", "f", "c")}}, CONTRADICTED),
    ("C5", {("mystery", "dckg"): {"sets": ("f", "c", "f", "c", "f")}}, OPEN),
    ("C6", {("constrained_branin", "dckg"): {"sets": ("f", "f", "c")}}, CONTRADICTED),
    ("C6", {("constrained_branin", "dckg"): {"sets": ("f", "c")}}, OPEN),
    ("C7", {("constrained_branin", "dckg"): {"end": -3.0}}, CONTRADICTED),
    ("C7", {("constrained_branin", "dckg"): {"end": -4.0, "jitter": 0.5}}, OPEN),
    ("C8", {(TF2, "cei+"): {"sets": ("f", "c1", "c3", "c2", "c2")}}, CONTRADICTED),
    ("C8", {(TF2, "cei+"): {"sets": ("f", "c1", "c3", "f", "c1", "c3", "f", "c1", "c3", "c2", "c2")}}, OPEN),
    ("C9", {(TF2, "dckg"): {"sets": ("f", "f", "c1", "c3"), "late": None}}, CONTRADICTED),
    ("C9", {(TF2, "dckg"): {"sets": TF2_SETS["cei+"], "late": None}}, OPEN),
    ("C10", {(TF2, "dckg"): {"end": -2.0}}, CONTRADICTED),
    ("C11", {("mystery_redundant8", "cei+"): {"sets": ("f", "c1") * 20 + ("c9",)}}, CONTRADICTED),
    ("C12", {("mystery_redundant8", "ckg"): {"early": -4.0, "end": -5.0}}, CONTRADICTED),
    ("C12", {("mystery_redundant8", "ckg"): {"early": -2.0, "end": -5.0}}, OPEN),  # slower, but not by 2
    ("C13", {("mystery-c=5", "dckg"): {"early": 0.0, "end": -1.0}}, CONTRADICTED),
    ("C14", {("mystery-f=5", "dckg"): {"early": -2.1, "end": -3.6}}, CONTRADICTED),
    ("C15", {("constrained_branin", "dckg"): {"sets": ("f", "f", "c")}}, CONTRADICTED),
    ("C16", {("constrained_branin-c=5", "dckg"): {"end": -2.0}}, CONTRADICTED),
    ("C16", {("constrained_branin-c=5", "dckg"): {"end": -3.15, "jitter": 0.3}}, OPEN),
    ("C17", {("mystery-f=5", "cei"): {"early": -2.0}}, CONTRADICTED),
    ("C17", {("mystery-f=5", "cei"): {"end": -1.0}}, CONTRADICTED),
    ("C17", {("mystery-f=5", "cei"): {"end": -2.85, "jitter": 0.3}}, OPEN),
    ("C18", {(f"{TF2}-c3=5", "dckg"): {"early": 0.0, "end": -1.0}}, CONTRADICTED),
    ("C19", {(f"{TF2}-f=5", "dckg"): {"early": -5.0, "end": -7.0}}, CONTRADICTED),
    ("C20", {(f"{TF2}-c2=5", "cei"): {"early": -3.0, "end": -5.0}}, CONTRADICTED),
    ("C21", {(f"{TF2}-f=5", "dckg"): {"end": -3.3}}, CONTRADICTED),
    ("C22", {(f"{TF2}-f=5", "dckg"): {"sets": ("c2", "f")}}, CONTRADICTED),
    ("C22", {(f"{TF2}-f=5", "dckg"): {"sets": TF2_SETS["cei+"]}}, OPEN),
    ("C23", {(f"{TF2}-c3=5", "dckg"): {"end": -3.2}}, CONTRADICTED),
    ("C24", {(TF2, "dckg-uncoupled"): {"end": -4.0, "trapped": 0}}, CONTRADICTED),
    ("C24", {(TF2, "dckg-uncoupled"): {"end": -4.65, "trapped": 0, "jitter": 0.2}}, OPEN),
    ("C25", {(TF2, "dckg-uncoupled"): {"trapped": 0}}, OPEN),
    ("C25", {(TF2, "dckg-uncoupled"): {"trapped": 0}, (TF2, "dckg"): {"jitter": 1.0}}, CONTRADICTED),
    ("C26", {(TF2, "dckg"): {"sets": ("f", "f", "c1", "c3"), "late": None}}, CONTRADICTED),
    ("C27", {(TF2, "dckg-uncoupled"): {"sets": ("c1", "c3")}}, CONTRADICTED),
    ("C28", {(TF2, "dckg"): {"sets": ("f+c1", "c3"), "late": ("c1", "c3", "f+c1")}}, CONTRADICTED),
    ("C28", {(TF2, "dckg"): {"late": None}}, OPEN),  # never several functions together
    ("C28", {(TF2, "dckg"): {"late": ("c1+c3", "f")}}, CONTRADICTED),
    ("C29", {(TF2, "dckg-uncoupled"): {"trapped": 0}}, OPEN),
    ("C29", {(TF2, "dckg-uncoupled"): {"trapped": 0}, (TF2, "dckg"): {"trapped": 6}}, CONTRADICTED),
    ("C30", {("mystery", "dckg"): {"early": 0.0, "end": -2.0}}, CONTRADICTED),
    ("C31", {("mystery", "dckg"): {"early": -6.0, "end": -7.0}}, CONTRADICTED),
    ("C32", {("mystery", "dckg"): {"seconds": 0.05}}, CONTRADICTED),
    ("C32", {("mystery", "dckg"): {"seconds": 0.25}}, OPEN),
    ("C33", {("mystery", "cei+"): {"early": -4.0, "end": -6.0}}, CONTRADICTED),
    ("C34", {("mystery", "ckg"): {"near": 0.0}}, CONTRADICTED),
]


@pytest.mark.parametrize(("name", "changes", "verdict"), FALSE)
def test_false_claims_are_not(name, changes, verdict):
    evidence = Evidence(results_of(world(changes)), "default")
    details = {claim.id: claim for claim in CLAIMS}[name].check(evidence)
    assert outcome(details) == verdict, details


def test_every_claim_on_results_is_shown_to_fail():
    assert {name for name, _, _ in FALSE} == set(NAMES) - {"C35"}


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


def test_identities_are_computed(monkeypatch):
    monkeypatch.setattr(overall, "plain_kg", lambda gp, inner, x: np.full(len(x), 0.1))
    verdict = judge(Results([]))[-1]
    assert (verdict.id, verdict.verdict) == ("C35", CONTRADICTED)


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


def test_times_that_were_not_kept_are_no_data():
    made = [replace(trace, ask_seconds=np.full(len(trace.spent), np.nan)) for trace in results_of(world())]
    verdict = {verdict.id: verdict for verdict in judge(Results(made))}["C32"]
    assert verdict.verdict == "no data" and "times were not kept" in verdict.numbers


def test_preset_is_selected_and_no_other_stands_in():
    cells = {cell: replace(made, preset="paper") for cell, made in world().items()}
    assert {verdict.verdict for verdict in judge(results_of(cells), "paper")} == {"confirmed"}
    assert judge(results_of(cells))[0].verdict == "no data"
    pesc = {cell: replace(made, preset="default" if cell[1] == "pesc" else "paper") for cell, made in world().items()}
    found = {verdict.id: verdict.verdict for verdict in judge(results_of(pesc), "paper")}
    assert found["C1"] == found["C2"] == found["C30"] == "no data" and found["C3"] == "confirmed"


def test_arms_are_compared_up_to_the_smaller_budget():
    """To be at -5 with half of the budget is better than to be there with all of it."""
    short = Made(early=-3.0, end=-5.0, budget=80.0)
    cells = {("mystery", "dckg"): short, ("mystery", "cei+"): Made(early=-1.0, end=-5.0)}
    detail = Evidence(results_of(cells), "default").compare("mystery", FINAL, "dckg", "less", "cei+")
    assert detail.holds and detail.n == 12
    first, second = detail.numbers.split(" vs ")
    assert float(first) == pytest.approx(-5.0, abs=0.1) and float(second) > -3.0


def test_trace_that_ends_early_keeps_its_last_value():
    coupled = make("mystery-c=5", "cei", 0, Made(sets=COUPLED, jitter=0.0))
    assert coupled.spent[-1] == 156.0 and coupled.repetition.budget == 160.0
    assert statistics.final(coupled) == pytest.approx(np.log10(coupled.oc[-1]))


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


# --- The parts


def test_comparison_needs_medians_and_significance():
    low, high = np.arange(8.0), np.arange(8.0) + 1.0
    assert judged("a", "b", low, high, "less").holds and not judged("a", "b", low, high, "less").opposite
    assert judged("a", "b", low, high, "greater").opposite and not judged("a", "b", low, high, "greater").holds
    mixed = low + np.array([1.0, -1.0] * 4)
    found = judged("a", "b", mixed, low, "less")
    assert found == Detail("a", "b", "3.5 vs 3.5", found.p, 8, False, False) and found.p > 0.5


def test_comparison_with_a_size_is_decided_by_the_median():
    few = np.array([2.0, 4.0, 4.0, 4.0, 2.0])
    assert judged("a", "b", few, 3.0, "greater", significant=False).holds
    low = np.array([2.0, 2.0, 2.0, 2.0, 2.0])
    assert judged("a", "b", low, 3.0, "greater", significant=False).opposite
    assert not judged("a", "b", low, 3.0, "greater", significant=False, null=1.0).opposite


@pytest.mark.parametrize(("shift", "holds", "opposite"), [(0.2, True, False), (0.5, False, True), (-0.5, False, True)])
def test_comparable_is_a_factor_of_two(shift, holds, opposite):
    values = np.linspace(-5.0, -4.0, 9)
    detail = near("a", "b", values, values + shift)
    assert (detail.holds, detail.opposite) == (holds, opposite)


def test_trapped_runs_are_near_the_trap_and_bad():
    run = make(TF2, "dckg", 0, Made(sets=("f",), trapped=1))
    assert trapped(run, 160.0) == 1.0
    assert trapped(replace(run, oc=np.full(len(run.oc), 0.01)), 160.0) == 0.0
    there = np.tile(list(run.bench.solution.values()), (len(run.spent), 1))
    assert trapped(replace(run, recommended=there), 160.0) == 0.0


def test_coupled_decisions_count_by_the_set_that_won():
    """Four decisions per stretch: {f, c1} bought in two instalments, c3, {c1, c3} of which one is bought, c2."""
    run = make(TF2, "dckg", 0, Made(sets=("c1", "f", "c3", "c1", "c2"), budget=5.0))
    decided, point = run.decided.copy(), run.point.copy()
    decided[1] = [True, True, False, False]
    decided[4] = [False, True, False, True]
    point[2] = point[1]
    bought = replace(run, decided=decided, point=point)
    assert coupled_share(bought, 0.0, 5.0) == 0.5
    assert expected_share(bought, 0.0, 5.0) == 0.5
    assert coupled_share(bought, 0.0, 2.0) == 1.0  # the second instalment adds no decision
    assert coupled_share(run, 0.0, 5.0) == 0.0 and np.isnan(expected_share(run, 0.0, 5.0))


def test_points_near_the_recommendation_before():
    run = make("mystery", "ckg", 0, Made(near=1.0, budget=8.0))
    assert near_share(run, 8.0) == 1.0
    point = run.point.copy()
    point[1:3, 0] += 0.051 * 5.0  # beyond 5 % of the range of x1
    assert near_share(replace(run, point=point), 8.0) == 0.5
    assert near_share(run, 0.0) == 0.0
