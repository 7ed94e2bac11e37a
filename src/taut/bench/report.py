"""One page about all results: what was run, what came out, and what it says about the claims of the paper.

    write(load("bench-results"), "report.html")

The page needs nothing but itself; its figures are also written as files. The same results give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jinja2

from taut.bench import figures_files, report_headline, report_parts, report_tables
from taut.bench.claims import Verdict, compare_presets, judge, tensions
from taut.bench.curves import title, words
from taut.bench.report_parts import Picture
from taut.bench.report_tables import Cell, Table, probability, signed, small
from taut.bench.results import Results

TEMPLATE = "report.html.j2"
FIGURES = "figures"
JUDGED = ("default", "paper")
"""Presets that the claims are judged by."""
OUTCOMES = ("confirmed", "not confirmed", "contradicted", "no data")


@dataclass(frozen=True, slots=True)
class Written:
    """The page and the number of figures beside it."""

    page: Path
    figures: int


def write(results: Results, page: str | Path) -> Written:
    """Write the page, and its figures as SVG and PNG into `figures` beside it."""
    target = Path(page)
    parts = report_parts.sections(results)
    folder = target.parent / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, str] = {}
    for picture in (picture for part in parts for picture in part.pictures):
        whole = figures_files.svg(picture.figure, picture.name)
        (folder / f"{picture.name}.svg").write_text(whole, encoding="utf-8")
        (folder / f"{picture.name}.png").write_bytes(figures_files.png(picture.figure))
        drawn[picture.name] = figures_files.inline(whole, picture.caption)
    target.write_text(_page(results, parts, drawn), encoding="utf-8")
    return Written(target, len(drawn))


def _page(results: Results, parts: Sequence[report_parts.Section], drawn: dict[str, str]) -> str:
    verdicts = {preset: judge(results, preset) for preset in JUDGED}
    numbers = {picture.name: i for i, picture in enumerate(_pictures(parts), 1)}
    return _template().render(
        cards=report_headline.cards(results),
        run=report_tables.what_was_run(results),
        counts=_counts(verdicts),
        outcomes=OUTCOMES,
        auc=report_tables.auc_table(results, report_tables.presets_of(results)[0]),
        parts=[(part, _tables(results, part)) for part in parts],
        drawn=drawn,
        numbers=numbers,
        stuck=report_tables.stuck_table(results),
        cpu=report_tables.cpu_table(results),
        presets=[words(preset) for preset in JUDGED],
        claims=list(zip(*verdicts.values(), strict=True)),
        tensions={words(preset): tensions(found) for preset, found in verdicts.items()},
        settings=report_headline.settings(results),
        versions=report_headline.versions(results),
        commands=report_headline.commands(results),
        p=probability,
    )


def _pictures(parts: Sequence[report_parts.Section]) -> list[Picture]:
    return [picture for part in parts for picture in part.pictures]


def _tables(results: Results, part: report_parts.Section) -> list[Table]:
    """The open tables of a part; the one about presets comes from the claims."""
    table = presets_table(results) if part.id == "presets" else None
    return [*part.tables, table] if table else part.tables


def presets_table(results: Results) -> Table | None:
    """The library default against the paper's settings; None without enough common seeds."""
    rows = []
    for each in compare_presets(results):
        cells = (
            title(each.experiment), each.method, str(each.n), small(each.oc_default), small(each.oc_paper),
            small(each.ratio), probability(each.oc_p), signed(each.auc_default), signed(each.auc_paper),
            probability(each.auc_p),
        )  # fmt: skip
        rows.append(tuple(Cell(text) for text in cells))
    if not rows:
        return None
    head = ("experiment", "method", "seeds", "default", "paper", "ratio", "p", "default", "paper", "p")
    groups = (("", 3), ("final OC, median", 4), ("mean log₁₀ OC, median", 3))
    caption = "Library default against preset paper, over common seeds. Ratio below 1: the library default ends better."
    return Table(caption, head, tuple(rows), groups)


def _counts(verdicts: dict[str, list[Verdict]]) -> list[tuple[str, list[int], int]]:
    """For each preset: how many claims have each verdict, and how many there are."""
    rows = []
    for preset, found in verdicts.items():
        counted = Counter(verdict.verdict for verdict in found)
        rows.append((words(preset), [counted[name] for name in OUTCOMES], len(found)))
    return rows


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(TEMPLATE)
