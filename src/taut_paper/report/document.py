"""The page of experiments as HTML, in the frame and style of the page of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from taut.base.markup import Markup, joined, tag
from taut.plot.page.frame import contents, embedded, framed, styled
from taut_paper.claims.rules import Verdict
from taut_paper.report.claims import OUTCOMES, View
from taut_paper.report.headline import Card
from taut_paper.report.parts import Section
from taut_paper.report.tables import Cell, Table

CSS = "report.css"
TITLE = "Which constraints matter?"
SUBTITLE = "The experiments of “Bayesian Optimisation: Which Constraints Matter?”, run again with Taut"
READING = (
    "The opportunity cost (OC) of a recommendation is what its objective value falls short of the optimum, or a fixed "
    "large value if it is infeasible. Cost is counted after the initial design. The mean of log₁₀ OC over the budget "
    "is the area under the logarithmic curve: lower is faster. p: Wilcoxon's signed-rank test, paired by seed, "
    "two-sided, from five pairs on. Bold: the lowest median among the methods with the most seeds."
)
JUDGING = (
    "Each claim is split into comparisons. It is confirmed if all of them hold, contradicted if at least one is "
    "significantly the other way round, not confirmed otherwise; without enough runs there is no verdict."
)
AGAIN = (
    "The same seed gives the same initial design to all methods, and the same run again. Finished repetitions are "
    "kept, so the command goes on where it was stopped."
)
BADGES = {
    "confirmed": ("good", "✓"),
    "not confirmed": ("fair", "○"),
    "contradicted": ("poor", "✗"),
    "no data": ("absent", "–"),
}
COMPARED = ("experiment", "comparison", "numbers", "p", "pairs", "holds")
LONG, WIDE = 9, 9
"""Letters of a heading that may be broken, and columns of a table that is printed small."""


@dataclass(frozen=True, slots=True)
class Content:
    """All that the page shows. drawn: figures by name, as SVG."""

    cards: Sequence[Card]
    run: Table
    counts: Sequence[tuple[str, list[int], int]]
    auc: Table
    parts: Sequence[Section]
    drawn: Mapping[str, str]
    stuck: Table
    conduct: Table
    cpu: Table
    claims: Sequence[tuple[Verdict, list[View]]]
    tensions: Mapping[str, Sequence[str]]
    settings: Table
    versions: Sequence[tuple[str, str]]
    commands: Sequence[str]


def document(found: Content) -> str:
    """The page as one file."""
    sections = [
        ("run", "What was run", _table(found.run), False),
        ("summary", "Summary", _summary(found), False),
        *((part.id, part.title, _part(part, found), not _empty(part)) for part in found.parts),
        ("stuck", "Stuck runs, honesty, CPU time", joined(*map(_table, (found.stuck, found.conduct, found.cpu))), True),
        ("claims", "Claims of the paper", _claims(found), True),
        ("again", "Versions, settings, how to run it again", _again(found), True),
    ]
    top = tag("header", tag("h1", TITLE), tag("p", SUBTITLE, class_="sub"), contents(each[:2] for each in sections))
    body = [
        tag("section", tag("h2", title), inner, class_="part" if new_page else None, id=key)
        for key, title, inner, new_page in sections
    ]
    css = styled((Path(__file__).parent / CSS).read_text(encoding="utf-8"))
    return framed(f"{TITLE} The experiments, run again", embedded(css, drawn=True), tag("main", top, body))


def _badge(verdict: str) -> Markup:
    kind, sign = BADGES[verdict]
    return tag("span", f"{sign} {verdict}", class_=f"badge {kind}")


def _table(table: Table, words: bool = False) -> Markup:
    kinds = (("words", words), ("wide", len(table.head) > WIDE), ("two", table.texts > 1))
    groups = [tag("th", label, colspan=span) for label, span in table.groups]
    head = [tag("th", name, class_="long" if len(name) > LONG else None) for name in table.head]
    made = tag(
        "table",
        tag("caption", table.caption),
        [tag("colgroup", span=span) for _, span in table.groups],
        tag("thead", tag("tr", groups, class_="groups") if groups else None, tag("tr", head)),
        tag("tbody", [tag("tr", [tag("td", _cell(cell)) for cell in row]) for row in table.rows]),
        class_=" ".join(name for name, so in kinds if so) or None,
    )
    return joined(tag("div", made, class_="scroll"), tag("p", table.note, class_="note") if table.note else None)


def _cell(cell: Cell) -> Markup | str:
    return tag("b", cell.text) if cell.strong else cell.text


def _summary(found: Content) -> Markup:
    head = ["preset", *(_badge(name) for name in OUTCOMES), "claims"]
    rows = [(label, *counts, total) for label, counts, total in found.counts]
    made = tag(
        "table",
        tag("caption", "Claims of the paper, judged with each preset."),
        tag("thead", tag("tr", [tag("th", each) for each in head])),
        tag("tbody", [tag("tr", [tag("td", each) for each in row]) for row in rows]),
    )
    return joined(
        tag("div", [tag("div", tag("b", card.value), tag("small", card.label), class_="card") for card in found.cards],
            class_="cards"),
        tag("div", made, class_="scroll"),
        tag("p", tag("b", "How to read it."), " ", READING, class_="lead"),
        _table(found.auc),
    )  # fmt: skip


def _empty(part: Section) -> bool:
    return not (part.pictures or part.tables or part.folded)


def _part(part: Section, found: Content) -> Markup:
    numbers = {name: number for number, name in enumerate(found.drawn, 1)}
    figures = [
        tag(
            "figure",
            Markup(found.drawn[each.name]),
            tag("figcaption", tag("b", f"Figure {numbers[each.name]}."), " ", each.caption),
            id=each.name,
            class_="narrow" if each.narrow else None,
        )
        for each in part.pictures
    ]
    folded = tag("summary", "Medians, paired tests, stuck runs and CPU time of each experiment")
    missing = tag("p", f"Not run: {'; '.join(part.missing)}.", class_="missing") if part.missing else None
    return joined(
        tag("p", part.lead, class_="lead") if part.lead else None,
        tag("p", "Not run.") if _empty(part) else missing,
        figures,
        [_table(each) for each in part.tables],
        tag("details", folded, [_table(each) for each in part.folded], open=True) if part.folded else None,
    )


def _claims(found: Content) -> Markup:
    pulling = [
        tag("p", tag("b", f"{preset}:"), " ", text) for preset, texts in found.tensions.items() for text in texts
    ]
    return joined(
        tag("p", JUDGING, class_="lead"),
        [_claim(claim, views) for claim, views in found.claims],
        tag("h3", "Claims that pull against each other"),
        pulling,
    )


def _claim(claim: Verdict, views: Sequence[View]) -> Markup:
    seen = [
        [tag("dt", view.preset), tag("dd", _badge(view.verdict)), tag("dd", view.numbers, class_="numbers")]
        for view in views
    ]
    return tag(
        "article",
        tag("h3", tag("i", claim.id), claim.claim),
        tag("dl", seen),
        tag("details", tag("summary", "Rule and comparisons"), tag("p", claim.rule, class_="rule"), _compared(views)),
        class_="claim",
        id=claim.id,
    )


def _compared(views: Iterable[View]) -> Markup | None:
    bodies = [
        tag("tbody", tag("tr", tag("th", view.preset, colspan=len(COMPARED))), [_row(row) for row in view.rows])
        for view in views
        if view.rows
    ]
    head = tag("thead", tag("tr", [tag("th", each) for each in COMPARED]))
    return tag("div", tag("table", head, bodies, class_="comparisons"), class_="scroll") if bodies else None


def _row(texts: Iterable[str]) -> Markup:
    return tag("tr", [tag("td", tag("b", text) if text == "opposite" else text) for text in texts])


def _again(found: Content) -> Markup:
    return joined(
        tag("p", f"Made with {', '.join(f'{name} {version}' for name, version in found.versions)}."),
        _table(found.settings, words=True),
        tag("p", AGAIN),
        tag("pre", "".join(f"{line}\n" for line in found.commands)),
    )
