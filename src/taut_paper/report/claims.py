"""The claims as the report shows them: verdicts with each preset side by side, and the comparisons behind them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taut_paper.claims.evidence import Detail
from taut_paper.claims.rules import PRESETS, Verdict, compare_presets, judge
from taut_paper.curves import title, words
from taut_paper.experiments import EXPERIMENTS
from taut_paper.report.tables import NONE, Table, cells, methods_of, probability, signed, small
from taut_paper.traces import Results

OUTCOMES = ("confirmed", "not confirmed", "contradicted", "no data")
REASONS = 2


@dataclass(frozen=True, slots=True)
class View:
    """A claim seen through one preset. rows: experiment, comparison, numbers, p, pairs, outcome."""

    preset: str
    verdict: str
    numbers: str
    rows: tuple[tuple[str, ...], ...]


def shown(verdicts: Mapping[str, Sequence[Verdict]]) -> list[tuple[Verdict, list[View]]]:
    """Every claim with its views. verdicts: by preset, the same claims in the same order."""
    claims = zip(*verdicts.values(), strict=True)
    return [(each[0], [_view(*pair) for pair in zip(verdicts, each, strict=True)]) for each in claims]


def _view(preset: str, verdict: Verdict) -> View:
    deciding = [detail for detail in verdict.details if not detail.informative]
    absent = [detail for detail in deciding if detail.missing]
    empty = len(absent) == len(deciding)
    numbers = _reasons(absent) if verdict.verdict == "no data" and absent else _named(verdict.numbers)
    rows = () if empty else tuple(_row(detail) for detail in verdict.details)
    return View(words(preset), verdict.verdict, numbers, rows)


def _reasons(absent: Sequence[Detail]) -> str:
    """What is missing, without saying it for each comparison."""
    found = list(dict.fromkeys(f"{_where(detail)}: {detail.numbers}" for detail in absent))
    more = f"; and {len(found) - REASONS} more" if len(found) > REASONS else ""
    return f"Missing: {'; '.join(found[:REASONS])}{more}."


def _row(detail: Detail) -> tuple[str, ...]:
    p = NONE if detail.p is None else probability(detail.p)
    return _where(detail), detail.what, detail.numbers, p, str(detail.n), _outcome(detail)


def _where(detail: Detail) -> str:
    """The experiment, or several of them, by title."""
    return "; ".join(title(name) for name in detail.where.split(", "))


def _named(numbers: str) -> str:
    """The line of numbers with titles instead of the names of experiments."""
    known = "|".join(re.escape(name) for name in sorted(EXPERIMENTS, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])({known})(?=[:,])", lambda found: title(found[1]), numbers)


def _outcome(detail: Detail) -> str:
    if detail.informative:
        return "for information"
    if detail.holds is None:
        return "no data"
    return "yes" if detail.holds else "opposite" if detail.opposite else "no"


def counts(verdicts: Mapping[str, Sequence[Verdict]]) -> list[tuple[str, list[int], int]]:
    """For each preset: how many claims have each verdict, and how many there are."""
    rows = []
    for preset, found in verdicts.items():
        counted = Counter(str(verdict.verdict) for verdict in found)
        rows.append((words(preset), [counted[name] for name in OUTCOMES], len(found)))
    return rows


def as_dicts(results: Results) -> list[dict[str, object]]:
    """The claims, judged with each preset, for JSON."""
    return [_as_dict(verdict, preset) for preset in PRESETS for verdict in judge(results, preset)]


def _as_dict(verdict: Verdict, preset: str) -> dict[str, object]:
    details = [
        {"experiment": each.where, "comparison": each.what, "numbers": each.numbers, "p": each.p, "pairs": each.n,
         "outcome": _outcome(each)}
        for each in verdict.details
    ]  # fmt: skip
    return {
        "id": verdict.id,
        "preset": preset,
        "verdict": verdict.verdict,
        "claim": verdict.claim,
        "numbers": verdict.numbers,
        "rule": verdict.rule,
        "details": details,
    }


def presets_table(results: Results) -> Table | None:
    """The library default against the paper's settings; None without enough common seeds."""
    rows = []
    order = methods_of(results)
    place = {name: i for i, name in enumerate(results.experiments)}
    for each in sorted(compare_presets(results), key=lambda each: (place[each.experiment], order.index(each.method))):
        rows.append(cells(
            title(each.experiment), each.method, str(each.n), small(each.oc_default), small(each.oc_paper),
            small(each.ratio), probability(each.oc_p), signed(each.auc_default), signed(each.auc_paper),
            probability(each.auc_p),
        ))  # fmt: skip
    if not rows:
        return None
    head = ("experiment", "method", "seeds", "default", "paper", "ratio", "p", "default", "paper", "p")
    groups = (("", 3), ("final OC, median", 4), ("mean log₁₀ OC, median", 3))
    caption = "Library default against preset paper, over common seeds. Ratio below 1: the library default ends better."
    return Table(caption, head, tuple(rows), groups, texts=2)
