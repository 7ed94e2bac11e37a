"""Which kind of place a path or URL names."""

import re

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from taut.base.errors import StorageError
from taut.storage.postgres import DRIVER, PostgreSQL, shown
from taut.storage.sqlite import SQLite
from taut.storage.transactions import Backend

_SLASHES_LACKING = re.compile(r"(?i)(postgres|mysql|mariadb|oracle|mssql)[\w+]*:|[\w+]{2,}:/")
_AFTER_USER = re.compile(r"[^:/]*(?::[^@]*)?@(.*)", re.DOTALL)


def backend(location: str) -> Backend:
    """The backend for a path or URL."""
    scheme, url_like, rest = location.partition("://")
    if not url_like:
        if lacking := _SLASHES_LACKING.match(location):
            raise _unreadable(lacking[0].partition(":")[0])
        return SQLite(location)
    after = _AFTER_USER.fullmatch(rest)
    if after and "@" in after[1]:  # or a part of the password would be taken for the host, and be shown as such
        raise _unreadable(scheme)
    try:
        url = sa.make_url(location)
    except (ArgumentError, ValueError) as error:
        raise _unreadable(scheme) from error
    if url.get_backend_name() == "sqlite" and url.database:
        return SQLite(url.database)
    if url.drivername in ("postgres", "postgresql", DRIVER):
        return PostgreSQL(url.set(drivername=DRIVER))
    raise StorageError(
        f"Storage {shown(url)!r}: expected a path or a URL that begins with '{DRIVER}://', got {url.drivername!r}."
    )


def _unreadable(scheme: str) -> StorageError:
    expected = f"a URL like '{DRIVER}://user:password@host/database'"
    way_out = "two slashes follow the colon, and special characters in a password are written as %XX (@ as %40)"
    return StorageError.of(f"Storage '{scheme}:...'", expected, "one that cannot be read", way_out)
