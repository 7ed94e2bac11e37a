"""Starts a program in a process group of its own, waits for it, and sees to it that nothing of it is left behind.

No shell is involved. If the process that started a program dies, so does the program: see guard.py.
"""

import fcntl
import os
import selectors
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from taut.app.run import guard

INPUT = "taut-input.json"
"""What a program reads, in its working directory; its outputs are kept beside it."""
STDOUT, STDERR = "taut-stdout.txt", "taut-stderr.txt"
GRACE_SECONDS = 5.0
"""Between asking a program to end and killing it."""
FILE_BYTES = 1_000_000
"""So much of the beginning of an output goes to its file as it comes."""
TAIL_BYTES = 64_000
"""So much of the end of an output is kept in memory."""
SHARED_SECONDS = 0.1
"""So long after the end of a program its standard output may stay open until what was killed with it is gone."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended; the outputs are their last TAIL_BYTES."""

    code: int
    timed_out: bool
    stdout: bytes
    stderr: bytes
    shared: bool = False
    """Had a process outside of its group the standard output open, too, when it ended? It may have added to it."""


def run(argv: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float | None, owner: str) -> Ended:
    """Run a program to its end; after `timeout` seconds its process group is ended. OSError if it cannot be started.

    folder: its working directory, with its input. owner: by which name `end_all` finds it.
    """
    with (folder / INPUT).open("rb") as request:
        process = guard.start(argv, folder, environment, request)
    group = _Group(process, owner)
    pump = _Pump(process, folder)
    limit = None if timeout is None else _after(timeout, group.time_out)
    try:
        code = group.wait()
    finally:
        if limit is not None:
            limit.cancel()
    return Ended(code, group.timed_out, *pump.finish())


def _after(seconds: float, call: Callable[[], None]) -> threading.Timer:
    later = threading.Timer(seconds, call)
    later.daemon = True
    later.start()
    return later


def end_all(owner: str) -> None:
    """End all programs of an owner that run in this process, and let none of them be tried again."""
    _OWNERS_ENDED.add(owner)
    for group in list(_GROUPS.values()):
        if group.owner == owner:
            group.end()


def end_everyones() -> None:
    """End all programs that run in this process, whoever owns them: it is about to end itself."""
    for owner in {group.owner for group in list(_GROUPS.values())}:
        end_all(owner)


def ended(owner: str) -> bool:
    """Was end_all called for this owner?"""
    return owner in _OWNERS_ENDED


class _Group:
    """A running program with all that it started. Its number is its own until `wait` has returned."""

    def __init__(self, process: "subprocess.Popen[bytes]", owner: str) -> None:
        self.owner = owner
        self.timed_out = False
        self._process = process
        with _LOCK:
            _GROUPS[process.pid] = self
        if ended(owner):  # between the decision to start it and its start
            self.end()

    def time_out(self) -> None:
        self.timed_out = True
        self.end()

    def end(self) -> None:
        """Ask it to end, and kill it a little later."""
        self._send(signal.SIGTERM)
        _after(GRACE_SECONDS, lambda: self._send(signal.SIGKILL))

    def wait(self) -> int:
        """Until the program has ended; then what it left behind is killed."""
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)  # not reaped: its number stays taken
        else:
            self._process.wait()
        with _LOCK:
            self._send(signal.SIGKILL)
            del _GROUPS[self._process.pid]
            guard.forget(self._process.pid)
            return self._process.wait()

    def _send(self, number: signal.Signals) -> None:
        with _LOCK, suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            if self._process.pid in _GROUPS:
                os.killpg(self._process.pid, number)


class _Pump(threading.Thread):
    """Moves the outputs of a program to their files, as far as they fit, and keeps their ends; until it has ended.

    What a process that left the group writes after that is not the program's, and that it keeps an output open costs
    nothing: what is in the pipes when the program has ended is taken, and they are closed.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path) -> None:
        super().__init__(name="taut-output", daemon=True)
        assert process.stdout is not None and process.stderr is not None
        self.outputs = _Output(process.stdout, folder / STDOUT), _Output(process.stderr, folder / STDERR)
        self._ended, self._end = os.pipe()
        self._shared = False
        self.start()

    def finish(self) -> tuple[bytes, bytes, bool]:
        """The program has ended: the ends of its outputs, and whether standard output is shared with somebody else."""
        os.close(self._end)
        self.join()
        return self.outputs[0].tail, self.outputs[1].tail, self._shared

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._ended, selectors.EVENT_READ)
            for output in self.outputs:
                selector.register(output.stream, selectors.EVENT_READ, output)
            while None not in (ready := [key.data for key, _ in selector.select()]):
                for output in ready:
                    if not output.take(os.read(output.stream.fileno(), 65536)):
                        selector.unregister(output.stream)
        os.close(self._ended)
        for output in self.outputs:
            output.drain()
        self._shared = not self.outputs[0].ends(SHARED_SECONDS)
        for output in self.outputs:
            output.close()


class _Output:
    """One output: a pipe and its file."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self.stream = stream
        self.tail = b""
        self._size = 0
        try:
            self._file: IO[bytes] = path.open("wb", buffering=0)
        except OSError:
            self._file = open(os.devnull, "wb", buffering=0)

    def take(self, chunk: bytes) -> bool:
        """False at the end."""
        self._write(chunk[: max(0, FILE_BYTES - self._size)])
        self._size += len(chunk)
        self.tail = (self.tail + chunk)[-TAIL_BYTES:]
        return bool(chunk)

    def drain(self) -> None:
        """Take what is in the pipe now, and no more."""
        left = self._waiting()
        while left > 0 and self.take(chunk := os.read(self.stream.fileno(), min(left, 65536))):
            left -= len(chunk)

    def ends(self, seconds: float) -> bool:
        """Is the other end of the pipe closed, or will it be so soon?"""
        with selectors.DefaultSelector() as selector:
            selector.register(self.stream, selectors.EVENT_READ)
            return bool(selector.select(seconds)) and not self._waiting()

    def _waiting(self) -> int:
        return int.from_bytes(fcntl.ioctl(self.stream, termios.FIONREAD, b"\0" * 4), sys.byteorder)

    def close(self) -> None:
        with self._file, self.stream:
            if self._size > FILE_BYTES:
                rest = self.tail[-min(TAIL_BYTES, self._size - FILE_BYTES) :]
                left_out = self._size - FILE_BYTES - len(rest)
                self._write(b"\n[taut: %d bytes left out here]\n" % left_out if left_out else b"")
                self._write(rest)

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # a full disk must not stop a program
            self._file.write(data)


_LOCK = threading.RLock()
_GROUPS: dict[int, _Group] = {}
_OWNERS_ENDED: set[str] = set()
