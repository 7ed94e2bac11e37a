"""Names of processes, and who is seen to live or to have ended."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from taut.storage import owner


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def named(process: int) -> str:
    """What a process of ours would call itself."""
    host, _, name, world, _ = owner.new().split(" ")
    return f"{host} {process} {name} {world} {owner._started(process)}"


def test_a_living_process_is_seen() -> None:
    assert owner.seen(owner.new()) is True
    assert owner.new() != owner.new()


def test_a_stopped_process_lives(sleeper: "subprocess.Popen[bytes]") -> None:
    name = named(sleeper.pid)
    os.kill(sleeper.pid, 19)
    assert owner.seen(name) is True


def test_an_ended_process_is_seen_to_have_ended(sleeper: "subprocess.Popen[bytes]") -> None:
    name = named(sleeper.pid)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert owner.seen(name) is False  # nobody has asked how it ended
    sleeper.wait()
    assert owner.seen(name) is False


def test_a_process_that_took_over_the_number_is_another() -> None:
    parts = owner.new().split(" ")
    assert owner.seen(" ".join([*parts[:4], str(int(parts[4]) - 1)])) is False


def test_where_one_cannot_look_nothing_is_known() -> None:
    host, process, name, world, start = owner.new().split(" ")
    for stranger in (
        f"{host} 999999999 {name} another-boot/pid:[1] {start}",  # another machine or container
        f"{host} 999999999 {name} - -",  # a system that does not tell
        f"{host} {process} {name} {world} -",
        f"{host} 999999999 {name}",  # as earlier versions wrote it
        f"{host} x {name} {world} {start}",
        "",
    ):
        assert owner.seen(stranger) is None


def test_a_hidden_process_is_not_taken_for_dead(
    sleeper: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Systems for many users hide the processes of others: /proc has no folder for them, and signals are refused."""
    name = named(sleeper.pid)
    monkeypatch.setattr(Path, "read_text", _hidden)
    monkeypatch.setattr(os, "kill", _refused)
    assert owner.seen(name) is None
    monkeypatch.undo()
    monkeypatch.setattr(Path, "read_text", _hidden)
    sleeper.kill()
    sleeper.wait()
    assert owner.seen(name) is False  # the system says that there is none of this number


def _hidden(path: Path) -> str:
    raise FileNotFoundError(str(path))


def _refused(process: int, number: int) -> None:
    raise PermissionError


def test_owners_for_people() -> None:
    assert f"process {os.getpid()} on " in owner.short(owner.new())
    assert owner.short("a stranger") == "'a stranger'"


def test_a_turn_is_had_by_one_name_in_a_process() -> None:
    turn = owner.Turn()
    with turn as first:
        pass
    with turn as second:
        pass
    assert first == second and owner.seen(first)
    run = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, env=os.environ | {"PYTHONWARNINGS": "default"}
    )
    mine, child = run.stdout.split("\n")[:2]
    assert mine != child


FORKED = """
import os; from taut.storage.owner import Turn
turn = Turn()
with turn as name: print(name, flush=True)
if os.fork() == 0:
    with turn as name: print(name, flush=True)
    os._exit(0)
os.wait()
"""
