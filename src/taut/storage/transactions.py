"""Work on a database, done as a whole or not at all, however many others are at it."""

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from taut.base.errors import StorageError
from taut.storage.sharing import AwayError, pause

PATIENCE_SECONDS = 60.0
"""How long a transaction is tried again while others are in the way, and how long to ask whether one was committed."""

SAY_SECONDS = 5.0
"""A wait for longer than this is spoken of."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.5
_log = logging.getLogger("taut.storage")

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Ticket:
    """A transaction, and what it wrote to be known by."""

    transaction: int
    writer: str
    step: int


class Backend(Protocol):
    """A place where tables can be, with what differs between places: opening, beginning a transaction, and failing."""

    name: str
    """For messages; without a password."""
    shared: bool
    """May there be tables of other programs beside ours?"""
    gapless: bool
    """Are rows that are never removed counted 1, 2, 3, ... without a gap?"""

    def absent(self) -> bool:
        """Is there nothing yet that could be read?"""
        return False

    def found(self) -> None:
        """Make it possible to write."""
        return None

    def engine(self) -> sa.Engine:
        """Gives connections that this process may use."""

    def limited(self) -> AbstractContextManager[object]:
        """Within it, no answer is waited for without a limit."""
        return nullcontext()

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

    clock: str
    """SQL for the time in seconds, by a clock that all who use this database share."""

    def times(self) -> dict[str, float]:
        """The parameters that it needs."""
        return {}

    def ticket(self, connection: sa.Connection) -> Ticket | None:
        """By what to ask later whether this transaction was committed; None where a commit always answers."""
        return None

    def committed(self, connection: sa.Connection, ticket: Ticket) -> bool | None:
        """Was it? None while it is not decided."""
        return False

    def stale(self, error: DBAPIError) -> bool:
        """Did a connection break that was kept from before, so that a new one may do?"""
        return False

    def away(self, error: DBAPIError) -> bool:
        """Is it likely to pass: a server that is down, a disk that is full, a file that somebody else locks?"""

    def busy(self, error: DBAPIError) -> bool:
        """Was somebody else in the way, so that the whole transaction can simply be tried again?"""

    def explain(self, error: DBAPIError) -> str:
        """What went wrong and the way out, for the user."""

    def damaged(self, error: Exception) -> str:
        """The same, if something is there that cannot even be read."""
        return f"Storage {self.name!r}: expected text, got something else ({error}); restore it from a copy."


class Database:
    """Runs functions of a connection, each in one transaction. Every failure but IntegrityError is a StorageError."""

    def __init__(self, backend: Backend, patience: float = PATIENCE_SECONDS) -> None:
        self.backend, self._patience = backend, patience

    def read(self, work: Callable[[sa.Connection], Result]) -> Result:
        """What work finds at one moment."""
        return self._run(lambda: self._attempt(self.backend.begin_read, work, lambda result: False))

    def write(
        self, work: Callable[[sa.Connection], Result], wrote: Callable[[Result], bool] = lambda result: True
    ) -> Result:
        """Do all that work does, or nothing. It may be called more than once before it succeeds.

        wrote: by its result, is there anything to be kept?
        """
        return self._run(lambda: self._attempt(self.backend.begin_write, work, wrote))

    def _run(self, attempt: Callable[[], "_Outcome[Result]"]) -> Result:
        begun, seconds, said = time.monotonic(), _FIRST_PAUSE, False
        while True:
            try:
                with self.backend.limited():
                    outcome = attempt()
                if outcome.unclear is None or self._committed(outcome):
                    return outcome.result
            except IntegrityError:
                raise
            except DBAPIError as error:
                again = self.backend.busy(error) or self.backend.stale(error)
                passed = time.monotonic() - begun
                if not again or passed > self._patience:
                    kind = AwayError if again or self.backend.away(error) else StorageError
                    raise kind(self.backend.explain(error)) from error
                if passed > SAY_SECONDS and not said:
                    said = True
                    _log.warning("%s Trying for up to %g s.", self.backend.explain(error), self._patience)
            except (UnicodeDecodeError, OverflowError) as error:  # a driver cannot read what is there
                raise StorageError(self.backend.damaged(error)) from error
            seconds = pause(seconds, _LONGEST_PAUSE)

    def _attempt(
        self,
        begin: Callable[[sa.Connection], None],
        work: Callable[[sa.Connection], Result],
        wrote: Callable[[Result], bool],
    ) -> "_Outcome[Result]":
        with self.backend.engine().connect() as connection:
            begin(connection)
            result = work(connection)
            found = self.backend.ticket(connection) if wrote(result) else None
            try:
                connection.commit()
            except DBAPIError as error:
                if found is None or not error.connection_invalidated:
                    raise
                return _Outcome(result, found, error)
            return _Outcome(result)

    def _committed(self, outcome: "_Outcome[Result]") -> bool:
        """Was a transaction committed the answer to which was lost? Asked until it is known, or patience ends."""
        assert outcome.unclear is not None and outcome.ticket is not None
        said = self.backend.explain(outcome.unclear)
        _log.warning("%s Asking the server whether the last step was kept.", said)
        deadline, seconds, found = time.monotonic() + self._patience, _FIRST_PAUSE, None
        while found is None:
            if time.monotonic() > deadline:
                raise AwayError(f"{said} Whether the last step was kept could not be found out.")
            seconds = pause(seconds, _LONGEST_PAUSE)
            try:
                with self.backend.limited(), self.backend.engine().connect() as connection:
                    found = self.backend.committed(connection, outcome.ticket)
            except DBAPIError:
                continue  # the server is away: its answer is what we wait for
        return found


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[Result]):
    """What came of a transaction. unclear: the answer to its commit was lost, and why."""

    result: Result
    ticket: Ticket | None = None
    unclear: DBAPIError | None = None
