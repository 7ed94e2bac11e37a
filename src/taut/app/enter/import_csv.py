"""Values measured before a study began, from a CSV file into the study: all of them, or none.

The first line names the columns: every parameter, and at least one function. An empty cell was not measured, `fail`
says that the function failed there. Columns that begin with taut_ are those of an export; taut_failed lists failures,
taut_seconds_NAME says how long the function NAME took.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from taut.app.studyfile.file import StudyFile, open_study
from taut.app.studyfile.keys import RESERVED, naming
from taut.app.studyfile.text import read_text, refused
from taut.base.errors import StudyFileError, listed, way_out
from taut.base.numbers import from_text, shown, typed
from taut.data.designs import rewritten
from taut.data.rows import Observation
from taut.problem.discrete import Choice, Parameter
from taut.problem.problem import Problem
from taut.storage import open_storage
from taut.storage.leases import asking
from taut.study.study import Study

LARGEST_FILE = 20_000_000
"""Bytes."""
FAILED = f"{RESERVED}failed"
TIMES = f"{RESERVED}seconds_", f"{RESERVED}setup_"
"""Columns of times, before the name of a function."""


@dataclass(frozen=True, slots=True)
class Line:
    """The values of one line of a file."""

    number: int
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """What was done with a file. lines: with new values; skipped: with values that the study had already."""

    lines: int
    values: int
    failures: int
    skipped: int


def read(path: str, problem: Problem) -> list[Line]:
    """The lines of a file that hold at least one value, each checked."""
    text = read_text(path, LARGEST_FILE, "a table (CSV)", "its first line names the columns")
    rows = _rows(path, text)
    first, header = next(rows, (1, []))
    names = [name.strip() for name in header]
    _check_header(path, first, names, problem)
    found = [Line(line, tuple(_observations(f"{path!r}, line {line}", names, cells, problem))) for line, cells in rows]
    lines = [line for line in found if line.observations]
    if not lines:
        hint = "write the parameters and what was measured, one point in each line"
        raise refused(repr(path), "at least one line with a value below the names of the columns", "none", hint)
    return lines


def add(path: str, file: StudyFile, new_only: bool) -> Added:
    """Add what a table holds to the study of a file. What is there already is refused, or left out if new_only."""
    lines = read(path, file.problem)  # before a study is created for nothing
    storage = open_storage(file.study.storage)
    study = open_study(file, storage)
    _new(path, lines, study, new_only)  # refused without a trace
    with asking(storage):  # whoever adds the same file at this moment comes after us and finds it there
        fresh, repeated = _new(path, lines, study, new_only)
        rows = [row for line in fresh for row in line.observations]
        storage.add_observations(rows)
    failures = sum(row.value is None for row in rows)
    return Added(len(fresh), len(rows) - failures, failures, len(repeated))


def _new(path: str, lines: Sequence[Line], study: Study, new_only: bool) -> tuple[list[Line], list[int]]:
    """The lines with what is new in them, and the numbers of those that repeat something; raises unless new_only."""
    history = study.history
    rows = iter(rewritten(study.problem, history.designs, [row for line in lines for row in line.observations]))
    lines = [Line(line.number, tuple(islice(rows, len(line.observations)))) for line in lines]
    fresh, repeated = _split(lines, {_key(row) for row in history.observations})
    if repeated and not new_only:
        raise StudyFileError(
            f"{path!r}: {len(repeated)} of {len(lines)} lines hold values that are in the study already, the first is "
            f"line {repeated[0]}; nothing was added; leave these lines out, or use --new-only to add the rest."
        )
    return fresh, repeated


def _key(row: Observation) -> tuple[object, ...]:
    return (row.function, tuple(row.point.items()), row.value)


def _split(lines: Sequence[Line], known: set[tuple[object, ...]]) -> tuple[list[Line], list[int]]:
    """The lines with their new values only, and the numbers of those that had an old one; `known` takes up the new."""
    fresh, repeated = [], []
    for line in lines:
        new = tuple(row for row in line.observations if _key(row) not in known)
        if len(new) < len(line.observations):
            repeated.append(line.number)
        if new:
            fresh.append(Line(line.number, new))
        known.update(_key(row) for row in new)
    return fresh, repeated


def _rows(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """(number of the line, cells) of every line that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        where, got = f"{path!r}, line {reader.line_num}", f"something else ({error})"
        raise refused(where, "cells separated by commas", got, "check the quotation marks") from error


def _check_header(path: str, line: int, header: list[str], problem: Problem) -> None:
    parameters = [parameter.name for parameter in problem.parameters]
    known = [*parameters, *problem.functions]
    where = f"{path!r}, line {line}"
    if not header:
        example = ",".join([*parameters, *(problem.simulated or problem.functions)])
        expected, hint = "the names of the columns in the first line", f"write for example {example}"
        raise refused(repr(path), expected, "an empty file", hint)
    for name in header:
        if name not in known and not name.startswith(RESERVED):
            hint = "separate the cells by commas" if len(header) == 1 and ";" in name else way_out(name, known)
            raise refused(where, f"columns named {listed(known)}", shown(name), hint)
        if header.count(name) > 1:
            raise refused(where, "each column once", f"{shown(name)} twice", "leave one out")
    lacking = [name for name in parameters if name not in header]
    wanted = problem.simulated or problem.functions  # values of the others are known
    if lacking or not set(header) & set(wanted):
        expected = f"a column for each of {listed(parameters)} and at least one of {listed(wanted)}"
        got = f"a table without {listed(lacking) if lacking else 'any of these functions'}"
        raise refused(where, expected, got, "add it")


def _observations(where: str, names: list[str], cells: list[str], problem: Problem) -> Iterator[Observation]:
    if len(cells) != len(names):
        hint = "a cell that was not measured is empty, and a decimal point is a dot"
        raise refused(where, f"{len(names)} cells, as in the first line", str(len(cells)), hint)
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    failed = {name for name in row.get(FAILED, "").split("+") if name}
    for name in failed.difference(problem.functions):
        expected, hint = "names of functions joined by '+'", f"this study has {listed(problem.functions)}"
        raise refused(f"{where}, column {FAILED!r}", expected, shown(name), hint)
    point = {each.name: _parameter(where, each, row[each.name]) for each in problem.parameters}
    for name in problem.simulated:  # what is known is in an exported table, too
        text = row.get(name, "")
        if text or name in failed:
            value = _value(f"{where}, column {name!r}", text, name in failed)
            seconds, setup = (_time(where, f"{column}{name}", row) for column in TIMES)
            yield Observation(name, dict(point), value, seconds=seconds, setup=setup)


def _time(where: str, column: str, row: Mapping[str, str]) -> float | None:
    text = row.get(column, "")
    if not text:
        return None
    seconds, hint = from_text(text), "leave the cell empty if nobody measured it"
    if seconds is None or seconds < 0.0:
        raise refused(f"{where}, column {column!r}", "a number of seconds, 0 or more", shown(text), hint)
    return seconds


def _parameter(line: str, declared: Parameter, text: str) -> Any:
    where, value = f"{line}, column {declared.name!r}", declared.parsed(text)
    if not text or value is None:
        got = shown(text) if text else "an empty cell"
        expected = "one of its options" if isinstance(declared, Choice) else "a number with a decimal dot"
        raise refused(where, expected, got, "every point needs it")
    with naming(where):
        return declared.check(value)


def _value(where: str, text: str, failed: bool) -> float | None:
    if failed and text not in ("", "fail"):
        expected = f"an empty cell, because {FAILED!r} says that it failed"
        raise refused(where, expected, shown(text), "leave out one of them")
    if failed or text == "fail":
        return None
    hint = "leave the cell empty if it was not measured, or write fail if it failed"
    return typed(where, text, StudyFileError, "a number with a decimal dot", hint, "fail if it failed")


def sentence(added: Added) -> str:
    """What was done, in words."""
    failures = f" and {_plural(added.failures, 'failure')}" if added.failures else ""
    skipped = f"; {_plural(added.skipped, 'line')} held values that were there already" if added.skipped else ""
    return f"added {_plural(added.values, 'value')}{failures} from {_plural(added.lines, 'line')}{skipped}"


def _plural(n: int, word: str) -> str:
    return f"{n} {word}{'s' * (n != 1)}"
