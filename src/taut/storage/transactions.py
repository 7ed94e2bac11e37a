"""Work on a database, done as a whole or not at all, however many others are at it."""

import time
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from taut.base.errors import StorageError
from taut.storage.backends import Backend
from taut.storage.pauses import Pauses

PATIENCE_SECONDS = 120.0
"""How long a transaction is tried again while others are in the way."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.5

Result = TypeVar("Result")


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
        deadline = time.monotonic() + self._patience
        pauses = Pauses(_FIRST_PAUSE, _LONGEST_PAUSE)
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
            pauses.wait()
