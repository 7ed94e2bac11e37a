"""Rows as cells of a table and back.

Points, notes and the like are JSON; numbers are kept to the last bit. Each row has a checksum of its cells, because a
disk, a copy or another program may change what nobody was told about: SQLite itself keeps none.
"""

import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar, cast

from taut.data.rows import Observation, Suggestion

_JSON = {"point", "functions", "note", "memory"}

Row = TypeVar("Row", Suggestion, Observation)


class DamagedError(ValueError):
    """What is in a table was not written there by taut."""


def cells(row: Suggestion | Observation) -> dict[str, Any]:
    """The cells of a row by column, its checksum included."""
    found = {each.name: getattr(row, each.name) for each in fields(row)}
    return sealed({name: json.dumps(value) if name in _JSON else value for name, value in found.items()})


def sealed(found: Mapping[str, Any]) -> dict[str, Any]:
    """Cells with their checksum."""
    return {**found, "checksum": checksum(list(found.values()))}


def checksum(found: Sequence[object]) -> int:
    """Of cells in the order of their columns; tells 1 from 1.0, 0.0 from -0.0 and None from "None".

    Empty cells at the end do not count: rows of older versions lack the last columns.
    """
    last = len(found)
    while last and found[last - 1] is None:
        last -= 1
    return zlib.crc32("\x1f".join(map(repr, found[:last])).encode())


def check(found: Sequence[object], expected: object) -> int:
    """The checksum of cells. Raises DamagedError if it is not the expected one; rows of old versions expect None."""
    actual = checksum(found)
    if expected is not None and expected != actual:
        raise DamagedError("a row differs from its checksum")
    return actual


@dataclass(frozen=True, slots=True)
class Read(Generic[Row]):
    """Rows that were read from a place on, and how to know the last of them again."""

    rows: list[Row]
    last: int
    """Its place."""
    check: int
    """Its checksum."""


def read(kind: type[Row], found: Sequence[Sequence[Any]], after: int, known: int) -> Read[Row] | None:
    """The rows after the one at a place, whose checksum is known. None if that one is not there any more.

    found: the cells of each in the order of its fields, then its checksum and its place, from the known one on.
    """
    width = len(fields(kind))
    checks = [check(entries[:width], entries[width]) for entries in found]
    if after:
        if not found or found[0][-1] != after or checks[0] != known:
            return None
        found = found[1:]
    if not found:
        return Read([], after, known)
    return Read(_rows(kind, [entries[:width] for entries in found]), found[-1][-1], checks[-1])


def _rows(kind: type[Row], found: Sequence[Sequence[Any]]) -> list[Row]:
    names = [each.name for each in fields(kind)]
    columns = zip(names, zip(*found, strict=True), strict=True)
    decoded = [_decoded(column) if name in _JSON else column for name, column in columns]
    make = cast("Callable[..., Row]", kind)
    made = [make(*entries) for entries in zip(*decoded, strict=True)]
    if not all(map(_plausible, made)):
        raise DamagedError("a row holds something of another type")
    return made


def declared(problem: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a declaration."""
    return sealed({"problem": json.dumps(problem), "settings": json.dumps(settings)})


def declaration(problem: Any, settings: Any, expected: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `declared` was given."""
    check([problem, settings], expected)
    found = _decoded([problem, settings])
    if not all(isinstance(entry, dict) for entry in found):
        raise DamagedError("the declaration is no JSON object")
    return found[0], found[1]


def _decoded(texts: Sequence[Any]) -> list[Any]:
    """The JSON in each text, lists as tuples. Read in one go: most of the time would be spent on starting."""
    try:
        found: list[Any] = json.loads(f"[{','.join(texts)}]")
    except (TypeError, ValueError, RecursionError) as error:
        raise DamagedError("something else than JSON") from error
    if len(found) != len(texts):
        raise DamagedError("something else than JSON")
    return [tuple(entry) if isinstance(entry, list) else entry for entry in found]


def _plausible(row: Suggestion | Observation) -> bool:
    """Has it the types that its fields promise?"""
    sound = isinstance(row.point, dict) and all(map(_coordinate, row.point.values())) and isinstance(row.note, str)
    if isinstance(row, Observation):
        optional = all(each is None or _number(each) for each in (row.value, row.seconds, row.setup))
        return sound and isinstance(row.function, str) and optional and isinstance(row.who, str)
    functions = isinstance(row.functions, tuple) and all(isinstance(name, str) for name in row.functions)
    left = row.remaining is None or isinstance(row.remaining, float)
    return sound and functions and _number(row.cost) and left and isinstance(row.memory, dict)


def _coordinate(value: object) -> bool:
    """A number, or an option that is a text."""
    return isinstance(value, str) or _number(value)


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
