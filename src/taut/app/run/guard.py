"""Starts programs so that none outlives the process that started it, at whatever moment that is killed.

A program is first a gate (gate.py) in a process group of its own, which waits. When the watchdog, a process of its own
that ends our programs if we die, has confirmed that it knows the group, the gate is opened: it becomes the program. If
we are killed before that, the pipe to the gate is closed, and nothing of the user's was executed; if after, the
watchdog kills the group. No Python code runs between fork and exec, so threads do no harm.
"""

import atexit
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from taut.app.run import gate, watchdog

ANSWER_SECONDS = 30.0
"""So long may a watchdog take to answer; it takes a millisecond unless it was stopped or the machine is overloaded."""

_PYTHON = (sys.executable, "-I", "-S")


def start(
    argv: Sequence[str], folder: Path, environment: Mapping[str, str], request: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """Start a program in a session and process group of its own, with pipes for its outputs; `forget` it afterwards.

    folder: its working directory. request: what it reads. OSError if it cannot be started.
    """
    WATCHDOG.ready()
    order_here, order_there = os.pipe()[::-1]
    answer_here, answer_there = os.pipe()
    try:
        try:
            process = subprocess.Popen(
                [*_PYTHON, gate.__file__, str(order_there), str(answer_there)],
                stdin=request,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                pass_fds=(order_there, answer_there),
                start_new_session=True,
            )
        finally:
            os.close(order_there)
            os.close(answer_there)
        try:
            WATCHDOG.add(process.pid)
            pipe, order_here = order_here, -1
            _send(pipe, _order(argv, environment))
            _check(b"".join(iter(lambda: os.read(answer_here, 100), b"")), argv[0])  # ends when the program begins
        except BaseException:
            _abandon(process)
            raise
    finally:
        os.close(answer_here)
        if order_here >= 0:
            os.close(order_here)
    return process


def forget(group: int) -> None:
    """A program has ended; to be called before it is reaped, when its number may be taken by another."""
    WATCHDOG.remove(group)


def _order(argv: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """As described in gate.py. The files to try are those that subprocess would."""
    name = os.fsencode(argv[0])
    folders = [b""] if os.path.dirname(name) else map(os.fsencode, os.get_exec_path(environment))
    files = [os.path.join(folder, name) for folder in folders]
    pairs = [os.fsencode(key) + b"=" + os.fsencode(value) for key, value in environment.items() if key]
    fields = [b"%d" % len(files), b"%d" % len(argv), *files, *map(os.fsencode, argv), *pairs]
    content = b"".join(field + b"\0" for field in fields)
    return b"%d\0" % len(content) + content


def _send(pipe: int, content: bytes) -> None:
    """And close. A gate that has been killed reads nothing; how it ended is seen by who waits for it."""
    try:
        while content:
            content = content[os.write(pipe, content) :]
    except BrokenPipeError:
        pass
    finally:
        os.close(pipe)


def _check(answer: bytes, name: str) -> None:
    if not answer:
        raise OSError(f"the process that was to become {name!r} was killed before it did")
    if number := answer[1:]:
        raise OSError(int(number), os.strerror(int(number)), name)


def _abandon(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    forget(process.pid)
    process.wait()


class Watchdog:
    """The process that ends our programs if we die; started before the first program, again if it was killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ready(self) -> None:
        """There is one, perhaps not yet at work."""
        with self._lock:
            self._started()

    def add(self, group: int) -> None:
        """Returns when the watchdog has confirmed that it knows the group. OSError if none can be had."""
        with self._lock:
            self._started()
            self._groups.add(group)
            try:
                self._ask(group)
            except OSError:  # it was killed, or stopped: another one learns of all that run now
                self._kill()
                self._started()
                self._ask(*sorted(self._groups))

    def remove(self, group: int) -> None:
        with self._lock:
            self._groups.discard(group)
            with suppress(OSError):  # killed, and so it knows of none
                if self._process is not None and self._owner == os.getpid():
                    self._pipe(self._process.stdin).write(b"-%d\n" % group)

    def _ask(self, *groups: int) -> None:
        assert self._process is not None
        wanted = b"".join(b"+%d\n" % group for group in groups)
        self._pipe(self._process.stdin).write(wanted)
        answers, deadline = self._pipe(self._process.stdout), time.monotonic() + ANSWER_SECONDS
        got = b""
        while len(got) < len(wanted):
            ready, _, _ = select.select([answers], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(answers.fileno(), 65536) if ready else b""
            if not part:
                raise TimeoutError("the process that watches over programs does not answer")
            got += part

    def _started(self) -> None:
        if self._process is not None and self._owner == os.getpid():
            return
        if self._process is not None:  # a forked process needs its own
            _INHERITED.append(self._process)
            self._groups.clear()
        elif not self._owner:
            atexit.register(self._close)
        self._owner = os.getpid()
        self._process = subprocess.Popen(
            [*_PYTHON, watchdog.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )

    def _pipe(self, stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()  # one that was only stopped would end our programs when it goes on
            self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            with self._pipe(process.stdout), self._pipe(process.stdin):
                pass
            with suppress(subprocess.TimeoutExpired):
                process.wait(ANSWER_SECONDS)


_INHERITED: list[subprocess.Popen[bytes]] = []  # watchdogs of the process that this one was forked from: left alone
WATCHDOG = Watchdog()
