"""Who works on what: leases, which count while their owner is heard of.

An owner takes leases and renews them while it works. If it dies, they are free for others: at once, if these can see
that it has ended, else when they run out. Computing the next suggestion is such a work too.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from taut.base.errors import StorageError
from taut.storage import owner as owners
from taut.storage.base import Storage
from taut.storage.memory import MemoryStorage
from taut.storage.sharing import pause

ASKING_SECONDS = 20.0
"""One who computes a suggestion and was not heard of for so long is not waited for."""
LONGEST_SECONDS = 86400.0
"""No lease reaches further without a renewal."""
NEXT = (0, "")
"""The key of the lease on computing the next suggestion, whatever number it will have: numbers begin with 1."""

_RENEWALS = 4  # in the time of a lease: three may be lost
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
_FIRST_SHARE = 0.25  # of the last wait: where many ask, it is no use to look at once
_LONGEST_RETURN_PAUSE = 60.0


class Owner:
    """Takes leases in a storage; a context, within which a thread renews them, and at whose end they are given back.

    name: under which it takes them; leases it has left from before are its own.
    """

    def __init__(self, storage: Storage, seconds: float, name: str | None = None) -> None:
        self._storage, self.seconds = storage, min(seconds, LONGEST_SECONDS)
        self.name = name or owners.new()
        self._comes_back = name is not None
        self.given_back = False
        """Did somebody else do that?"""
        self._end = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="taut-leases", daemon=True)

    def __enter__(self) -> "Owner":
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        if self._renewing.ident is None:
            return
        self._renewing.join()
        if not self.given_back and not self._returned() and not self._comes_back:
            # A process that lives keeps what it has, and this one lives on: somebody has to go on trying.
            threading.Thread(target=self._return, name="taut-leases", daemon=True).start()

    def lease(self, number: int, functions: Sequence[str], most: int | None = None) -> tuple[str, ...]:
        """See Storage.lease."""
        taken = self._storage.lease(number, functions, self.name, self.seconds, most)
        if taken:
            self.keep()
        return taken

    def keep(self) -> None:
        """Renew from now on."""
        if self._renewing.ident is None:
            self._renewing.start()

    def _renew(self) -> None:
        while not self._end.wait(self.seconds / _RENEWALS):
            try:
                self._storage.renew(self.name, self.seconds)
            except StorageError:
                continue  # a server that comes back in time is as good as one that never left

    def _returned(self) -> bool:
        try:
            self._storage.renew(self.name, 0.0)
        except StorageError:
            return False
        return True

    def _return(self) -> None:
        seconds = 1.0
        while not self._returned():
            seconds = pause(seconds, _LONGEST_RETURN_PAUSE)


@contextmanager
def asking(storage: Storage, seconds: float = ASKING_SECONDS) -> Iterator[None]:
    """Entered by one asker at a time, so that nobody computes a suggestion that somebody else is computing.

    It saves work and is not needed to be right: of two suggestions with one number, the storage takes one.
    """
    with storage.turn as name:
        if isinstance(storage, MemoryStorage):  # nobody outlives it, and nobody else can look into it
            yield
            return
        number, function = NEXT
        with Owner(storage, seconds, name) as owner:
            begun = time.monotonic()
            between = min(max(_FIRST_PAUSE, _FIRST_SHARE * storage.turn.waited), _LONGEST_PAUSE)
            while not owner.lease(number, [function]):
                while _somebody(storage, name):  # to look costs less than to try
                    between = pause(between, _LONGEST_PAUSE)
            storage.turn.leased, storage.turn.waited = True, time.monotonic() - begun
            try:
                yield
            finally:
                owner.given_back = not storage.turn.leased


def _somebody(storage: Storage, name: str) -> bool:
    """Is somebody else computing the next suggestion?"""
    lease = storage.leases().get(NEXT)
    return lease is not None and lease.living and lease.owner != name
