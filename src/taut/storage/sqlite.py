"""An SQLite file as a backend."""

import errno
import os
import sqlite3
import time
import tomllib
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from taut.base.errors import StorageError
from taut.storage.transactions import Backend

BUSY_SECONDS = 5.0
"""How long SQLite waits for a lock before it reports that the file is busy; meanwhile Ctrl-C has to wait too."""

_EFFECTIVE = os.access in os.supports_effective_ids
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
    gapless = True
    clock = ":now"

    def __init__(self, path: str, busy: float = BUSY_SECONDS) -> None:
        self.name, self._busy = path, busy
        self._how = ""
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
        # isolation_level=None: we say BEGIN ourselves.
        self._how = self._how or self._way_in()
        uri = f"{self._path.as_uri()}?{self._how}"
        return sqlite3.connect(uri, uri=True, timeout=self._busy, isolation_level=None)

    def _way_in(self) -> str:
        """How to open the file. mode=rw and not rwc: a file that was moved away must not come back empty.

        A study that may only be looked at needs other ways, because write-ahead mode wants to write beside it. Where
        no log is left there, the file alone is the whole study.
        """
        if not self._path.is_file() or self._opens("mode=rw"):
            return "mode=rw"
        if self._opens("mode=ro"):
            return "mode=ro"
        log = self._path.with_name(f"{self._path.name}-wal")
        return "mode=rw" if log.exists() and log.stat().st_size else "immutable=1"

    def _opens(self, how: str) -> bool:
        """Can the file be opened so, and those beside it? What is wrong with its content does not matter here."""
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?{how}", uri=True)) as connection:
                connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            return _kind(error) != "inaccessible"
        return True

    def absent(self) -> bool:
        # Looked at, and not opened: to close the file would take away the locks of all threads of this process.
        try:
            if self._path.stat().st_size and not os.access(self._path, os.R_OK, effective_ids=_EFFECTIVE):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return self._path.stat().st_size == 0
        except FileNotFoundError:
            return True
        except OSError as error:
            raise StorageError(self._message("inaccessible", error.strerror or error)) from error

    def found(self) -> None:
        if self._path.exists():
            return
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

    def times(self) -> dict[str, float]:
        return {"now": time.time()}

    def away(self, error: DBAPIError) -> bool:
        return _kind(error.orig) in ("busy", "full")

    def busy(self, error: DBAPIError) -> bool:
        return _kind(error.orig) == "busy"

    def explain(self, error: DBAPIError) -> str:
        return self._message(_kind(error.orig), error.orig)

    def _message(self, kind: str, what: object) -> str:
        """One of the messages in sqlite.toml. what: the cause, in words."""
        return f"Storage {self.name!r}: {_MESSAGES[kind].format(what=' '.join(str(what).split()))}"


def _kind(error: BaseException | None) -> str:
    """By the primary result code of SQLite; "other" if it came from elsewhere."""
    return _KINDS.get(int(getattr(error, "sqlite_errorcode", 0)) & 0xFF, "other")
