"""Where the rows of a study are kept.

Reading order: owner, base, sharing, memory, leases, transactions, sqlite, limits, postgres, backends,
schema, lease_rows, records, database.
"""

import os

from taut.base.errors import StorageError
from taut.storage.base import Storage
from taut.storage.memory import MemoryStorage

Where = Storage | str | os.PathLike[str] | None
"""None: in memory. A path: a file. A URL: a database server. Or an object that keeps the contract."""


def open_storage(storage: Where) -> Storage:
    """The storage a user named. A path or URL is looked at and not written to; its first row creates it."""
    if storage is None:
        return MemoryStorage()
    if isinstance(storage, (str, os.PathLike)):
        from taut.storage.backends import backend  # SQLAlchemy is slow to import
        from taut.storage.database import DatabaseStorage
        from taut.storage.transactions import Database

        return DatabaseStorage(Database(backend(os.fspath(storage))))
    if not isinstance(storage, Storage) or isinstance(storage, type):
        raise StorageError(
            f"Study: storage must be None, a path, a URL or an object with the methods of Storage, got {storage!r}."
        )
    return storage
