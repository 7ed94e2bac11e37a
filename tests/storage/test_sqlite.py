"""Studies in a file: what is created, and what a user reads when something is wrong."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import toy

import taut
from taut.storage import open_storage
from taut.storage.sqlite import SQLite


def test_a_study_is_one_file(path: Path) -> None:
    study = toy.study(storage=path)
    toy.play(study, 3)
    assert [each.name for each in path.parent.glob(path.name + "*")] == [path.name]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        toy.study(storage=path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_path_may_hold_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "a b%20?#ü'\".db"
    toy.play(toy.study(storage=path), 2)
    assert path.exists()
    assert len(taut.Study.open(path, toy.ToyPolicy()).suggestions) == 2


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = toy.study(storage="here.db")
    monkeypatch.chdir("/")
    study.ask()
    assert len(taut.Study.open(tmp_path / "here.db", toy.ToyPolicy()).suggestions) == 1


def test_an_empty_file_is_as_good_as_none(path: Path) -> None:
    path.touch()
    assert open_storage(path).load() is None
    assert toy.study(storage=path).ask().number == 1


def test_what_is_no_place(tmp_path: Path) -> None:
    lost = tmp_path / "no" / "x.db"
    message = toy.refusal(lambda: toy.study(storage=lost))
    assert str(lost) in message and "create it first" in message
    assert "got a folder" in toy.refusal(lambda: toy.study(storage=tmp_path))
    for wrong in ("", ":memory:"):
        assert "storage=None" in toy.refusal(lambda wrong=wrong: toy.study(storage=wrong))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04" + b"x" * 5000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_is_no_database_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    message = toy.refusal(lambda: toy.study(storage=path))
    assert repr(str(path)) in message and "written by taut" in message and "another path" in message
    assert path.read_bytes() == content


def test_a_file_that_was_moved_away_does_not_come_back_empty(path: Path) -> None:
    study = toy.study(storage=path)
    path.rename(path.with_suffix(".moved"))
    assert repr(str(path)) in toy.refusal(study.ask)
    assert not path.exists()


@contextmanager
def as_nobody() -> Iterator[Path]:
    """A folder of its own, seen by a user without special rights (root may write anywhere)."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    try:
        if root:
            os.chown(folder, 65534, -1)
            os.seteuid(65534)
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o700)
        shutil.rmtree(folder)


def test_an_unwritable_folder(path: Path) -> None:
    toy.study(storage=path).ask()  # imports what it needs while it may
    with as_nobody() as folder:
        folder.chmod(0o500)
        message = toy.refusal(lambda: toy.study(storage=folder / "x.db"))
        assert str(folder / "x.db") in message and "Permission denied" in message and "another path" in message
        assert list(folder.iterdir()) == []


def test_an_unwritable_file(path: Path) -> None:
    toy.study(storage=path).ask()
    content = path.read_bytes()
    with as_nobody() as folder:
        copy = folder / "x.db"
        copy.write_bytes(content)
        copy.chmod(0o400)
        study = toy.study(storage=copy)  # may be looked at
        assert len(study.suggestions) == 1
        for action in (study.ask, lambda: study.tell(1, {"f": 1.0})):
            message = toy.refusal(action)
            assert "readonly" in message and "Change the permissions" in message
        copy.chmod(0o000)
        assert "Permission denied" in toy.refusal(lambda: toy.study(storage=copy))


def test_a_read_only_copy_may_be_looked_at(path: Path) -> None:
    """A folder on a backup, or of somebody else: SQLite may write nothing beside the file."""
    toy.play(toy.study(storage=path), 3)
    content = path.read_bytes()
    with as_nobody() as folder:
        copy = folder / "x.db"
        copy.write_bytes(content)
        copy.chmod(0o400)
        folder.chmod(0o500)
        study = taut.Study.open(copy, toy.ToyPolicy())
        assert len(study.suggestions) == 3 and study.recommend().note == "best seen"
        assert "readonly" in toy.refusal(study.ask)
        assert "readonly" in toy.refusal(study.require_writable)
        assert [each.name for each in folder.iterdir()] == ["x.db"]


def test_a_read_only_copy_without_its_log_is_not_taken_for_the_whole(path: Path) -> None:
    study = toy.study(storage=path)
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM study").fetchall()
    study.ask()  # stays in the log while somebody reads
    content, log = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    reader.close()
    with as_nobody() as folder:
        (folder / "x.db").write_bytes(content)
        (folder / "x.db-wal").write_bytes(log)
        folder.chmod(0o500)
        message = toy.refusal(lambda: taut.Study.open(folder / "x.db", toy.ToyPolicy()))
        assert "two more files" in message
        folder.chmod(0o700)
        assert len(taut.Study.open(folder / "x.db", toy.ToyPolicy()).suggestions) == 1


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """While disk["full"], no file grows."""
    state, connect = {"full": False}, SQLite._connect

    def limited(self: SQLite) -> sqlite3.Connection:
        connection = connect(self)
        if state["full"]:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count={max(1, pages)}")
        return connection

    monkeypatch.setattr(SQLite, "_connect", limited)
    return state


def test_a_full_disk_keeps_all_or_nothing(path: Path, disk: dict[str, bool]) -> None:
    study = toy.study(storage=path, initial=100)
    study.ask()
    disk["full"] = True
    kept = 1
    with pytest.raises(taut.StorageError, match="disk is full.*Free some space"):
        for _ in range(99):
            study.ask()
            kept += 1
    assert [row.number for row in study.suggestions] == list(range(1, kept + 1))
    with pytest.raises(taut.StorageError, match="disk is full"):
        study.tell(1, {"f": 1.0, "c": 1.0, "g": None}, note="x" * 10000)
    assert study.observations == ()
    disk["full"] = False
    study.tell(1, {"f": 1.0, "c": 1.0})
    assert study.ask().number == kept + 1
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


def test_a_disk_that_is_full_from_the_start(path: Path, disk: dict[str, bool]) -> None:
    disk["full"] = True
    assert "disk is full" in toy.refusal(lambda: toy.study(storage=path))
    disk["full"] = False
    assert open_storage(path).load() is None
    assert toy.study(storage=path).ask().number == 1


TESTS = Path(__file__).parent.parent


def test_a_limit_of_the_operating_system(path: Path) -> None:
    """Writes really fail here, in the middle of a file."""
    code = (
        f"import os, resource, signal, sys; sys.path.insert(0, {str(TESTS)!r}); import taut, toy\n"
        f"path = {str(path)!r}; study = toy.study(initial=99, storage=path); study.ask()\n"
        "from functools import partial; from taut.study import study as module\n"
        "module.asking = partial(module.asking, seconds=0.5)\n"  # it cannot be given back on a full disk
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path), resource.RLIM_INFINITY))\n"
        "try:\n    [study.ask() for _ in range(98)]\n"
        "except taut.StorageError as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert "disk is full or faulty" in run.stdout
    study = taut.Study.open(path, toy.ToyPolicy())
    assert 1 < len(study.suggestions) < 99
    assert [row.number for row in study.suggestions] == list(range(1, len(study.suggestions) + 1))
    assert study.ask().number == len(study.suggestions)
