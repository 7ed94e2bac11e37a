"""Which statements of the paper on decoupled constraints do the results bear out?

    for verdict in judge(load("results")):
        print(verdict.id, verdict.verdict, verdict.numbers)

A claim is split into comparisons. It is confirmed if every one of them holds, contradicted if at least one of them
turns out significantly the other way round, not confirmed otherwise; if one of them lacks data there is no verdict.
What makes a single comparison hold is in evidence.py; the claims are in claims.toml, each with its comparisons.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from taut_paper import statistics
from taut_paper.claims import comparisons, identities, steps
from taut_paper.claims.evidence import FEWEST, LEVEL, Detail, Evidence, attempt, informative
from taut_paper.experiments import PARTS
from taut_paper.traces import Results, Trace

KINDS: dict[str, Callable[..., Detail]] = {
    kind.__name__: kind for kind in (*comparisons.KINDS, *steps.KINDS, *identities.KINDS)
}
Outcome = Literal["confirmed", "not confirmed", "contradicted", "no data"]
PRESETS = ("default", "paper")
"""Presets that the claims are judged by."""
SHOWN = 4
"""Comparisons written out in the line of numbers; the details have them all."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the methods, how it is judged, and the comparisons that decide it (see claims.toml)."""

    id: str
    claim: str
    rule: str
    comparisons: Sequence[Mapping[str, Any]]
    nowhere: bool = False
    """The claim is that none of its comparisons holds."""


@cache
def _declared() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))


def claims() -> list[Claim]:
    """All claims, by number."""
    return [Claim(name, **fields) for name, fields in _declared()["claims"].items()]


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
    return [_verdict(claim, tuple(check(claim, evidence))) for claim in claims()]


def _verdict(claim: Claim, details: tuple[Detail, ...]) -> Verdict:
    return Verdict(claim.id, claim.claim, outcome(details), _line(details), details, claim.rule)


def check(claim: Claim, evidence: Evidence) -> list[Detail]:
    """The comparisons of a claim."""
    details = [detail for declared in claim.comparisons for detail in _details(evidence, **declared)]
    return _turned(details) if claim.nowhere else details


def _details(evidence: Evidence, kind: str, decides: bool = True, **settings: str | list[str]) -> list[Detail]:
    statement = _declared()["statements"][kind]
    details = [
        attempt(each["where"], statement.format(**each), partial(KINDS[kind], evidence, **each))
        for each in _combinations(settings)
    ]
    return details if decides else informative(details)


def _combinations(settings: Mapping[str, str | list[str]]) -> Iterator[dict[str, str]]:
    """Settings with one member of each list; a part of the plan stands for its experiments."""
    lists = {name: value if isinstance(value, list) else [value] for name, value in settings.items()}
    plan = {name: part.experiments for name, part in PARTS.items()}
    lists["where"] = [experiment for name in lists["where"] for experiment in plan.get(name, (name,))]
    return (dict(zip(lists, chosen, strict=True)) for chosen in product(*lists.values()))


def _turned(details: Sequence[Detail]) -> list[Detail]:
    """None of them should hold: p stays that of the comparison, Holm's adjusted p decides about a contradiction."""
    p = np.array([1.0 if each.p is None else each.p for each in details])
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    found = zip(details, p >= LEVEL, adjusted < LEVEL, strict=True)
    return [
        each if each.missing else replace(each, what=f"not {each.what}", holds=bool(holds), opposite=bool(opposite))
        for each, holds, opposite in found
    ]


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


def tensions(verdicts: Sequence[Verdict]) -> list[str]:
    """Claims that pull against each other, each with the verdicts found here."""
    found = {verdict.id: verdict.verdict for verdict in verdicts}

    def seen(names: Sequence[str]) -> str:
        return ", ".join(f"{name} {found.get(name, 'no data')}" for name in names)

    return [f"{each['text']} Here: {seen(each['claims'])}." for each in _declared()["tensions"]]


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
        auc_p=statistics.wilcoxon(area, paper_area),
        oc_default=10.0 ** float(np.median(end)),
        oc_paper=10.0 ** float(np.median(paper_end)),
        oc_p=statistics.wilcoxon(end, paper_end),
    )
