"""An SQLite file as a backend."""

import sqlite3
import time
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from taut.base.errors import StorageError
from taut.storage.transactions import Backend

BUSY_SECONDS = 5.0
"""How long SQLite waits for a lock before it reports that the file is busy; meanwhile Ctrl-C has to wait too."""

_HEADER = b"SQLite format 3\0"


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
            raise StorageError(
                f"Storage {path!r}: expected an existing folder, got {str(self._path.parent)!r}, which does not exist; "
                "create it first."
            )
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
            raise StorageError(self._inaccessible(error.strerror or str(error))) from error
        if header and header != _HEADER:
            raise StorageError(self._foreign("it does not begin like an SQLite database"))
        return not header

    def found(self) -> None:
        try:
            self._path.open("ab").close()  # unlike SQLite this gives the permissions that the user's umask asks for
        except OSError as error:
            raise StorageError(self._inaccessible(error.strerror or str(error))) from error

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
        # PROTOCOL: lost a race for the lock files of the write-ahead log.
        return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)

    def explain(self, error: DBAPIError) -> str:
        code, what = _code(error), str(error.orig)
        if self.busy(error):
            return (
                f"Storage {self.name!r}: another program has kept it locked for a long time ({what}); nothing was "
                "written. Close programs that have the file open, such as a database browser, and try again."
            )
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return self._foreign(what)
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return (
                f"Storage {self.name!r}: could not be written, the disk is full or faulty ({what}); nothing of this "
                "step was kept. Free some space and try again."
            )
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
            return self._inaccessible(what)
        return (
            f"Storage {self.name!r}: expected the tables of a study, got an error of the database ({what}); nothing of "
            "this step was kept. Restore the file from a copy, or give another path."
        )

    def _inaccessible(self, what: str) -> str:
        return (
            f"Storage {self.name!r}: cannot be opened or written ({what}); expected a file in a folder that you may "
            "write to, because SQLite keeps two more files beside it. Change the permissions or give another path."
        )

    def _foreign(self, what: str) -> str:
        return (
            f"Storage {self.name!r}: expected a study written by taut, got something else or a damaged file ({what}); "
            "nothing was written. Give another path, or restore the file from a copy."
        )


def _code(error: DBAPIError) -> int:
    """The primary result code of SQLite; 0 if the error came from elsewhere."""
    return int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF
