"""Starts a program in a process group of its own, waits for it, and sees to it that nothing of it is left behind.

No shell is involved. If the process that started a program dies, a watchdog ends the program.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from taut.app.run import watchdog

INPUT = "taut-input.json"
"""What a program reads, in its working directory; its outputs are kept beside it."""
GRACE_SECONDS = 5.0
"""Between asking a program to end and killing it."""
FILE_BYTES = 1_000_000
"""So much of the beginning of an output goes to its file as it comes."""
TAIL_BYTES = 64_000
"""So much of the end of an output is kept in memory."""

_JOIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended; the outputs are their last TAIL_BYTES."""

    code: int
    timed_out: bool
    stdout: bytes
    stderr: bytes


def run(argv: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float | None, owner: str) -> Ended:
    """Run a program to its end; after `timeout` seconds its process group is ended. OSError if it cannot be started.

    folder: its working directory, with its input. owner: by which name `end_all` finds it.
    """
    with (folder / INPUT).open("rb") as request:
        process = subprocess.Popen(
            argv,
            stdin=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
    group = _Group(process, owner)
    assert process.stdout is not None and process.stderr is not None
    pumps = _Pump(process.stdout, folder / "taut-stdout.txt"), _Pump(process.stderr, folder / "taut-stderr.txt")
    limit = None if timeout is None else _after(timeout, group.time_out)
    try:
        code = group.wait()
    finally:
        if limit is not None:
            limit.cancel()
    for pump in pumps:
        pump.join(_JOIN_SECONDS)  # a process that left the group may keep an output open; it is not waited for
    return Ended(code, group.timed_out, pumps[0].tail, pumps[1].tail)


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
            _WATCHDOG.tell(f"+{process.pid}\n")
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
            _WATCHDOG.tell(f"-{self._process.pid}\n")
            return self._process.wait()

    def _send(self, number: signal.Signals) -> None:
        with _LOCK, suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            if self._process.pid in _GROUPS:
                os.killpg(self._process.pid, number)


class _Pump(threading.Thread):
    """Moves an output to its file, as far as it fits, and keeps its end."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        super().__init__(name="taut-output", daemon=True)
        self.tail = b""
        self._stream, self._path = stream, path
        self.start()

    def run(self) -> None:
        size = 0
        with suppress(OSError), self._stream, self._opened() as file:
            while chunk := os.read(self._stream.fileno(), 65536):
                self._write(file, chunk[: max(0, FILE_BYTES - size)])
                size += len(chunk)
                self.tail = (self.tail + chunk)[-TAIL_BYTES:]
            if size > FILE_BYTES:
                rest = self.tail[-min(TAIL_BYTES, size - FILE_BYTES) :]
                left_out = size - FILE_BYTES - len(rest)
                self._write(file, b"\n[taut: %d bytes left out here]\n" % left_out if left_out else b"")
                self._write(file, rest)

    def _opened(self) -> IO[bytes]:
        try:
            return self._path.open("wb", buffering=0)
        except OSError:
            return open(os.devnull, "wb", buffering=0)

    def _write(self, file: IO[bytes], data: bytes) -> None:
        with suppress(OSError):  # a full disk must not stop a program
            file.write(data)


class _Watchdog:
    """The process that ends our programs if we die; started when it is first needed, again if it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def tell(self, line: str) -> None:
        try:
            self._pipe().write(line.encode())
        except OSError:  # killed: the new one learns of all that run now
            self._close()
            with suppress(OSError):
                self._pipe().write(b"".join(b"+%d\n" % number for number in _GROUPS))

    def _pipe(self) -> IO[bytes]:
        if self._process is None or self._owner != os.getpid():  # a forked process needs its own
            if self._process is not None:
                _INHERITED.append(self._process)
            else:
                atexit.register(self._close)
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", watchdog.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                start_new_session=True,
            )
        assert self._process.stdin is not None
        return self._process.stdin

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and self._owner == os.getpid():
            process.stdin.close()
            process.wait()


_INHERITED: list[subprocess.Popen[bytes]] = []  # watchdogs of the process that this one was forked from: left alone
_LOCK = threading.RLock()
_GROUPS: dict[int, _Group] = {}
_OWNERS_ENDED: set[str] = set()
_WATCHDOG = _Watchdog()
