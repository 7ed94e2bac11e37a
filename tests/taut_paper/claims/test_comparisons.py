"""Claims on results made so that they are false: every kind of comparison is seen to fail."""

import pytest
from synthetic_traces import CONTRADICTED, OPEN, TF2_SETS, verdict_on

from taut_paper.claims import comparisons
from taut_paper.claims.rules import KINDS, claims

TF2 = "test_function_2"
ALIKE = {"early": -3.0, "end": -5.0}


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
    ("C30", {("mystery", "dckg"): {"early": 0.0, "end": -2.0}}, CONTRADICTED),
    ("C31", {("mystery", "dckg"): {"early": -6.0, "end": -7.0}}, CONTRADICTED),
    ("C33", {("mystery", "cei+"): {"early": -4.0, "end": -6.0}}, CONTRADICTED),
]


@pytest.mark.parametrize(("name", "changes", "verdict"), FALSE)
def test_false_claims_are_not(name, changes, verdict):
    assert verdict_on(name, changes) == verdict


def test_every_claim_is_shown_to_fail():
    mine = {
        claim.id for claim in claims() if all(KINDS[each["kind"]] in comparisons.KINDS for each in claim.comparisons)
    }
    assert {name for name, _, _ in FALSE} == mine
