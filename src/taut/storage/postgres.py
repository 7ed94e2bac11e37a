"""A database on a PostgreSQL server as a backend."""

import os
import threading
import uuid
import weakref
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from taut.base.errors import StorageError
from taut.base.secrets import HARMLESS, MASK
from taut.storage.limits import AnswerLimit
from taut.storage.transactions import Backend, Ticket

DRIVER = "postgresql+psycopg"
CONNECT_SECONDS = 10
"""How long to wait for a connection."""
ANSWER_SECONDS = 30.0
"""How long to wait for the answer to a statement; then the connection counts as broken."""
LOCK_SECONDS = 10
"""How long to wait for others who write before the transaction is begun anew."""
IDLE_SECONDS = 30
"""The server ends a transaction whose client is silent for so long (stopped, or cut off), so that others can go on."""

STEP_SECONDS = 86400
"""For how long the last step of a writer is kept: far longer than anybody asks whether it was committed."""

_ALIVE = {"keepalives": 1, "keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3}
_VANISHED = {"tcp_user_timeout": 30000}  # milliseconds; of a host that does not even say that it got something
_LIMITS = f"-c lock_timeout={LOCK_SECONDS}s -c idle_in_transaction_session_timeout={IDLE_SECONDS}s"

_INHERITED: list[sa.Engine] = []
"""Connections that a parent process goes on to use: never used, closed or thrown away in a forked one."""


_STEP = sa.text(
    "INSERT INTO steps (writer, step, written) VALUES (:writer, :step, extract(epoch FROM clock_timestamp())) "
    "ON CONFLICT (writer) DO UPDATE SET step = excluded.step, written = excluded.written RETURNING txid_current()"
)
_LAST_STEP = sa.text("SELECT step FROM steps WHERE writer = :writer")
_OLD_STEPS = sa.text(f"DELETE FROM steps WHERE written < extract(epoch FROM clock_timestamp()) - {STEP_SECONDS}")


class _Writer(threading.local):
    """Of each thread: under which name it writes, and how many steps it made."""

    name, process, step = "", 0, 0

    def next(self) -> tuple[str, int]:
        if self.process != os.getpid():
            self.name, self.process, self.step = uuid.uuid4().hex, os.getpid(), 0
        self.step += 1
        return self.name, self.step


class PostgreSQL(Backend):
    """A database on a server, with a small pool of connections for each process."""

    shared = True
    gapless = False
    clock = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"

    def __init__(self, url: sa.URL, answer: float = ANSWER_SECONDS) -> None:
        self._url = url
        self.name = shown(url)
        self._pid = os.getpid()
        self._limit, self._answer = AnswerLimit(answer), answer
        self._writer = _Writer()
        self._engine = self._make_engine()

    def _make_engine(self) -> sa.Engine:
        given = self._url.query
        usual: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS} | _ALIVE | _VANISHED
        options = {name: value for name, value in usual.items() if name not in given}
        options["options"] = f"{_LIMITS} {given.get('options', '')}".strip()
        try:
            engine = sa.create_engine(
                self._url, connect_args=options, pool_size=2, max_overflow=-1, hide_parameters=True
            )
        except ImportError as error:
            raise StorageError(
                f"Storage {self.name!r}: PostgreSQL needs the driver psycopg, which is not installed ({error}); "
                "run pip install 'taut[postgres]'."
            ) from error
        _listen(engine, self._limit)
        weakref.finalize(self, _close, engine, os.getpid())
        return engine

    def limited(self) -> AnswerLimit:
        return self._limit

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

    def ticket(self, connection: sa.Connection) -> Ticket:
        writer, step = self._writer.next()
        if step == 1:
            connection.execute(_OLD_STEPS)
        row = {"writer": writer, "step": step}
        return Ticket(int(connection.execute(_STEP, row).scalar_one()), writer, step)

    def committed(self, connection: sa.Connection, ticket: Ticket) -> bool | None:
        """Its number alone does not tell: after a crash, the number of one that was lost may be given to another."""
        said = connection.exec_driver_sql(f"SELECT txid_status({ticket.transaction})").scalar_one()
        if said == "in progress":
            return None
        step = connection.execute(_LAST_STEP, {"writer": ticket.writer}).scalar()
        return step is not None and int(step) == ticket.step

    def away(self, error: DBAPIError) -> bool:
        # no answer at all, connection_exception, insufficient_resources, operator_intervention (down, starting up)
        state = getattr(error.orig, "sqlstate", None)
        return error.connection_invalidated or state is None or state[:2] in ("08", "53", "57")

    def stale(self, error: DBAPIError) -> bool:
        return error.connection_invalidated and not self._limit.fresh

    def busy(self, error: DBAPIError) -> bool:
        # serialization_failure, deadlock_detected, lock_not_available
        return getattr(error.orig, "sqlstate", None) in ("40001", "40P01", "55P03")

    def explain(self, error: DBAPIError) -> str:
        lines = str(error.orig).strip().splitlines() or [type(error.orig).__name__]
        cause = f"it kept the connection and said nothing for {self._answer:g} s" if self._limit.expired else lines[0]
        return (
            f"Storage {self.name!r}: the database cannot be reached or refused the step ({cause}); check the "
            "address, the server and the user's rights (for a new study, CREATE in the schema) and try again. What was "
            "told before is safe, and telling it again is harmless."
        )


def _listen(engine: sa.Engine, limit: AnswerLimit) -> None:
    """Let the limit know of connections and answers. Nothing here knows the backend, which would never end then."""

    def connect(dialect: Any, record: Any, words: Any, options: Any) -> Any:
        connection = dialect.connect(*words, **options)
        limit.watch(connection.fileno(), fresh=True)  # before anything is asked
        return connection

    sa.event.listen(engine, "do_connect", connect)
    sa.event.listen(engine, "checkout", lambda connection, *_: limit.watch(connection.fileno()))
    sa.event.listen(engine, "after_cursor_execute", lambda *_: limit.heard())


def shown(url: sa.URL) -> str:
    """The URL without a password, wherever it was given: only keys that are known to be harmless keep their values."""
    masked = {key: MASK for key in url.query if key not in HARMLESS}
    return url.update_query_dict(masked).render_as_string(hide_password=True)


def _close(engine: sa.Engine, pid: int) -> None:
    if pid == os.getpid():
        engine.dispose()
