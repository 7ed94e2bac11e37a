"""Which statements of the paper on decoupled constraints do the results bear out?

    for verdict in judge(load("results")):
        print(verdict.id, verdict.verdict, verdict.numbers)

A claim is split into comparisons. It is confirmed if every one of them holds, contradicted if at least one of them
turns out significantly the other way round, not confirmed otherwise; if one of them lacks data there is no verdict.
What makes a single comparison hold is in evidence.py, the claims themselves are in the other files of this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from taut_paper import statistics
from taut_paper.claims import baseline, costs, overall, steps
from taut_paper.claims.evidence import FEWEST, Claim, Detail, Evidence
from taut_paper.traces import Results, Trace

__all__ = ["CLAIMS", "Detail", "PresetComparison", "Verdict", "compare_presets", "judge", "tensions"]

CLAIMS: tuple[Claim, ...] = tuple(
    sorted(
        (*baseline.CLAIMS, *costs.CLAIMS, *steps.CLAIMS, *overall.CLAIMS),
        key=lambda claim: int(claim.id[1:]),
    )
)
Outcome = Literal["confirmed", "not confirmed", "contradicted", "no data"]
PRESETS = ("default", "paper")
"""Presets that the claims are judged by."""
SHOWN = 4
"""Comparisons written out in the line of numbers; the details have them all."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim and what the results say about it."""

    id: str
    claim: str
    verdict: Outcome
    numbers: str
    """What decided, in one line."""
    details: tuple[Detail, ...]
    rule: str
    """How it was judged."""


def judge(results: Results, preset: str = "default") -> list[Verdict]:
    """All claims, judged by the runs with one preset."""
    evidence = Evidence(results, preset)
    return [_verdict(claim, tuple(claim.check(evidence))) for claim in CLAIMS]


def _verdict(claim: Claim, details: tuple[Detail, ...]) -> Verdict:
    return Verdict(claim.id, claim.claim, outcome(details), _line(details), details, claim.rule)


def outcome(details: Sequence[Detail]) -> Outcome:
    """The verdict from the comparisons that decide."""
    deciding = [detail for detail in details if not detail.informative]
    if not deciding or any(detail.missing for detail in deciding):
        return "no data"
    if any(detail.opposite for detail in deciding):
        return "contradicted"
    return "confirmed" if all(detail.holds for detail in deciding) else "not confirmed"


def _line(details: Sequence[Detail]) -> str:
    """All comparisons if they are few; otherwise how many hold, and the first of those that do not (or of all)."""
    deciding = [detail for detail in details if not detail.informative]
    if len(deciding) <= SHOWN:
        return "; ".join(map(_shown, deciding))
    kinds = {
        "against": [detail for detail in deciding if detail.opposite],
        "open": [detail for detail in deciding if detail.holds is False and not detail.opposite],
        "no data": [detail for detail in deciding if detail.missing],
    }
    if not any(kinds.values()):
        kinds = {"among them": deciding}
    parts = [f"{sum(bool(detail.holds) for detail in deciding)} of {len(deciding)} comparisons hold"]
    for kind, found in kinds.items():
        if found:
            more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            parts.append(f"{kind}: {'; '.join(map(_shown, found[:SHOWN]))}{more}")
    return ". ".join(parts)


def _shown(detail: Detail) -> str:
    p = "" if detail.p is None else f" (p = {detail.p:.2g})"
    return f"{detail.where}: {detail.what}: {detail.numbers}{p}"


_TENSIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("C9", "C15", "C27", "C4"),
        "dcKG is said to evaluate constraints more (C9) and the objective less often (C15) than cEI+, which never "
        "takes a coupled step. Yet coupled steps include the objective as the paper has them, and leaving them out is "
        "said to raise its share (C27); and on Mystery both methods are said to spend a large share on each function "
        "(C4).",
    ),
    (
        ("C22", "C9"),
        "dcKG is said to evaluate c2 much less than cEI+ (C22). Read literally, evaluating the constraints more than "
        "cEI+ (C9) would include c2; both can only be true if c1 and c3 together outweigh it.",
    ),
)


def tensions(verdicts: Sequence[Verdict]) -> list[str]:
    """Claims that pull against each other, each with the verdicts found here."""
    found = {verdict.id: verdict.verdict for verdict in verdicts}

    def seen(names: Sequence[str]) -> str:
        return ", ".join(f"{name} {found.get(name, 'no data')}" for name in names)

    return [f"{text} Here: {seen(names)}." for names, text in _TENSIONS]


# --- The library's default against the paper's settings


@dataclass(frozen=True, slots=True)
class PresetComparison:
    """One method on one experiment with both presets; medians over n common seeds, p of two-sided Wilcoxon tests."""

    experiment: str
    method: str
    n: int
    auc_default: float
    auc_paper: float
    auc_p: float
    oc_default: float
    """Final opportunity cost, floored."""
    oc_paper: float
    oc_p: float

    @property
    def ratio(self) -> float:
        """Median final OC with the default over that with the paper's settings: below 1, the default ends better."""
        return self.oc_default / self.oc_paper


def compare_presets(results: Results) -> list[PresetComparison]:
    """Every method that has runs with both presets, with at least five common seeds."""
    found = []
    for experiment in results.experiments:
        for arm in results.arms(experiment):
            pair = [results.traces(experiment, arm.method, preset) for preset in PRESETS]
            if arm.preset == "paper" and len(statistics.common_seeds(*pair)) >= FEWEST:
                found.append(_compared(experiment, arm.method, *statistics.paired(*pair)))
    return found


def _compared(experiment: str, method: str, default: list[Trace], paper: list[Trace]) -> PresetComparison:
    B = statistics.horizon(default, paper)
    area, paper_area = (np.array([statistics.auc(trace, B) for trace in arm]) for arm in (default, paper))
    end, paper_end = (np.array([statistics.final(trace, B) for trace in arm]) for arm in (default, paper))
    return PresetComparison(
        experiment=experiment,
        method=method,
        n=len(default),
        auc_default=float(np.median(area)),
        auc_paper=float(np.median(paper_area)),
        auc_p=statistics.wilcoxon(area, paper_area).p,
        oc_default=10.0 ** float(np.median(end)),
        oc_paper=10.0 ** float(np.median(paper_end)),
        oc_p=statistics.wilcoxon(end, paper_end).p,
    )
