"""An SQLite file as a backend."""

import sqlite3
import time
import tomllib
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from taut.base.errors import StorageError
from taut.storage.transactions import Backend

BUSY_SECONDS = 5.0
"""How long SQLite waits for a lock before it reports that the file is busy; meanwhile Ctrl-C has to wait too."""

_HEADER = b"SQLite format 3\0"
_MESSAGES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_KINDS = {
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_PROTOCOL: "busy",  # lost a race for the lock files of the write-ahead log
    sqlite3.SQLITE_NOTADB: "foreign",
    sqlite3.SQLITE_CORRUPT: "foreign",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_IOERR: "full",
    sqlite3.SQLITE_READONLY: "inaccessible",
    sqlite3.SQLITE_CANTOPEN: "inaccessible",
    sqlite3.SQLITE_PERM: "inaccessible",
    sqlite3.SQLITE_AUTH: "inaccessible",
}


class SQLite(Backend):
    """One file in write-ahead mode. A connection lives for one transaction, so the process may fork in between."""

    shared = False

    def __init__(self, path: str, busy: float = BUSY_SECONDS) -> None:
        self.name, self._busy = path, busy
        if not path or path == ":memory:":
            raise StorageError(f"Storage {path!r}: expected the path of a file; use storage=None for memory.")
        self._path = Path(path).absolute()
        if self._path.is_dir():
            raise StorageError(f"Storage {path!r}: expected a file, got a folder; name a file in it.")
        if not self._path.parent.is_dir():
            got = f"{str(self._path.parent)!r}, which does not exist"
            raise StorageError.of(f"Storage {path!r}", "an existing folder", got, "create it first")
        self._engine = sa.create_engine("sqlite://", creator=self._connect, poolclass=sa.NullPool)

    def _connect(self) -> sqlite3.Connection:
        # mode=rw: a file that was moved away must not come back empty. isolation_level=None: we say BEGIN ourselves.
        uri = self._path.as_uri() + "?mode=rw"
        return sqlite3.connect(uri, uri=True, timeout=self._busy, isolation_level=None)

    def absent(self) -> bool:
        try:
            with self._path.open("rb") as file:
                header = file.read(len(_HEADER))
        except FileNotFoundError:
            return True
        except OSError as error:
            raise StorageError(self._message("inaccessible", error.strerror or error)) from error
        if header and header != _HEADER:
            raise StorageError(self._message("foreign", "it does not begin like an SQLite database"))
        return not header

    def found(self) -> None:
        try:
            self._path.open("ab").close()  # unlike SQLite this gives the permissions that the user's umask asks for
        except OSError as error:
            raise StorageError(self._message("inaccessible", error.strerror or error)) from error

    def engine(self) -> sa.Engine:
        return self._engine

    def begin_read(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    def begin_write(self, connection: sa.Connection) -> None:
        # Write-ahead: readers do not wait for writers. It is a property of the file; where the file system cannot do
        # it, SQLite keeps its older mode, in which they do. FULL: what was told survives a power cut.
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.exec_driver_sql("PRAGMA synchronous=FULL")
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # locks the whole file: the other locks have nothing to do

    def now(self) -> sa.ColumnElement[float]:
        return sa.literal(time.time(), sa.Double)

    def busy(self, error: DBAPIError) -> bool:
        return _KINDS.get(_code(error)) == "busy"

    def explain(self, error: DBAPIError) -> str:
        return self._message(_KINDS.get(_code(error), "other"), error.orig)

    def _message(self, kind: str, what: object) -> str:
        """One of the messages in sqlite.toml. what: the cause, in words."""
        return f"Storage {self.name!r}: {_MESSAGES[kind].format(what=what)}"


def _code(error: DBAPIError) -> int:
    """The primary result code of SQLite; 0 if the error came from elsewhere."""
    return int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF
