"""The tables of a study: when they are created, and what happens if they are not as they should be."""

import sqlite3
from pathlib import Path

import pytest
import toy

import taut
from taut.storage import open_storage
from taut.storage.base import Lease
from taut.storage.schema import owners


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


def test_rows_changed_by_hand_are_noticed(path: Path) -> None:
    study = toy.study(storage=path)
    toy.play(study, 2)
    for text in ("{x1: 3}", "1, 2"):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE observations SET point = ?", [text])
        connection.close()
        message = toy.refusal(study.recommend)
        assert repr(str(path)) in message and "from a copy" in message


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
    for ahead, living in ((50.0, True), (70.0, False)):
        database = storage._database  # type: ignore[attr-defined]
        renewed = owners.update().values(renewed=database.backend.now() + ahead)
        database.write(lambda connection, statement=renewed: connection.execute(statement))
        assert storage.leases() == {(1, "f"): Lease("a", living)}


def test_leases_do_not_pile_up(path: Path) -> None:
    storage = open_storage(path)
    for number in (1, 2):
        for owner in ("a", "b"):
            storage.lease(number, ["f"], owner, 60.0, None)
            for _ in range(5):
                storage.renew(owner, 60.0)
            storage.renew(owner, 0.0)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT * FROM leases").fetchall() == [(1, "f", "b"), (2, "f", "b")]
        assert connection.execute("SELECT * FROM owners").fetchall() == []
    connection.close()
