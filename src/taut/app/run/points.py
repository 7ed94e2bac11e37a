"""The directory of a point: what programs at the same point share, such as a mesh, made once and found again.

NAME.runs/points/KEY has a directory for each setup, and beside it `SETUP.done` once it is complete. Whoever finds it
incomplete takes the lock, empties it and makes it, while others wait; a lock ends with the process that holds it, so
nothing is left behind by one that was killed. Without a command of its own, the first program makes the setup, and the
lock is held until that has given a value.
"""

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from taut.base.errors import StoppedError

VARIABLE = "TAUT_POINT"
"""Names the directory of the point to programs that share a setup."""
POINTS = "points"
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class SetupProgram:
    """A setup and how to make it; without words, the first program that needs it does."""

    name: str
    argv: tuple[str, ...] = ()
    timeout: float | None = None
    """Seconds."""


@dataclass
class Ready:
    """What was prepared for one evaluation. made: by setup, is it complete?"""

    folder: Path
    made: dict[str, bool] = field(default_factory=dict)
    note: str = ""
    """Why a setup could not be made."""
    interrupted: bool = False
    seconds: float | None = None
    """That setups took here; None if none was made by a command of its own."""
    waited: float = 0.0
    """Seconds until others were done."""
    success: bool = False
    """To be set if the program has given a value: then what it has made is complete."""

    def empty(self) -> None:
        """Before another attempt: nothing of what is not complete is left."""
        for name, made in self.made.items():
            if not made:
                _emptied(self.folder / name)

    def shown(self) -> list[dict[str, Any]]:
        """What a program is told."""
        return [{"name": name, "folder": str(self.folder / name), "made": made} for name, made in self.made.items()]


def folder_of(runs: Path, point: Mapping[str, Any]) -> Path:
    """The directory of a point, found by its numbers to the last digit; nothing is written."""
    text = json.dumps(point, sort_keys=True)
    return runs / POINTS / hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def prepare(
    folder: Path,
    setups: Sequence[SetupProgram],
    run: Callable[[SetupProgram, Path], str],
    stopped: Callable[[], bool],
) -> Iterator[Ready]:
    """Make what an evaluation needs, unless it is there. run: a setup's command; says what went wrong, or nothing.

    stopped: has somebody asked to end everything?
    """
    ready = Ready(folder)
    with ExitStack() as locks:
        for setup in sorted(setups, key=lambda each: each.name):  # in one order: nobody waits in a ring
            _make(ready, setup, run, stopped, locks)
            if ready.note or ready.interrupted:
                break
        yield ready
        for name, made in ready.made.items():
            if not made and ready.success:
                _mark(folder, name)


def _make(
    ready: Ready,
    setup: SetupProgram,
    run: Callable[[SetupProgram, Path], str],
    stopped: Callable[[], bool],
    locks: ExitStack,
) -> None:
    """Make one setup, or lock it for the program that does."""
    place, done = ready.folder / setup.name, _done(ready.folder, setup.name)
    if done.exists():
        ready.made[setup.name] = True
        return
    with ExitStack() as lock:
        begun = time.perf_counter()
        try:
            ready.folder.mkdir(parents=True, exist_ok=True)
            held = lock.enter_context(_lock(ready.folder / f"{setup.name}.lock", stopped))
        except OSError as error:  # says nothing about the point
            raise StoppedError(
                f"Setup {setup.name!r}: expected a folder {str(ready.folder)!r} that can be written to and locked, got "
                f"an error ({error}). The evaluation stays pending: correct this and run again."
            ) from error
        ready.waited += time.perf_counter() - begun
        if not held:
            ready.interrupted = True
            return
        ready.made[setup.name] = done.exists()  # perhaps somebody else was first
        if ready.made[setup.name]:
            return
        _emptied(place)  # of what was left by one that failed, or was killed
        if setup.argv:
            _run(ready, setup, run, place)
        else:
            locks.push(lock.pop_all())


def _run(ready: Ready, setup: SetupProgram, run: Callable[[SetupProgram, Path], str], place: Path) -> None:
    begun = time.perf_counter()
    ready.note = run(setup, place)
    ready.seconds = (ready.seconds or 0.0) + time.perf_counter() - begun
    if not ready.note:
        _mark(ready.folder, setup.name)
        ready.made[setup.name] = True


def _emptied(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(exist_ok=True)


def _done(folder: Path, name: str) -> Path:
    return folder / f"{name}.done"


def _mark(folder: Path, name: str) -> None:
    """Say that a setup is complete; it is there as a whole or not at all."""
    half = folder / f"{name}.{os.getpid()}.part"
    half.write_text("complete\n")
    os.replace(half, _done(folder, name))


@contextmanager
def _lock(path: Path, stopped: Callable[[], bool]) -> Iterator[bool]:
    """Hold a lock that ends with the process; False if everything was to be ended before it was free."""
    with path.open("a") as file:  # not inherited by programs
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if stopped():
                    yield False
                    return
                time.sleep(POLL_SECONDS)
        yield True
