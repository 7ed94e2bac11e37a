"""Where the tables can be, and what differs between the places: opening, beginning a transaction, and failing."""

from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError

from taut.base.errors import StorageError
from taut.storage.postgres import DRIVER, PostgreSQL, shown
from taut.storage.sqlite import SQLite


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
            f"Storage '{scheme}://...': expected a URL like '{DRIVER}://user:password@host/database', got one that "
            "cannot be read; special characters in a password must be written as %XX."
        ) from error
    if url.get_backend_name() == "sqlite" and url.database:
        return SQLite(url.database)
    if url.drivername in ("postgres", "postgresql", DRIVER):
        return PostgreSQL(url.set(drivername=DRIVER))
    raise StorageError(
        f"Storage {shown(url)!r}: expected a path or a URL that begins with '{DRIVER}://', got {url.drivername!r}."
    )
