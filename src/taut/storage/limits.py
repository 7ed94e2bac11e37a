"""A limit on the wait for an answer from a server that keeps its connection open and says nothing."""

import os
import socket
import threading
import time
from contextlib import suppress


class AnswerLimit(threading.local):
    """Of each thread: a context in which a silent connection is broken after so many seconds.

    Whoever waits on the connection then gets an error of its driver. `watch` names the connection, `heard` says that an
    answer came and that a new wait begins.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._watch: _Watch | None = None
        self.expired = False
        """Did the last context in this thread break a connection?"""
        self.fresh = False
        """Did it make a new one?"""

    def __enter__(self) -> "AnswerLimit":
        self.expired = self.fresh = False
        return self

    def __exit__(self, *error: object) -> None:
        if self._watch is not None:
            self.expired = self._watch.end()
            self._watch = None

    def watch(self, descriptor: int, fresh: bool = False) -> None:
        """The connection that answers come from. fresh: it was made just now."""
        self.fresh = self.fresh or fresh
        if self._watch is not None:
            self._watch.end()
        self._watch = _Watch(descriptor, self._seconds)

    def heard(self) -> None:
        if self._watch is not None:
            self._watch.deadline = time.monotonic() + self._seconds


class _Watch:
    """A thread that breaks a connection at its deadline, unless it is ended before."""

    def __init__(self, descriptor: int, seconds: float) -> None:
        self._descriptor, self._lock = descriptor, threading.Lock()
        self._ended, self._expired = threading.Event(), False
        self.deadline = time.monotonic() + seconds
        threading.Thread(target=self._run, name="taut-answer", daemon=True).start()

    def end(self) -> bool:
        """Stop watching; was it too late?"""
        with self._lock:  # after this the descriptor may belong to something else
            self._ended.set()
            return self._expired

    def _run(self) -> None:
        while not self._ended.wait(max(0.0, self.deadline - time.monotonic())):
            with self._lock:
                if self._ended.is_set():
                    return
                if time.monotonic() >= self.deadline:
                    self._expired = True
                    with suppress(OSError), socket.socket(fileno=os.dup(self._descriptor)) as connection:
                        connection.shutdown(socket.SHUT_RDWR)
                    return
