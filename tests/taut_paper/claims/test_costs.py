"""Claims about functions of different cost, on results made so that they are false."""

import pytest
from synthetic_traces import CONTRADICTED, OPEN, TF2_SETS, verdict_on

from taut_paper.claims import costs

TF2 = "test_function_2"


# (claim, changes to the world in which all are true, verdict)
FALSE = [
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
]


@pytest.mark.parametrize(("name", "changes", "verdict"), FALSE)
def test_false_claims_are_not(name, changes, verdict):
    assert verdict_on(costs.CLAIMS, name, changes) == verdict


def test_every_claim_is_shown_to_fail():
    assert {name for name, _, _ in FALSE} == {claim.id for claim in costs.CLAIMS}
