"""The identities of the Knowledge Gradient."""

import numpy as np
from synthetic_traces import CONTRADICTED

from taut_paper.claims import identities
from taut_paper.claims.rules import judge
from taut_paper.traces import Results


def test_identities_are_computed(monkeypatch):
    monkeypatch.setattr(identities, "plain_kg", lambda gp, inner, x: np.full(len(x), 0.1))
    verdict = judge(Results([]))[-1]
    assert (verdict.id, verdict.verdict) == ("C35", CONTRADICTED)
