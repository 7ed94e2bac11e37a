"""Waits for an answer that never comes."""

import socket
import threading
import time

import pytest

from taut.storage.limits import AnswerLimit


def test_a_silent_connection_is_broken() -> None:
    ours, theirs = socket.socketpair()
    limit = AnswerLimit(0.1)
    with ours, theirs, limit:
        limit.watch(ours.fileno())
        assert ours.recv(1) == b""  # for ever, without the limit
    assert limit.expired


def test_an_answer_in_time_begins_a_new_wait() -> None:
    ours, theirs = socket.socketpair()
    limit = AnswerLimit(0.5)
    with ours, theirs:
        with limit:
            limit.watch(ours.fileno())
            for _ in range(8):
                time.sleep(0.1)
                limit.heard()
        assert not limit.expired
        time.sleep(0.6)  # nobody watches any more
        theirs.send(b"x")
        assert ours.recv(1) == b"x"


def test_each_thread_has_its_own_limit() -> None:
    ours, theirs = socket.socketpair()
    limit, others = AnswerLimit(0.1), []

    def other() -> None:
        with limit:
            time.sleep(0.3)
        others.append(limit.expired)

    with ours, theirs, limit:
        thread = threading.Thread(target=other)
        thread.start()
        limit.watch(ours.fileno())
        thread.join(10)
    assert limit.expired and others == [False]


def test_it_knows_of_new_connections() -> None:
    ours, theirs = socket.socketpair()
    limit = AnswerLimit(10.0)
    with ours, theirs:
        for fresh in (True, False):
            with limit:
                limit.watch(ours.fileno(), fresh)
                limit.watch(ours.fileno())
            assert limit.fresh is fresh


def test_a_connection_that_is_closed_already(recwarn: pytest.WarningsRecorder) -> None:
    ours, theirs = socket.socketpair()
    limit = AnswerLimit(0.05)
    with limit:
        limit.watch(ours.fileno())
        ours.close()
        theirs.close()
        time.sleep(0.2)
    assert limit.expired and not recwarn.list
