"""What the command `taut bench report` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from taut.base.errors import StorageError, TautError
from taut_paper.results import Results, load

PAGE = "report.html"
NEEDED = ("matplotlib", "jinja2")
PRESETS = ("default", "paper")
"""Presets that the claims are judged by."""


def write(folder: str | Path, page: str | Path | None = None) -> tuple[Path, int]:
    """Write the page about the results of a folder; returns its place and the number of figures beside it."""
    results = _some(folder)
    try:
        from taut_paper.report.page import write as write_page
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        raise TautError(
            f"The report needs {error.name}, which is not installed; run pip install 'taut[bench]'."
        ) from error
    written = write_page(results, Path(folder) / PAGE if page is None else page)
    return written.page, written.figures


def verdicts(folder: str | Path) -> list[dict[str, Any]]:
    """The claims, judged with each preset, for JSON."""
    from taut_paper.claims.rules import judge
    from taut_paper.report.claims import as_dict

    results = _some(folder)
    return [as_dict(verdict, preset) for preset in PRESETS for verdict in judge(results, preset)]


def _some(folder: str | Path) -> Results:
    """The results of a folder that has some."""
    results = load(folder)
    if not len(results):
        raise StorageError(
            f"Results {str(folder)!r}: expected finished repetitions, got none; wait for the first, or run "
            f"taut bench run --out {folder}."
        )
    return results
