"""Claims drawn from everything together, on results made so that they are false, and the identities."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import CONTRADICTED, OPEN, results_of, verdict_on, world

from taut_paper.claims import overall
from taut_paper.claims.rules import judge
from taut_paper.traces import Results, Trace

# (claim, changes to the world in which all are true, verdict)
FALSE = [
    ("C30", {("mystery", "dckg"): {"early": 0.0, "end": -2.0}}, CONTRADICTED),
    ("C31", {("mystery", "dckg"): {"early": -6.0, "end": -7.0}}, CONTRADICTED),
    ("C33", {("mystery", "cei+"): {"early": -4.0, "end": -6.0}}, CONTRADICTED),
]


@pytest.mark.parametrize(("name", "changes", "verdict"), FALSE)
def test_false_claims_are_not(name, changes, verdict):
    assert verdict_on(overall.CLAIMS, name, changes) == verdict


def test_every_claim_is_shown_to_fail():
    assert {name for name, _, _ in FALSE} == {claim.id for claim in overall.CLAIMS} - {"C35"}


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
