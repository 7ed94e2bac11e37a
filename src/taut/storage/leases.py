"""Who works on what: leases, which count while their owner is heard of.

An owner takes leases and renews them while it works. If it dies, or is stopped, they run out and others may take them;
at once, if they can see that it has ended. Computing the next suggestion is such a work too.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from taut.base.errors import StorageError
from taut.storage import owner as owners
from taut.storage.base import Storage, pause
from taut.storage.memory import MemoryStorage

ASKING_SECONDS = 20.0
"""One who computes a suggestion and was not heard of for so long is not waited for."""
LONGEST_SECONDS = 86400.0
"""No lease reaches further without a renewal."""
NEXT = (0, "")
"""The key of the lease on computing the next suggestion, whatever number it will have: numbers begin with 1."""

_RENEWALS = 4  # in the time of a lease: three may be lost
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.25


class Owner:
    """Takes leases in a storage; a context, within which a thread renews them, and at whose end they are given back."""

    def __init__(self, storage: Storage, seconds: float) -> None:
        self._storage, self._seconds = storage, min(seconds, LONGEST_SECONDS)
        self._name = owners.new()
        self._end = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="taut-leases", daemon=True)

    def __enter__(self) -> "Owner":
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        if self._renewing.ident is not None:
            self._renewing.join()
            with suppress(StorageError):  # they run out by themselves
                self._storage.renew(self._name, 0.0)

    def lease(self, number: int, functions: Sequence[str], most: int | None = None) -> tuple[str, ...]:
        """See Storage.lease."""
        taken = self._storage.lease(number, functions, self._name, self._seconds, most)
        if taken and self._renewing.ident is None:
            self._renewing.start()
        return taken

    def _renew(self) -> None:
        while not self._end.wait(self._seconds / _RENEWALS):
            with suppress(StorageError):  # a server that comes back in time is as good as one that never left
                self._storage.renew(self._name, self._seconds)


@contextmanager
def asking(storage: Storage, seconds: float = ASKING_SECONDS) -> Iterator[None]:
    """Entered by one asker at a time, so that nobody computes a suggestion that somebody else is computing.

    It saves work and is not needed to be right: of two suggestions with one number, the storage takes one.
    """
    if isinstance(storage, MemoryStorage):  # nobody outlives it, and nobody else can look into it
        with storage.turn:
            yield
        return
    seconds_between, (number, function) = _FIRST_PAUSE, NEXT
    with Owner(storage, seconds) as owner:
        while not owner.lease(number, [function]):
            seconds_between = pause(seconds_between, _LONGEST_PAUSE)
        yield
