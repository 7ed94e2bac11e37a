"""Stands between taut and a PostgreSQL server and lets the answer to a COMMIT be lost.

Knows just enough of the protocol (version 3): after an opening without a type, messages are one byte of type, four
bytes of length (their own included) and a body.
"""

import re
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

How = Literal["broken", "silent", "unsent"]
"""The server commits and the connection breaks; or stays open without a word; or it breaks before the server hears."""

_WRITES = re.compile(rb"\s*(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+\"?(\w+)", re.IGNORECASE)
_HEADER = 5
_QUESTIONS = (struct.pack(">I", 80877103), struct.pack(">I", 80877104))  # whether to encrypt; then comes the opening


@dataclass
class Order:
    """Which COMMIT is to be lost: after so many others, the next one of a transaction that wrote to the table."""

    table: str
    how: How
    others: int = 0
    done: threading.Event = field(default_factory=threading.Event)


class Proxy:
    """Listens on a port of its own, from construction to close()."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._order: Order | None = None
        self._open: list[socket.socket] = []
        self.muted = False
        threading.Thread(target=self._serve, name="proxy", daemon=True).start()

    def lose(self, order: Order | None) -> None:
        """Lose this one; None: lose none, whatever was ordered before."""
        with self._lock:
            self._order = order

    def mute(self) -> None:
        """From now on no answer comes through, and no connection breaks."""
        self.muted = True

    def due(self, tables: set[str]) -> Order | None:
        """Is the COMMIT of a transaction that wrote to these tables to be lost?"""
        with self._lock:
            order = self._order
            if order is None or order.table not in tables:
                return None
            if order.others > 0:
                order.others -= 1
                return None
            self._order = None
            return order

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._open:
            hang_up(each)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._server))
            except OSError:  # it is down
                client.close()
                continue
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open = [each for each in self._open if each.fileno() >= 0] + [client, server]
            _Relay(self, client, server).start()


class _Relay:
    """One connection: two threads, one for each direction."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._prepared: dict[bytes, bytes] = {}
        self._tables: set[str] = set()
        self._lost: Order | None = None

    def start(self) -> None:
        for work in (self._up, self._down):
            threading.Thread(target=self._relay, args=(work,), name="proxy", daemon=True).start()

    def _relay(self, work: Callable[[], None]) -> None:
        with suppress(OSError):
            work()
        hang_up(self._client)
        hang_up(self._server)

    def _up(self) -> None:
        """From the client to the server, message by message."""
        begun, buffer = False, b""
        while chunk := self._client.recv(65536):
            buffer += chunk
            while (size := _size(buffer, begun)) and len(buffer) >= size:
                message, buffer = buffer[:size], buffer[size:]
                if begun and self._commits(message):
                    self._lost = self._proxy.due(self._tables)
                    self._tables = set()
                    if self._lost is not None and self._lost.how == "unsent":
                        self._lost.done.set()
                        return
                begun = begun or message[4:8] not in _QUESTIONS
                self._server.sendall(message)

    def _down(self) -> None:
        """From the server to the client, as it comes; until an answer is to be lost."""
        while chunk := self._server.recv(65536):
            lost = self._lost
            if self._proxy.muted:
                continue
            if lost is None:
                self._client.sendall(chunk)
                continue
            lost.done.set()
            if lost.how == "broken":
                return

    def _commits(self, message: bytes) -> bool:
        """Note what a message does to the tables; is it a COMMIT?"""
        for statement in self._statements(message):
            if found := _WRITES.match(statement):
                self._tables.add(found[1].decode())
            word = statement.strip().upper()
            if word.startswith(b"ROLLBACK"):
                self._tables = set()
            if word.startswith(b"COMMIT"):
                return True
        return False

    def _statements(self, message: bytes) -> list[bytes]:
        """What it executes: a query, or a statement that was prepared before and is bound now."""
        kind, body = message[:1], message[_HEADER:]
        if kind == b"Q":
            return [body.rstrip(b"\0")]
        if kind == b"P":
            name, text, _ = body.split(b"\0", 2)
            self._prepared[name] = text
        if kind == b"B":
            return [self._prepared.get(body.split(b"\0", 2)[1], b"")]
        return []


def _size(buffer: bytes, begun: bool) -> int:
    """Of the first message; 0 if that cannot be told yet."""
    if len(buffer) < _HEADER:
        return 0
    return int(struct.unpack(">I", buffer[1:5])[0]) + 1 if begun else int(struct.unpack(">I", buffer[:4])[0])


def hang_up(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()
