"""A place that one process at a time holds, kept as a row with an end.

A holder renews its row while it works. If it dies, or is stopped, the row runs out and the next one takes over; at once
if it can see that the holder has ended.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa

from taut.base.errors import StorageError
from taut.storage import owner as holders
from taut.storage.schema import lease
from taut.storage.transactions import Database, Pauses

LEASE_SECONDS = 20.0
"""A holder that was not heard of for so long has lost its place."""
RENEW_SECONDS = 5.0

_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.25


class Lease:
    """The place, in a database whose tables exist."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait until the place is free and hold it."""
        holder = holders.new()
        pauses = Pauses(_FIRST_PAUSE, _LONGEST_PAUSE)
        while not self._take(holder):
            pauses.wait()
        done = threading.Event()
        renewing = threading.Thread(target=self._renew, args=(holder, done), name="taut-lease", daemon=True)
        renewing.start()
        try:
            yield
        finally:
            done.set()
            renewing.join()
            with suppress(StorageError):  # it runs out by itself
                self._update(lease.c.holder == holder, None, 0.0)

    def _take(self, holder: str) -> bool:
        look = sa.select(lease.c.holder, self._free().label("free"))
        row = self._database.read(lambda connection: connection.execute(look).first())
        if row is None:
            raise StorageError(
                f"Storage {self._database.backend.name!r}: expected a row in the table 'lease', got none; the tables "
                "were changed by another program, restore them from a copy."
            )
        condition = self._free()
        if row.holder is not None and holders.gone(row.holder):
            condition = sa.or_(condition, lease.c.holder == row.holder)
        elif not row.free:
            return False
        return self._update(condition, holder, LEASE_SECONDS)

    def _renew(self, holder: str, done: threading.Event) -> None:
        with suppress(StorageError):
            while not done.wait(RENEW_SECONDS) and self._update(lease.c.holder == holder, holder, LEASE_SECONDS):
                pass

    def _free(self) -> sa.ColumnElement[bool]:
        now = self._database.backend.now()
        # An end further away than any holder would write comes from a clock that was put back since.
        return sa.or_(lease.c.holder.is_(None), lease.c.until < now, lease.c.until > now + 2.0 * LEASE_SECONDS)

    def _update(self, condition: sa.ColumnElement[bool], holder: str | None, seconds: float) -> bool:
        """Write the row if the condition holds."""
        until = self._database.backend.now() + seconds
        statement = sa.update(lease).where(condition).values(holder=holder, until=until)
        return self._database.write(lambda connection: connection.execute(statement).rowcount == 1)
