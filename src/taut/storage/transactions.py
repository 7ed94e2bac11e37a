"""Work on a database, done as a whole or not at all, however many others are at it."""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from taut.base.errors import StorageError
from taut.storage.base import pause

PATIENCE_SECONDS = 120.0
"""How long a transaction is tried again while others are in the way."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.5

Result = TypeVar("Result")


class Backend(Protocol):
    """A place where tables can be, with what differs between places: opening, beginning a transaction, and failing."""

    name: str
    """For messages; without a password."""
    shared: bool
    """May there be tables of other programs beside ours?"""

    def absent(self) -> bool:
        """Is there nothing yet that could be read?"""
        return False

    def found(self) -> None:
        """Make it possible to write."""
        return None

    def engine(self) -> sa.Engine:
        """Gives connections that this process may use."""

    def begin_read(self, connection: sa.Connection) -> None:
        """Begin a transaction that sees one moment."""

    def begin_write(self, connection: sa.Connection) -> None:
        """Begin a transaction that writes."""

    def lock(self, connection: sa.Connection, table: sa.Table) -> None:
        """Until the end of the transaction nobody else writes to the table: order of ids = order of commits."""
        return None

    def lock_schema(self, connection: sa.Connection) -> None:
        """Until the end of the transaction nobody else creates or migrates the tables."""
        return None

    def now(self) -> sa.ColumnElement[float]:
        """The time in seconds, by a clock that all who use this database share."""

    def busy(self, error: DBAPIError) -> bool:
        """Was somebody else in the way, so that the whole transaction can simply be tried again?"""

    def explain(self, error: DBAPIError) -> str:
        """What went wrong and the way out, for the user."""


class Database:
    """Runs functions of a connection, each in one transaction. Every failure but IntegrityError is a StorageError."""

    def __init__(self, backend: Backend, patience: float = PATIENCE_SECONDS) -> None:
        self.backend, self._patience = backend, patience

    def read(self, work: Callable[[sa.Connection], Result]) -> Result:
        """What work finds at one moment."""
        return self._run(self.backend.begin_read, work)

    def write(self, work: Callable[[sa.Connection], Result]) -> Result:
        """Do all that work does, or nothing. It may be called more than once before it succeeds."""
        return self._run(self.backend.begin_write, work)

    def _run(self, begin: Callable[[sa.Connection], None], work: Callable[[sa.Connection], Result]) -> Result:
        deadline, seconds = time.monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                with self.backend.engine().connect() as connection:
                    begin(connection)
                    result = work(connection)
                    connection.commit()
                    return result
            except IntegrityError:
                raise
            except DBAPIError as error:
                if not self.backend.busy(error) or time.monotonic() > deadline:
                    raise StorageError(self.backend.explain(error)) from error
            seconds = pause(seconds, _LONGEST_PAUSE)
