"""A clock that can be put forward and back while a process runs: time.time() plus the number in a file."""

import os
import time
from pathlib import Path

FILE = "CHAOS_CLOCK"
"""Environment: the file with the seconds to add; without it the clock is right."""


def install() -> None:
    """Shift the clock of this process, if its environment says so."""
    path = os.environ.get(FILE)
    if path is None:
        return
    right = time.time

    def shifted() -> float:
        with open(path) as file:
            return right() + float(file.read())

    time.time = shifted


def put(path: Path, seconds: float) -> None:
    """How far the clock is off from now on, for all processes with this file."""
    new = path.with_suffix(".new")
    new.write_text(repr(seconds))
    os.replace(new, path)
