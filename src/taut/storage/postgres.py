"""A database on a PostgreSQL server as a backend."""

import os
import weakref

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from taut.base.errors import StorageError
from taut.base.secrets import HARMLESS, MASK
from taut.storage.transactions import Backend

DRIVER = "postgresql+psycopg"
CONNECT_SECONDS = 10
"""How long to wait for a server to answer."""

_INHERITED: list[sa.Engine] = []
"""Connections that a parent process goes on to use: never used, closed or thrown away in a forked one."""


class PostgreSQL(Backend):
    """A database on a server, with a small pool of connections for each process."""

    shared = True

    def __init__(self, url: sa.URL) -> None:
        self._url = url
        self.name = shown(url)
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


def shown(url: sa.URL) -> str:
    """The URL without a password, wherever it was given: only keys that are known to be harmless keep their values."""
    masked = {key: MASK for key in url.query if key not in HARMLESS}
    return url.update_query_dict(masked).render_as_string(hide_password=True)


def _close(engine: sa.Engine, pid: int) -> None:
    if pid == os.getpid():
        engine.dispose()
