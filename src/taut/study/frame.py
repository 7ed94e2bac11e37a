"""A study as a table of pandas, and such a table as values measured elsewhere.

| form | a row is | columns besides the parameters |
| --- | --- | --- |
| long | one evaluation | function, value, failed, cost, seconds, suggestion, initial, note |
| wide | one point | every function under its own name (known ones as computed), failed (names joined by +) |

A name that a parameter has already gets taut_ before it. pandas is imported when it is used.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from taut.base.errors import StudyError, ValueRefusedError, listed
from taut.base.numbers import shown
from taut.data import ledger
from taut.data.charges import charge, parts_of
from taut.data.designs import Designs, rewritten
from taut.data.history import History
from taut.data.rows import Observation
from taut.problem.discrete import Choice, Parameter
from taut.problem.known import Known
from taut.problem.problem import Problem
from taut.study import checks

LONG = ("function", "value", "failed", "cost", "seconds", "suggestion", "initial", "note")
ABOUT = ("suggestion", "cost", "initial", "note", "seconds")
"""Columns of a wide table that say nothing of a value; ignored."""
YES_NO = dict.fromkeys(("true", "yes", "1", "1.0"), True) | dict.fromkeys(("", "false", "no", "0", "0.0"), False)
"""What a failure is called, and what is none."""
MARK = " failed"
"""Of a wide table the column of failures; no function is called so."""


def pandas() -> Any:
    """The module; raises StudyError if it is not installed."""
    try:
        import pandas as found
    except ModuleNotFoundError as error:
        got, way_out = "none installed", "run pip install 'taut[pandas]'"
        raise StudyError.of("Study: tables", "pandas", got, way_out) from error
    return found


def long(problem: Problem, history: History) -> Any:
    """One row per evaluation that counts, in the order they came in; a failure has no value."""
    frame, name = pandas(), _names(problem, LONG)
    rows = ledger.counting(history.observations)
    costs = _costs(problem, history)
    columns: dict[str, Any] = {each: [row.point[each] for row in rows] for each in _parameters(problem)}
    columns[name["function"]] = [row.function for row in rows]
    columns[name["value"]] = [math.nan if row.value is None else row.value for row in rows]
    columns[name["failed"]] = [row.value is None for row in rows]
    columns[name["cost"]] = [costs.get((row.suggestion or 0, row.function), 0.0) for row in rows]
    columns[name["seconds"]] = [_seconds(row) for row in rows]
    columns[name["suggestion"]] = frame.array([row.suggestion for row in rows], dtype="Int64")
    columns[name["initial"]] = [_initial(history, row) for row in rows]
    columns[name["note"]] = [row.note or _note(history, row) for row in rows]
    return frame.DataFrame(columns)


def wide(problem: Problem, history: History) -> Any:
    """One row per point, in the order of its first evaluation; repeats at a point have rows of their own."""
    name = _wide_names(problem)
    formulas = [Known(problem, each) for each in problem.functions if each not in problem.simulated]
    lines: list[dict[str, Any]] = []
    met: dict[tuple[tuple[Any, ...], str], int] = {}
    at: dict[tuple[tuple[Any, ...], int], int] = {}
    for row in ledger.counting(history.observations):
        place = tuple(row.point[each] for each in _parameters(problem))
        turn = met.get((place, row.function), 0)
        met[place, row.function] = turn + 1
        key = place, turn
        if key not in at:
            at[key] = len(lines)
            known = {name[each.name]: each.value(row.point) for each in formulas}
            lines.append(dict(row.point) | known | {name[MARK]: ""})
        line = lines[at[key]]
        if row.value is None:
            line[name[MARK]] = "+".join(filter(None, (line[name[MARK]], row.function)))
        else:
            line[name[row.function]] = row.value
    columns = [*_parameters(problem), *(name[each] for each in problem.functions), name[MARK]]
    made = pandas().DataFrame(lines, columns=columns)
    return made.astype({name[each]: "float64" for each in problem.functions})


def elsewhere(
    problem: Problem, point: Mapping[str, Any] | Any, values: checks.Values | None, designs: Designs
) -> list[Observation]:
    """Values at a point that were measured elsewhere, or those of a table; in the digits of what is there."""
    if values is None and not isinstance(point, Mapping):
        found = rows(problem, point)
    else:
        where, checked = problem.check_point(point), checks.values(problem, values or {})
        found = [Observation(name, where, value) for name, value in checked.items()]
    return rewritten(problem, designs, found)


def rows(problem: Problem, table: object) -> list[Observation]:
    """The values in such a table; an empty cell is a gap, a failure is one that the table calls so."""
    if not hasattr(table, "columns") or not hasattr(table, "to_dict"):
        got = shown(table)
        raise ValueRefusedError.of("Study.add", "a point and values, or a table", got, "see study.to_pandas()")
    columns = [str(each) for each in table.columns]
    twice = sorted({each for each in columns if columns.count(each) > 1})
    if twice:
        got = f"{listed(twice)} more than once"
        raise ValueRefusedError.of("Table", "every column once", got, "rename or drop some")
    records: list[dict[Any, Any]] = table.to_dict("records")
    missing = [name for name in _parameters(problem) if name not in columns]
    if missing:
        raise ValueRefusedError.of("Table", "a column for each parameter", f"none for {listed(missing)}", "add them")
    long_names = _names(problem, LONG)
    is_long = long_names["function"] in columns and long_names["value"] in columns
    read = _from_long(long_names, records) if is_long else _from_wide(problem, columns, records)
    return [_row(problem, *found) for found in read]


Cell = tuple[Mapping[Any, Any], str, object, bool]
"""A line of a table, a function, its value there, and did it fail?"""


def _from_long(name: Mapping[str, str], records: Iterable[Mapping[Any, Any]]) -> Iterator[Cell]:
    for line in records:
        failed = _true(name["failed"], line.get(name["failed"]))
        if failed or not _empty(line[name["value"]]):
            yield line, str(line[name["function"]]), line[name["value"]], failed


def _from_wide(problem: Problem, columns: list[str], records: Iterable[Mapping[Any, Any]]) -> Iterator[Cell]:
    name = _wide_names(problem)
    known = {name[each]: each for each in problem.simulated}
    others = {*_parameters(problem), *(name[each] for each in problem.functions), name[MARK], *ABOUT}
    strange = [each for each in columns if each not in known and each not in others]
    if strange or not any(name[each] in columns for each in problem.functions):
        way_out = "rename or drop columns"
        got = listed(strange) if strange else "no function"
        raise ValueRefusedError.of("Table", f"columns of parameters and of {listed(problem.functions)}", got, way_out)
    for line in records:
        failed = _named(problem, name[MARK], line.get(name[MARK]))
        for column, function in known.items():
            if function in failed or not _empty(line.get(column)):
                yield line, function, line.get(column), function in failed


def _row(problem: Problem, line: Mapping[Any, Any], function: str, value: Any, failed: bool) -> Observation:
    checked = checks.values(problem, {function: None if failed else value})
    point = problem.check_point({each.name: _cell(each, line[each.name]) for each in problem.parameters})
    return Observation(function, point, checked[function])


def _cell(parameter: Parameter, value: object) -> object:
    """Of a choice between numbers and texts, a table that comes out of a file has texts only."""
    return parameter.parsed(value) if isinstance(parameter, Choice) and isinstance(value, str) else value


def _names(problem: Problem, names: Iterable[str]) -> dict[str, str]:
    """What the columns are called."""
    taken = _parameters(problem)
    return {name: f"taut_{name}" if name in taken else name for name in names}


def _wide_names(problem: Problem) -> dict[str, str]:
    made = _names(problem, problem.functions)
    taken = {*made.values(), *_parameters(problem)}
    return made | {MARK: next(each for each in ("failed", "taut_failed", "taut_failures") if each not in taken)}


def _parameters(problem: Problem) -> list[str]:
    return [each.name for each in problem.parameters]


def _costs(problem: Problem, history: History) -> dict[tuple[int, str], float]:
    """Of every answer its share of what its suggestion cost: a group or setup is shared by those told of it."""
    found: dict[tuple[int, str], float] = {}
    for suggestion in history.suggestions:
        spent = charge(problem, suggestion, history.answers).spent
        for part in parts_of(problem):
            told = [name for name in part.functions if (suggestion.number, name) in history.answers]
            for name in told if part.name in spent else ():
                key = suggestion.number, name
                found[key] = found.get(key, 0.0) + spent[part.name] / len(told)
    return found


def _seconds(row: Observation) -> float:
    return math.nan if row.seconds is None else row.seconds


def _initial(history: History, row: Observation) -> bool:
    asked = None if row.suggestion is None else history.find(row.suggestion)
    return asked is not None and asked.initial


def _note(history: History, row: Observation) -> str:
    asked = None if row.suggestion is None else history.find(row.suggestion)
    return "" if asked is None else asked.note


def _empty(cell: object) -> bool:
    """Is there nothing in a cell? None, NaN and the missing value of pandas are nothing."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


def _named(problem: Problem, column: str, cell: object) -> set[str]:
    """The functions that failed at a point, joined by +; a column of a wide table."""
    if _empty(cell) or (not isinstance(cell, str) and not cell):
        return set()
    found = {each.strip() for each in str(cell).split("+")} - {""}
    if not found <= set(problem.functions):
        expected = f"names of functions that failed, joined by + ({listed(problem.functions)})"
        raise ValueRefusedError.of(f"Table: {column}", expected, shown(cell), "write for example 'f+c', or nothing")
    return found


def _true(column: str, cell: object) -> bool:
    """Did it fail? As pandas has it, or as a spreadsheet writes it; a column of a long table."""
    if _empty(cell):
        return False
    said = YES_NO.get(str(cell).strip().lower())
    if said is None:
        raise ValueRefusedError.of(f"Table: {column}", "True or False", shown(cell), "put reasons into the column note")
    return said
