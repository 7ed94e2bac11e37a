"""Claims about single decisions on results made so that they are false, and the numbers that they rest on."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import CONTRADICTED, OPEN, Made, make, results_of, verdict_on, world

from taut_paper.claims import steps
from taut_paper.claims.rules import KINDS, claims, judge
from taut_paper.claims.steps import coupled_share, expected_share, near_share, trapped
from taut_paper.traces import Results

TF2 = "test_function_2"


# (claim, changes to the world in which all are true, verdict)
FALSE = [
    ("C28", {(TF2, "dckg"): {"sets": ("f+c1", "c3"), "late": ("c1", "c3", "f+c1")}}, CONTRADICTED),
    ("C28", {(TF2, "dckg"): {"late": None}}, OPEN),  # never several functions together
    ("C28", {(TF2, "dckg"): {"late": ("c1+c3", "f")}}, CONTRADICTED),
    ("C29", {(TF2, "dckg-uncoupled"): {"trapped": 0}}, OPEN),
    ("C29", {(TF2, "dckg-uncoupled"): {"trapped": 0}, (TF2, "dckg"): {"trapped": 6}}, CONTRADICTED),
    ("C32", {("mystery", "dckg"): {"seconds": 0.05}}, CONTRADICTED),
    ("C32", {("mystery", "dckg"): {"seconds": 0.25}}, OPEN),
    ("C34", {("mystery", "ckg"): {"near": 0.0}}, CONTRADICTED),
]


@pytest.mark.parametrize(("name", "changes", "verdict"), FALSE)
def test_false_claims_are_not(name, changes, verdict):
    assert verdict_on(name, changes) == verdict


def test_every_claim_is_shown_to_fail():
    mine = {claim.id for claim in claims() if all(KINDS[each["kind"]] in steps.KINDS for each in claim.comparisons)}
    assert {name for name, _, _ in FALSE} == mine


def test_times_that_were_not_kept_are_no_data():
    made = [replace(trace, ask_seconds=np.full(len(trace.spent), np.nan)) for trace in results_of(world())]
    verdict = {verdict.id: verdict for verdict in judge(Results(made))}["C32"]
    assert verdict.verdict == "no data" and "times were not kept" in verdict.numbers


def test_trapped_runs_are_stuck_near_the_trap():
    run = make(TF2, "dckg", 0, Made(sets=("f",), trapped=1))
    assert trapped(run, 160.0) == 1.0
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
