"""Others are in the way: waiting for them, and giving up."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import toy

from taut.storage import transactions
from taut.storage.database import DatabaseStorage
from taut.storage.sqlite import SQLite
from taut.storage.transactions import Database


@contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Another program writes for a while."""
    holding, done = threading.Event(), threading.Event()

    def hold() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        holding.set()
        done.wait(seconds)
        connection.execute("ROLLBACK")
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert holding.wait(10)
    try:
        yield
    finally:
        done.set()
        holder.join()


@pytest.mark.parametrize("busy", [0.0, 5.0])
def test_a_locked_file_is_waited_for(path: Path, busy: float) -> None:
    study = toy.study(storage=DatabaseStorage(Database(SQLite(str(path), busy))))
    study.ask()
    with locked(path, 0.5):
        assert len(study.suggestions) == 1  # reading does not wait
        study.tell(1, {"f": 1.0})
    assert study.counts["f"] == 1


def test_a_file_that_stays_locked(path: Path) -> None:
    study = toy.study(storage=DatabaseStorage(Database(SQLite(str(path), busy=0.0), patience=0.2)))
    study.ask()
    with locked(path, 60.0):
        message = toy.refusal(lambda: study.tell(1, {"f": 1.0}))
    assert "kept it locked" in message and "try again" in message
    assert study.observations == ()


def test_a_long_wait_is_spoken_of(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(transactions, "SAY_SECONDS", 0.1)
    study = toy.study(storage=DatabaseStorage(Database(SQLite(str(path), busy=0.0))))
    study.ask()
    with locked(path, 0.6):
        study.tell(1, {"f": 1.0})
    (said,) = [record for record in caplog.records if record.name == "taut.storage"]
    assert "kept it locked" in said.getMessage() and "up to 60 s" in said.getMessage()


def test_what_a_driver_cannot_read_is_no_crash(path: Path) -> None:
    database = Database(SQLite(str(path)))
    database.backend.found()

    def undecodable(connection: object) -> None:
        b"\xa8".decode()

    assert "restore it from a copy" in toy.refusal(lambda: database.read(undecodable))
