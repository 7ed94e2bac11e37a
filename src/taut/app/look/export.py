"""A study as a table: one row for each suggestion, then one for each point measured elsewhere.

The columns are the parameters and the functions under their own names, and some that begin with taut_. A function that
was not evaluated, or failed, is empty; one that is known has its value in every row; taut_failed lists those that
failed, joined by '+'. taut_amended says what was replaced or withdrawn, by whom and when. taut_seconds_NAME is how long
the function NAME took, in all, and taut_setup_NAME how much of that went into a setup, in a study that has any.
"""

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from taut.app.studyfile.file import StudyFile
from taut.app.studyfile.text import reason, refused
from taut.base.errors import StudyFileError, listed
from taut.base.printable import printable
from taut.data import ledger
from taut.data.history import History
from taut.data.rows import Observation, Suggestion
from taut.problem.known import known
from taut.problem.problem import Problem

BEFORE = ("taut_suggestion", "taut_initial")
AFTER = ("taut_failed", "taut_cost", "taut_why", "taut_error", "taut_amended")
SECONDS, SETUP = "taut_seconds_", "taut_setup_"
"""Before the name of a function."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A spreadsheet computes a text that begins so, and it may come from anywhere; in CSV an apostrophe goes before it."""

Table = dict[str, list[Any]]
"""Columns by name, in order, all of the same length; None where there is nothing."""


def table(problem: Problem, history: History) -> Table:
    amended = _amended(history)
    lines = [
        _suggested(row, history.answers) | {"taut_amended": amended.get(row.number)} for row in history.suggestions
    ]
    lines += _measured(history.observations)
    lines = [line | _known(problem, line) for line in lines]
    parameters = [parameter.name for parameter in problem.parameters]
    times = [f"{SECONDS}{name}" for name in problem.functions]
    times += [f"{SETUP}{name}" for setup in problem.setups for name in setup.functions]
    names = [*BEFORE, *parameters, *problem.functions, *AFTER, *times]
    return {name: [line.get(name) for line in lines] for name in names}


def _known(problem: Problem, line: dict[str, Any]) -> dict[str, float]:
    """What known functions are at the point of a line, as far as they can be computed."""
    point = {parameter.name: line[parameter.name] for parameter in problem.parameters}
    values = {name: each.value(point) for name in problem.functions if (each := known(problem, name)) is not None}
    return {name: value for name, value in values.items() if value == value}


def write(file: StudyFile, history: History, target: str) -> int:
    """Write a study to a file by the end of its name, replacing the file as a whole; returns the number of rows."""
    kind = Path(target).suffix.lower()
    if kind not in WRITERS:
        expected, got = f"a file name that ends in {listed(WRITERS)}", repr(kind or "no such end")
        raise refused(repr(target), expected, got, "write for example -o study.csv")
    made = table(file.problem, history)
    content = WRITERS[kind](made)
    try:
        _replace(file, target, content)
    except (OSError, ValueError) as error:
        got, way_out = f"an error ({reason(error)})", "check the folder and its permissions, or give another name"
        raise refused(repr(target), "a file that can be written", got, way_out) from error
    return len(made[BEFORE[0]])


def _replace(file: StudyFile, target: str, content: bytes) -> None:
    place = Path(os.path.realpath(target))
    if place.exists() and not place.is_file():
        raise StudyFileError(f"{target!r}: expected the name of a file, got a folder or a device; give another name.")
    if place in (Path(os.path.realpath(file.path)), Path(os.path.realpath(file.study.storage))):
        raise StudyFileError(f"{target!r}: expected a file of its own, got that of the study; give another name.")
    half = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with half.open("xb") as out:
            out.write(content)
        os.replace(half, place)
    finally:
        half.unlink(missing_ok=True)


def _suggested(row: Suggestion, known: ledger.Answers) -> dict[str, Any]:
    answers = [known[row.number, name] for name in row.functions if (row.number, name) in known]
    first = {"taut_suggestion": row.number, "taut_initial": row.initial, "taut_cost": row.cost, "taut_why": row.note}
    return first | row.point | _values(answers)


def _amended(history: History) -> dict[int, str]:
    """By suggestion: what was replaced or withdrawn, by what, by whom and when."""
    found: dict[int, list[str]] = {}
    for row in history.observations:
        if row.replaces and row.suggestion is not None and row.who:
            before = _said(history.observations[row.replaces - 1])
            after = "open again" if row.withdrawn else _said(row)
            found.setdefault(row.suggestion, []).append(f"{row.function}: {before}, now {after} ({row.who})")
    return {number: "; ".join(texts) for number, texts in found.items()}


def _said(row: Observation) -> str:
    return "failed" if row.value is None else repr(row.value)


def _measured(observations: Sequence[Observation]) -> list[dict[str, Any]]:
    """Neighbours at the same point share a line, as they did when they were added."""
    lines: list[list[Observation]] = []
    for row in observations:
        if row.suggestion is not None:
            continue
        last = lines[-1] if lines else []
        if last and last[0].point == row.point and all(other.function != row.function for other in last):
            last.append(row)
        else:
            lines.append([row])
    return [dict(line[0].point) | _values(line) for line in lines]


def _values(answers: Sequence[Observation]) -> dict[str, Any]:
    failed = [row.function for row in answers if row.value is None]
    notes = [row.note for row in answers if row.note]
    times = {f"{SECONDS}{row.function}": row.seconds for row in answers}
    times |= {f"{SETUP}{row.function}": row.setup for row in answers}
    return (
        {row.function: row.value for row in answers if row.value is not None}
        | times
        | {
            "taut_failed": "+".join(failed) or None,
            "taut_error": "\n".join(notes) or None,
        }
    )


def _csv(made: Table) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(made)
    writer.writerows(map(_cell, cells) for cells in zip(*made.values(), strict=True))
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """A text without control characters, and none that a spreadsheet would take for a formula; all else as it is."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _json(made: Table) -> bytes:
    lines = [dict(zip(made, cells, strict=True)) for cells in zip(*made.values(), strict=True)]
    return (json.dumps(lines, indent=2, allow_nan=False) + "\n").encode()


def _kind(column: Sequence[Any]) -> str:
    """What a column holds: a text (of any option), whole numbers only, or numbers."""
    values = [value for value in column if value is not None]
    if any(isinstance(value, str) for value in values):
        return "text"
    return "whole" if values and all(isinstance(value, int) for value in values) else "number"


def _texts(column: Sequence[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in column]


def _parquet(made: Table) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise StudyFileError(
            "Parquet needs pyarrow, which is not installed; run pip install 'taut[parquet]', or write a .csv or .json "
            "file."
        ) from error
    text, fixed = pyarrow.string(), {"taut_suggestion": pyarrow.int64(), "taut_initial": pyarrow.bool_()}
    fixed |= dict.fromkeys(("taut_failed", "taut_why", "taut_error", "taut_amended"), text)
    kinds = {"text": text, "whole": pyarrow.int64(), "number": pyarrow.float64()}
    types = [(name, fixed.get(name, kinds[_kind(column)])) for name, column in made.items()]
    cells = {name: _texts(column) if _kind(column) == "text" else column for name, column in made.items()}
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(cells, schema=pyarrow.schema(types)), out)
    return out.getvalue()


WRITERS: dict[str, Callable[[Table], bytes]] = {".csv": _csv, ".json": _json, ".parquet": _parquet}
"""By the end of the file's name."""
