"""Who owns a lease: the name of a process, from which others on its machine can see whether it lives."""

import os
import socket
import threading
import uuid
from functools import cache
from pathlib import Path

_PARTS = 5


def new() -> str:
    """A name that nobody else has: host, process, and (where the system tells) when and in which world it runs."""
    host = socket.gethostname().replace(" ", "_") or "-"
    return f"{host} {os.getpid()} {uuid.uuid4().hex} {_world() or '-'} {_started(os.getpid()) or '-'}"


def seen(owner: str) -> bool | None:
    """Does its process live? None if this process cannot tell: it runs elsewhere, or the system hides it."""
    parts = owner.split(" ")
    if len(parts) != _PARTS or "-" in parts[3:] or parts[3] != _world() or not parts[1].isdecimal():
        return None
    process = int(parts[1])
    start = _started(process)
    if start is None:
        return None if _exists(process) else False
    return start == parts[4]  # the number of an ended process may be given to another


def short(owner: str) -> str:
    """The owner, for people."""
    host, _, rest = owner.partition(" ")
    process = rest.partition(" ")[0]
    return f"process {process} on {host}" if process.isdecimal() else repr(owner)


class Turn:
    """One thread after the other; whoever enters gets the name under which this process has its turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.name, self._process = "", 0
        self.leased = False
        """Is the lease on the turn, by which other processes know of it, still to be given back?"""
        self.waited = 0.0
        """How many seconds other processes let it wait the last time."""

    def __enter__(self) -> str:
        self._lock.acquire()
        self.leased = False
        if self._process != os.getpid():  # a forked process is another
            self.name, self._process = new(), os.getpid()
        return self.name

    def __exit__(self, *error: object) -> None:
        self._lock.release()


@cache
def _world() -> str | None:
    """The running system and the container: within one world, process numbers mean the same."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None  # not Linux: then only time tells who has died


def _started(process: int) -> str | None:
    """When the process started, in ticks since boot; "ended" of one that waits to be reaped; None if it is not seen."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()  # the name before it may hold anything
    return "ended" if state in "ZX" else fields[18]


def _exists(process: int) -> bool:
    """Is there a process of this number? On a system that hides those of other users, /proc does not tell."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
