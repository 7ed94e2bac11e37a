"""What differs between an SQLite file and a PostgreSQL server: opening, beginning a transaction, and failing."""

import os
import sqlite3
import time
import weakref
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError

from taut.base.errors import StorageError

BUSY_SECONDS = 5.0
"""How long SQLite waits for a lock before it reports that the file is busy; meanwhile Ctrl-C has to wait too."""
CONNECT_SECONDS = 10
"""How long to wait for a PostgreSQL server to answer."""

_SQLITE_HEADER = b"SQLite format 3\0"
_POSTGRES = "postgresql+psycopg"
_INHERITED: list[sa.Engine] = []
"""Connections that a parent process goes on to use: never used, closed or thrown away in a forked one."""


class Backend(Protocol):
    """A place where tables can be."""

    name: str
    """For messages; without a password."""
    shared: bool
    """May there be tables of other programs beside ours?"""

    def absent(self) -> bool:
        """Is there nothing yet that could be read?"""

    def found(self) -> None:
        """Make it possible to write."""

    def engine(self) -> sa.Engine:
        """Gives connections that this process may use."""

    def begin_read(self, connection: sa.Connection) -> None:
        """Begin a transaction that sees one moment."""

    def begin_write(self, connection: sa.Connection) -> None:
        """Begin a transaction that writes."""

    def lock(self, connection: sa.Connection, table: sa.Table) -> None:
        """Until the end of the transaction nobody else writes to the table: order of ids = order of commits."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """Until the end of the transaction nobody else creates or migrates the tables."""

    def now(self) -> sa.ColumnElement[float]:
        """The time in seconds, by a clock that all who use this database share."""

    def busy(self, error: DBAPIError) -> bool:
        """Was somebody else in the way, so that the whole transaction can simply be tried again?"""

    def explain(self, error: DBAPIError) -> str:
        """What went wrong and the way out, for the user."""


def backend(location: str) -> Backend:
    """The backend for a path or URL."""
    if "://" not in location:
        return SQLite(location)
    try:
        url = sa.make_url(location)
    except (ArgumentError, ValueError) as error:
        scheme = location.partition("://")[0]
        raise StorageError(
            f"Storage '{scheme}://...': expected a URL like '{_POSTGRES}://user:password@host/database', got one that "
            "cannot be read; special characters in a password must be written as %XX."
        ) from error
    if url.get_backend_name() == "sqlite" and url.database:
        return SQLite(url.database)
    if url.drivername in ("postgres", "postgresql", _POSTGRES):
        return PostgreSQL(url.set(drivername=_POSTGRES))
    raise StorageError(
        f"Storage {_shown(url)!r}: expected a path or a URL that begins with '{_POSTGRES}://', got {url.drivername!r}."
    )


class SQLite:
    """One file in write-ahead mode. A connection lives for one transaction, so the process may fork in between."""

    shared = False

    def __init__(self, path: str) -> None:
        self.name = path
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
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)

    def absent(self) -> bool:
        try:
            with self._path.open("rb") as file:
                header = file.read(len(_SQLITE_HEADER))
        except FileNotFoundError:
            return True
        except OSError as error:
            raise StorageError(self._inaccessible(error.strerror or str(error))) from error
        if header and header != _SQLITE_HEADER:
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
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def lock(self, connection: sa.Connection, table: sa.Table) -> None:
        """BEGIN IMMEDIATE has locked the whole file."""

    def lock_schema(self, connection: sa.Connection) -> None:
        """BEGIN IMMEDIATE has locked the whole file."""

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


class PostgreSQL:
    """A database on a server, with a small pool of connections for each process."""

    shared = True

    def __init__(self, url: sa.URL) -> None:
        self._url = url
        self.name = _shown(url)
        self._pid = os.getpid()
        self._engine = self._make_engine()

    def _make_engine(self) -> sa.Engine:
        options = {} if "connect_timeout" in self._url.query else {"connect_timeout": CONNECT_SECONDS}
        try:
            engine = sa.create_engine(
                self._url, connect_args=options, pool_size=2, max_overflow=-1, pool_pre_ping=True, hide_parameters=True
            )
        except ImportError as error:
            raise StorageError(
                f"Storage {self.name!r}: PostgreSQL needs the driver psycopg, which is not installed ({error}); "
                "run pip install 'taut[postgres]'."
            ) from error
        weakref.finalize(self, _close, engine, os.getpid())
        return engine

    def absent(self) -> bool:
        return False

    def found(self) -> None:
        """The server is there already."""

    def engine(self) -> sa.Engine:
        if self._pid != os.getpid():
            _INHERITED.append(self._engine)
            self._engine, self._pid = self._make_engine(), os.getpid()
        return self._engine

    def begin_read(self, connection: sa.Connection) -> None:
        connection.execution_options(isolation_level="REPEATABLE READ")

    def begin_write(self, connection: sa.Connection) -> None:
        connection.execution_options(isolation_level="READ COMMITTED")

    def lock(self, connection: sa.Connection, table: sa.Table) -> None:
        connection.exec_driver_sql(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE")

    def lock_schema(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1952544116)")  # any number that only taut uses

    def now(self) -> sa.ColumnElement[float]:
        return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Double)

    def busy(self, error: DBAPIError) -> bool:
        # serialization_failure, deadlock_detected, lock_not_available
        return getattr(error.orig, "sqlstate", None) in ("40001", "40P01", "55P03")

    def explain(self, error: DBAPIError) -> str:
        lines = str(error.orig).strip().splitlines() or [type(error.orig).__name__]
        return (
            f"Storage {self.name!r}: the database cannot be reached or refused the step ({lines[0]}); check the "
            "address, the server and the user's rights (for a new study, CREATE in the schema) and try again. What was "
            "told before is safe, and telling it again is harmless."
        )


def _shown(url: sa.URL) -> str:
    """The URL without a password, wherever it was given."""
    if "password" in url.query:
        url = url.update_query_dict({"password": "***"})
    return url.render_as_string(hide_password=True)


def _close(engine: sa.Engine, pid: int) -> None:
    if pid == os.getpid():
        engine.dispose()


def _code(error: DBAPIError) -> int:
    """The primary result code of SQLite; 0 if the error came from elsewhere."""
    return int(getattr(error.orig, "sqlite_errorcode", 0)) & 0xFF
