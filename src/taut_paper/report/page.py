"""One page about all results: what was run, what came out, and what it says about the claims of the paper.

    write(load("bench-results"), "report.html")

The page needs nothing but itself; its figures are also written as files. The same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from taut_paper.claims.rules import PRESETS, judge, tensions
from taut_paper.curves import words
from taut_paper.figures import files
from taut_paper.report import claims, headline, parts, tables
from taut_paper.report.document import Content, document
from taut_paper.report.parts import Picture, Section
from taut_paper.traces import Results

FIGURES = "figures"


@dataclass(frozen=True, slots=True)
class Written:
    """The page and the number of figures beside it."""

    page: Path
    figures: int


def write(results: Results, page: str | Path) -> Written:
    """Write the page, and its figures as SVG and PNG into `figures` beside it."""
    target = Path(page)
    text, drawn = render(results)
    folder = target.parent / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    for picture, svg in drawn:
        (folder / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
        (folder / f"{picture.name}.png").write_bytes(files.png(picture.figure))
    target.write_text(text, encoding="utf-8")
    return Written(target, len(drawn))


def render(results: Results) -> tuple[str, list[tuple[Picture, str]]]:
    """The text of the page, and its pictures, each with its SVG."""
    sections = parts.sections(results)
    pictures = [picture for section in sections for picture in section.pictures]
    drawn = [(picture, files.svg(picture.figure, picture.name)) for picture in pictures]
    return _page(results, sections, {picture.name: files.inline(svg, picture.caption) for picture, svg in drawn}), drawn


def _page(results: Results, sections: Sequence[Section], drawn: dict[str, str]) -> str:
    verdicts = {preset: judge(results, preset) for preset in PRESETS}
    content = Content(
        cards=headline.cards(results),
        run=tables.what_was_run(results),
        counts=claims.counts(verdicts),
        auc=tables.auc_table(results, tables.presets_of(results)[0]),
        parts=sections,
        drawn=drawn,
        stuck=tables.stuck_table(results),
        conduct=tables.conduct_table(results),
        cpu=tables.cpu_table(results),
        claims=claims.shown(verdicts),
        tensions={words(preset): tensions(found) for preset, found in verdicts.items()},
        settings=headline.settings(results),
        versions=headline.versions(results),
        commands=headline.commands(results),
    )
    return document(content)
