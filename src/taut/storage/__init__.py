"""Where the rows of a study are kept."""

import os

from taut.errors import StorageError
from taut.storage.base import Storage
from taut.storage.memory import MemoryStorage


def open_storage(storage: Storage | str | os.PathLike[str] | None) -> Storage:
    """The storage a user named: None for memory, or an object that keeps the contract of Storage."""
    if storage is None:
        return MemoryStorage()
    if isinstance(storage, (str, os.PathLike)):
        raise StorageError(
            f"Storage {os.fspath(storage)!r}: this version keeps studies in memory only, got a path or URL; "
            "use storage=None."
        )
    if not isinstance(storage, Storage) or isinstance(storage, type):
        raise StorageError(f"Study: storage must be None or an object with the methods of Storage, got {storage!r}.")
    return storage
