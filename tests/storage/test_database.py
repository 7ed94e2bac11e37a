"""The tables of a study: when they are created, and what happens if they are not as they should be."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
import toy

import taut
from taut.storage import open_storage
from taut.storage.base import Lease


def test_nothing_is_written_before_the_first_row(path: Path) -> None:
    storage = open_storage(path)
    assert (storage.load(), storage.rows(), str(storage)) == (None, ([], []), str(path))
    assert "got none" in toy.refusal(lambda: taut.Study.open(path))
    with pytest.raises(taut.StudyError):
        toy.study(storage=path, seed=-1)
    assert not path.exists()


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (id INTEGER)")
    connection.close()
    content = path.read_bytes()
    message = toy.refusal(lambda: toy.study(storage=path))
    assert "'bookmarks'" in message and "another path" in message
    assert path.read_bytes() == content


CHANGES = [
    "UPDATE observations SET point = '{x1: 3}'",
    "UPDATE observations SET point = '1, 2'",
    "UPDATE observations SET point = NULL",
    "UPDATE observations SET value = value + 1e-15 WHERE id = 2",
    "UPDATE observations SET value = 'a text' WHERE id = 2",
    "UPDATE observations SET note = CAST(x'22ff22' AS TEXT) WHERE id = 2",
    "UPDATE observations SET function = 'h' WHERE id = 1",
    "UPDATE suggestions SET memory = '[]'",
    "UPDATE suggestions SET cost = 2.0 WHERE number = 1",
    "UPDATE suggestions SET number = 7 WHERE number = 1",
    "DELETE FROM observations WHERE id = 2",
    "DELETE FROM suggestions WHERE number = 1",
    "UPDATE study SET settings = '{}'",
    "UPDATE study SET problem = replace(problem, '5.0', '6.0')",
]


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_rows_changed_by_somebody_else_are_noticed(path: Path, change: str, sealed: bool) -> None:
    """Sealed by a checksum. Rows of older versions have none, and only some changes can be seen; none is a crash."""
    toy.play(toy.study(storage=path, initial=4), 4)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")  # else NULL is refused
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'point TEXT NOT NULL', 'point TEXT')")
    connection.close()
    with sqlite3.connect(path) as connection:
        connection.execute(change)
        if not sealed:
            for table in ("study", "suggestions", "observations"):
                connection.execute(f"UPDATE {table} SET checksum = NULL")
    connection.close()
    try:
        study = taut.Study.open(path, toy.ToyPolicy())
        study.recommend()
        study.ask()
    except taut.StorageError as error:
        assert repr(str(path)) in str(error) and ("from a copy" in str(error) or "stored" in str(error))
    else:
        assert not sealed


def test_a_file_replaced_by_an_earlier_copy_is_read_anew(path: Path) -> None:
    study = toy.study(storage=path, initial=0)
    toy.play(study, 3)
    copy, counts = path.read_bytes(), study.counts
    toy.play(study, 3)
    assert study.counts != counts
    path.write_bytes(copy)
    assert [row.number for row in study.suggestions] == [1, 2, 3]
    assert study.counts == counts and study.ask().number == 4


def test_a_failed_statement_is_explained(path: Path) -> None:
    storage = open_storage(path)
    storage.create({}, {})
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE suggestions")
    connection.close()
    message = toy.refusal(storage.rows)
    assert "no such table: suggestions" in message and "Restore the file" in message


def test_a_clock_that_was_put_back_does_not_keep_a_lease_for_ever(place: str) -> None:
    storage = open_storage(place)
    storage.lease(1, ["f"], "a", 60.0, None)
    database = storage._database  # type: ignore[attr-defined]
    for ahead, living in ((50.0, True), (70.0, False)):
        shift = sa.text(f"UPDATE owners SET renewed = {database.backend.clock} + {ahead}")
        database.write(lambda connection, statement=shift: connection.execute(statement, database.backend.times()))
        assert storage.leases() == {(1, "f"): Lease("a", living)}


def test_leases_do_not_pile_up(path: Path) -> None:
    storage = open_storage(path)
    for number in (1, 2):
        for name in ("a", "b"):
            storage.lease(number, ["f"], name, 60.0, None)
            for _ in range(5):
                storage.renew(name, 60.0)
            storage.renew(name, 0.0)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT * FROM leases").fetchall() == [(1, "f", "b"), (2, "f", "b")]
        assert connection.execute("SELECT * FROM owners").fetchall() == []
    connection.close()


def test_leases_of_a_whole_study_do_not_pile_up(path: Path) -> None:
    toy.study(initial=4, storage=path).run(toy.FUNCTIONS, budget=20)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM leases WHERE suggestion > 0").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM owners").fetchone() == (0,)
    connection.close()
