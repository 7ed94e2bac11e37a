"""Rows as cells and back, and cells that somebody changed."""

import dataclasses
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.storage import records
from taut.storage.records import DamagedError

ASKED = taut.Suggestion(3, {"x": 0.1, "y": -0.0}, ("f", "c"), 1.5, "why", 7, True, 2.5, {"a": [1, {"b": 0.1}]})
TOLD = taut.Observation("f", {"x": 0.1, "y": 5e-324}, 0.30000000000000004, 3, "größer\x00\ud800")


def cells_of(row: taut.Suggestion | taut.Observation, place: int = 1) -> list[Any]:
    return [*records.cells(row).values(), place]


@pytest.mark.parametrize("row", [ASKED, TOLD, dataclasses.replace(TOLD, value=None, suggestion=None)])
def test_a_row_comes_back(row: Any) -> None:
    read = records.read(type(row), [cells_of(row, 5)], 0, 0)
    assert read is not None and repr(read.rows) == repr([row]) and read.last == 5


def test_rows_after_a_known_one() -> None:
    rows = [dataclasses.replace(TOLD, value=float(k)) for k in range(4)]
    found = [cells_of(row, k + 10) for k, row in enumerate(rows)]
    first = records.read(taut.Observation, found[:2], 0, 0)
    assert first is not None and (first.rows, first.last) == (rows[:2], 11)
    then = records.read(taut.Observation, found[1:], first.last, first.check)
    assert then is not None and (then.rows, then.last) == (rows[2:], 13)
    nothing = records.read(taut.Observation, found[3:], then.last, then.check)
    assert nothing == records.Read([], then.last, then.check)


def test_a_known_row_that_is_not_there_any_more() -> None:
    found = [cells_of(dataclasses.replace(TOLD, value=float(k)), k + 1) for k in range(3)]
    first = records.read(taut.Observation, found[:2], 0, 0)
    assert first is not None
    for other in ([], found[2:], [cells_of(TOLD, 2)]):
        assert records.read(taut.Observation, other, first.last, first.check) is None


@given(st.integers(0, 2**32), st.sampled_from([ASKED, TOLD]))
def test_any_changed_cell_is_noticed(seed: int, row: Any) -> None:
    rng = random.Random(seed)
    cells = cells_of(row)
    k = rng.randrange(len(cells) - 2)
    cells[k] = changed(cells[k], rng)
    with pytest.raises(DamagedError):
        records.read(type(row), [cells], 0, 0)


def changed(cell: Any, rng: random.Random) -> Any:
    """As a flipped bit would: another character, another number, another type."""
    if isinstance(cell, str):
        if not cell:
            return rng.choice(["x", None, 3])
        k = rng.randrange(len(cell))
        return rng.choice([cell[:k] + chr(ord(cell[k]) ^ 1) + cell[k + 1 :], cell[:-1], None, 3])
    return rng.choice([None if cell is not None else 0, "x", b"\xff", 1e300, 7 if isinstance(cell, bool) else not cell])


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [
        (taut.Observation, "point", "[1.0]"),
        (taut.Observation, "point", '{"x": [1]}'),
        (taut.Observation, "point", "nonsense"),
        (taut.Observation, "point", None),
        (taut.Observation, "value", "1.0"),
        (taut.Observation, "function", None),
        (taut.Observation, "note", "3"),
        (taut.Suggestion, "functions", '{"f": 1}'),
        (taut.Suggestion, "functions", "[1]"),
        (taut.Suggestion, "memory", "[]"),
        (taut.Suggestion, "cost", None),
        (taut.Suggestion, "remaining", "2"),
    ],
)
def test_rows_of_old_versions_have_at_least_the_right_types(kind: Any, name: str, wrong: Any) -> None:
    cells = records.cells(ASKED if kind is taut.Suggestion else TOLD) | {name: wrong, "checksum": None}
    with pytest.raises(DamagedError):
        records.read(kind, [[*cells.values(), 1]], 0, 0)


def test_a_declaration_comes_back_or_is_damaged() -> None:
    cells = list(records.declared({"a": [1]}, {"seed": 3}).values())
    assert records.declaration(*cells) == ({"a": [1]}, {"seed": 3})
    for wrong in ([cells[0].replace("1", "2"), *cells[1:]], [json.dumps([1]), cells[1], None], ["{", "}", None]):
        with pytest.raises(DamagedError):
            records.declaration(*wrong)
