"""Who owns a lease: the name of a process, from which others on its machine can see that it has ended."""

import os
import socket
import uuid
from functools import cache
from pathlib import Path

_PARTS = 5


def new() -> str:
    """A name that nobody else has: host, process, and (where the system tells) when and in which world it runs."""
    host = socket.gethostname().replace(" ", "_") or "-"
    return f"{host} {os.getpid()} {uuid.uuid4().hex} {_world() or '-'} {_started(os.getpid()) or '-'}"


def gone(owner: str) -> bool:
    """Has it surely ended? False if it lives, or runs where this process cannot look."""
    parts = owner.split(" ")
    if len(parts) != _PARTS or parts[3] == "-" or parts[3] != _world() or not parts[1].isdecimal():
        return False
    return _started(int(parts[1])) != parts[4]  # the number of an ended process may be given to another


@cache
def _world() -> str | None:
    """The running system and the container: within one world, process numbers mean the same."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return None  # not Linux: then only time tells who has died


def _started(process: int) -> str | None:
    """When the process started, in ticks since boot; None if there is none (or it has ended and waits to be reaped)."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()  # the name before it may hold anything
    return None if state in "ZX" else fields[18]
