"""Tables and pages in Markdown. Columns are padded, so that a table reads well in a terminal too."""

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from textwrap import fill

WIDTH = 118


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]], right: Collection[int] = ()) -> str:
    """A table; columns whose numbers are in `right` are flush right."""
    rows = [list(head), *([str(cell) for cell in line] for line in lines)]
    widths = [max(2, *(len(row[i]) for row in rows)) for i in range(len(head))]

    def padded(row: Sequence[str]) -> str:
        pairs = enumerate(zip(row, widths, strict=True))
        return f"| {' | '.join(cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in pairs)} |"

    rule = ["-" * (w - 1) + ":" if i in right else "-" * w for i, w in enumerate(widths)]
    return "\n".join([padded(rows[0]), padded(rule), *map(padded, rows[1:])])


def filled(text: str) -> str:
    """Paragraphs in lines of one width; tables, headings, pictures, lists and code as they are."""
    blocks = [block.strip("\n") for block in text.split("\n\n") if block.strip()]
    return "\n\n".join(map(_filled, blocks)) + "\n"


def _filled(block: str) -> str:
    return block if block.startswith(("#", "|", "!", "    ", "- ", "<!--")) else fill(" ".join(block.split()), WIDTH)


def put(page: Path, begin: str, text: str, end: str) -> None:
    """Replace what a page has between two marks, each in a line of its own."""
    between = re.compile(f"({re.escape(begin)}\n).*?(\n{re.escape(end)})", re.DOTALL)
    made, count = between.subn(lambda found: found[1] + text + found[2], page.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{page}: expected {begin!r} and {end!r} once, got them {count} times.")
    page.write_text(made, encoding="utf-8")
