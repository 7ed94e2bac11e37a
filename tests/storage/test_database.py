"""Files and servers: what is created, and what a user reads when something is wrong."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import servers
import sqlalchemy as sa
import toy

import taut
from taut.storage import backends, open_storage, transactions
from taut.storage.database import DatabaseStorage

TESTS = Path(__file__).parent.parent


@pytest.fixture
def path(new_place: Callable[[str], str]) -> Path:
    return Path(new_place("sqlite"))


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(taut.StorageError) as caught:
        action()
    return str(caught.value)


# --- what is created


def test_nothing_is_written_before_the_first_row(path: Path) -> None:
    storage = open_storage(path)
    assert (storage.load(), storage.rows(), str(storage)) == (None, ([], []), str(path))
    assert "got none" in refusal(lambda: taut.Study.open(path))
    with pytest.raises(taut.StudyError):
        toy.study(storage=path, seed=-1)
    assert not path.exists()


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


def test_a_url_may_name_a_file(path: Path) -> None:
    study = toy.study(storage=f"sqlite:///{path}")
    study.ask()
    assert len(taut.Study.open(path, toy.ToyPolicy()).suggestions) == 1


def test_an_empty_file_is_as_good_as_none(path: Path) -> None:
    path.touch()
    assert open_storage(path).load() is None
    assert toy.study(storage=path).ask().number == 1


def test_a_server_may_be_shared_with_others(postgres: servers.Server) -> None:
    url = postgres.url()
    with postgres.connect() as connection:
        schema = url.rpartition("%3D")[2]
        connection.execute(f"CREATE TABLE {schema}.trees (id INTEGER)")
    toy.study(storage=url.replace("+psycopg", "")).ask()
    assert len(taut.Study.open(url, toy.ToyPolicy()).suggestions) == 1


# --- what is refused


def test_what_is_no_place(tmp_path: Path) -> None:
    lost = tmp_path / "no" / "x.db"
    message = refusal(lambda: toy.study(storage=lost))
    assert str(lost) in message and "create it first" in message
    assert "got a folder" in refusal(lambda: toy.study(storage=tmp_path))
    for wrong in ("", ":memory:"):
        assert "storage=None" in refusal(lambda wrong=wrong: toy.study(storage=wrong))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04" + b"x" * 5000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_is_no_database_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    message = refusal(lambda: toy.study(storage=path))
    assert repr(str(path)) in message and "written by taut" in message and "another path" in message
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (id INTEGER)")
    connection.close()
    content = path.read_bytes()
    message = refusal(lambda: toy.study(storage=path))
    assert "'bookmarks'" in message and "another path" in message
    assert path.read_bytes() == content


def test_tables_of_another_program_on_a_server_are_left_alone(postgres: servers.Server) -> None:
    url = postgres.url()
    with postgres.connect() as connection:
        connection.execute(f"CREATE TABLE {url.rpartition('%3D')[2]}.study (id INTEGER)")
    message = refusal(lambda: toy.study(storage=url))
    assert "'study'" in message and "schema" in message and servers.PASSWORD not in message


def test_rows_changed_by_hand_are_noticed(path: Path) -> None:
    study = toy.study(storage=path)
    toy.play(study, 2)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM lease")
    connection.close()
    assert "expected a row in the table 'lease'" in refusal(study.ask)
    for text in ("{x1: 3}", "1, 2"):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE observations SET point = ?", [text])
        connection.close()
        message = refusal(study.recommend)
        assert repr(str(path)) in message and "from a copy" in message


def test_a_file_that_was_moved_away_does_not_come_back_empty(path: Path) -> None:
    study = toy.study(storage=path)
    path.rename(path.with_suffix(".moved"))
    assert repr(str(path)) in refusal(study.ask)
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
        message = refusal(lambda: toy.study(storage=folder / "x.db"))
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
            message = refusal(action)
            assert "readonly" in message and "Change the permissions" in message
        copy.chmod(0o000)
        assert "Permission denied" in refusal(lambda: toy.study(storage=copy))


# --- full disks and locks


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """While disk["full"], no file grows."""
    state, connect = {"full": False}, backends.SQLite._connect

    def limited(self: backends.SQLite) -> sqlite3.Connection:
        connection = connect(self)
        if state["full"]:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count={max(1, pages)}")
        return connection

    monkeypatch.setattr(backends.SQLite, "_connect", limited)
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
    assert "disk is full" in refusal(lambda: toy.study(storage=path))
    disk["full"] = False
    assert open_storage(path).load() is None
    assert toy.study(storage=path).ask().number == 1


def test_a_limit_of_the_operating_system(path: Path) -> None:
    """Writes really fail here, in the middle of a file."""
    code = (
        f"import os, resource, signal, sys; sys.path.insert(0, {str(TESTS)!r}); import taut, toy\n"
        f"path = {str(path)!r}; study = toy.study(initial=99, storage=path); study.ask()\n"
        "from taut.storage import leases; leases.LEASE_SECONDS = 0.5\n"  # it cannot be given back on a full disk
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


@pytest.mark.parametrize("busy_seconds", [0.0, 5.0])
def test_a_locked_file_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch, busy_seconds: float) -> None:
    monkeypatch.setattr(backends, "BUSY_SECONDS", busy_seconds)
    study = toy.study(storage=path)
    study.ask()
    with locked(path, 0.5):
        assert len(study.suggestions) == 1  # reading does not wait
        study.tell(1, {"f": 1.0})
    assert study.counts["f"] == 1


def test_a_file_that_stays_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "BUSY_SECONDS", 0.0)
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.2)
    study = toy.study(storage=path)
    study.ask()
    with locked(path, 60.0):
        message = refusal(lambda: study.tell(1, {"f": 1.0}))
    assert "kept it locked" in message and "try again" in message
    assert study.observations == ()


def test_a_lease_that_cannot_be_given_back_runs_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = open_storage(path)
    storage.create({}, {})
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(backends, "BUSY_SECONDS", 0.0)
    with storage.asking():
        holder = locked(path, 60.0)
        holder.__enter__()
    holder.__exit__(None, None, None)
    with sqlite3.connect(path) as connection:
        holder_name, until = connection.execute("SELECT holder, until FROM lease").fetchone()
    connection.close()
    assert str(os.getpid()) in holder_name and until - time.time() < 21.0


# --- URLs and missing packages


def test_urls_that_lead_nowhere() -> None:
    assert "got 'mysql'" in refusal(lambda: open_storage("mysql://me:secret@host/db"))
    for url in ("mysql://me:secret@host/db", "postgresql://me:secret@host:port/db", "nonsense+://me:secret@host"):
        message = refusal(lambda url=url: open_storage(url))
        assert "postgresql+psycopg://" in message and "secret" not in message


def test_a_server_that_does_not_answer() -> None:
    url = f"postgresql+psycopg://me:secret@127.0.0.1:{servers._free_port()}/db?password=secret"
    message = refusal(lambda: open_storage(url))
    assert "cannot be reached" in message and "127.0.0.1" in message and "secret" not in message


def test_a_wrong_password_is_not_repeated(postgres: servers.Server) -> None:
    message = refusal(lambda: open_storage(postgres.url(password="wrong-secret")))
    assert "authentication failed" in message and "wrong-secret" not in message


def test_a_schema_that_does_not_exist(postgres: servers.Server) -> None:
    message = refusal(lambda: toy.study(storage=postgres.url() + "no"))
    assert "no schema has been selected" in message and "CREATE in the schema" in message


def test_a_server_that_came_back(postgres: servers.Server) -> None:
    study = toy.study(storage=postgres.url())
    study.ask()
    with postgres.connect() as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    assert study.ask().number == 2


@pytest.mark.parametrize(
    ("module", "place", "extra"),
    [("sqlalchemy", "x.db", "taut[store]"), ("psycopg", "postgresql+psycopg://host/db", "taut[postgres]")],
)
def test_a_missing_package_is_named(module: str, place: str, extra: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from taut.storage import open_storage\n"
        "import taut\n"
        f"try:\n    open_storage({place!r})\n"
        "except taut.StorageError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stderr == ""
    assert f"pip install '{extra}'" in run.stdout


def test_a_failed_statement_is_explained(path: Path) -> None:
    storage = DatabaseStorage(str(path))
    storage.create({}, {})
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE suggestions")
    connection.close()
    message = refusal(storage.rows)
    assert "no such table: suggestions" in message and "Restore the file" in message
    assert isinstance(sa.inspect(storage._database.backend.engine()), sa.Inspector)
