"""Which kind of place a path or URL names."""

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from taut.base.errors import StorageError
from taut.storage.postgres import DRIVER, PostgreSQL, shown
from taut.storage.sqlite import SQLite
from taut.storage.transactions import Backend


def backend(location: str) -> Backend:
    """The backend for a path or URL."""
    if "://" not in location:
        return SQLite(location)
    try:
        url = sa.make_url(location)
    except (ArgumentError, ValueError) as error:
        scheme = location.partition("://")[0]
        expected = f"a URL like '{DRIVER}://user:password@host/database'"
        way_out = "special characters in a password must be written as %XX"
        raise StorageError.of(f"Storage '{scheme}://...'", expected, "one that cannot be read", way_out) from error
    if url.get_backend_name() == "sqlite" and url.database:
        return SQLite(url.database)
    if url.drivername in ("postgres", "postgresql", DRIVER):
        return PostgreSQL(url.set(drivername=DRIVER))
    raise StorageError(
        f"Storage {shown(url)!r}: expected a path or a URL that begins with '{DRIVER}://', got {url.drivername!r}."
    )
