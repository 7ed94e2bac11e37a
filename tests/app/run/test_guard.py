"""Programs do not outlive who started them, whenever that is killed; and errors are those of a direct start."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import fakes
import pytest

from taut.app.run import guard

STARTER = """\
import os, signal, sys
from pathlib import Path
from taut.app.run import guard
from taut.app.run.commands import Command
from taut.study.programs import Task

def die(*given):
    os.kill(os.getpid(), signal.SIGKILL)

def noted(add):
    def call(group):
        Path({runs!r} + '.group').write_text(str(group))
        {before}
        add(group)
        {after}
    return call

guard.WATCHDOG.add = noted(guard.WATCHDOG.add)
{more}
argv = ('/bin/sh', '-c', 'touch started; {program}; sleep 60')
Command('stress', ('stress',), argv, 'bracket', {runs!r}).evaluate(Task(17, {{}}, ('stress',)))
"""
MOMENTS = {
    "when it has begun": {"program": "kill -9 $PPID"},
    "before the watchdog knows of it": {"before": "die()"},
    "when the watchdog knows of it": {"after": "die()"},
    "in the middle of the order": {"more": "guard._send = lambda pipe, order: (os.write(pipe, order[:40]), die())"},
    "at the end of the order": {"more": "guard._check = die"},
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_first_program_of_a_run_that_is_killed(moment: str, tmp_path: Path) -> None:
    runs = tmp_path / "bracket.runs"
    parts = {"program": ":", "before": "pass", "after": "pass", "more": ""} | MOMENTS[moment]
    ended = subprocess.run([sys.executable, "-c", STARTER.format(runs=str(runs), **parts)], timeout=60)
    assert ended.returncode == -signal.SIGKILL
    group = int((tmp_path / "bracket.runs.group").read_text())
    fakes.until(lambda: not fakes.alive(group))
    if moment in ("before the watchdog knows of it", "in the middle of the order"):
        assert not list(runs.rglob("started"))


@pytest.mark.parametrize(
    "name", ["/no/such", "/etc/passwd", "{}/garbage", "garbage", "no-such-program", "{}/cut", "{}"]
)
def test_what_cannot_be_started_is_named_as_by_the_system(name: str, tmp_path: Path) -> None:
    for tool, content in (("garbage", b"\x00\x01"), ("cut", b"#!/no/such/interpreter\n")):
        (tmp_path / tool).write_bytes(content)
        (tmp_path / tool).chmod(0o755)
    argv, environment = [name.format(tmp_path), "x"], {"PATH": f"/nowhere:{tmp_path}"}
    with pytest.raises(OSError) as expected:
        subprocess.Popen(argv, env=environment, cwd=tmp_path)
    with pytest.raises(OSError) as found, open(os.devnull, "rb") as nothing:
        guard.start(argv, tmp_path, environment, nothing)
    assert found.type is expected.type and str(found.value) == str(expected.value)
    assert not guard.WATCHDOG._groups


def test_words_that_are_too_long(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Argument list too long"), open(os.devnull, "rb") as nothing:
        guard.start(["/bin/true", "x" * 5_000_000], tmp_path, {}, nothing)


def test_a_gate_that_is_killed_is_no_program_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_send", lambda pipe, order: os.close(pipe))
    with pytest.raises(OSError, match="was killed before"), open(os.devnull, "rb") as nothing:
        guard.start(["/bin/true"], tmp_path, {}, nothing)


@pytest.fixture
def watchdog(monkeypatch: pytest.MonkeyPatch) -> Iterator[guard.Watchdog]:
    fresh = guard.Watchdog()
    monkeypatch.setattr(guard, "WATCHDOG", fresh)
    yield fresh
    fresh._kill()


def sleeping(folder: Path) -> "subprocess.Popen[bytes]":
    with open(os.devnull, "rb") as nothing:
        return guard.start(["/bin/sleep", "60"], folder, {}, nothing)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_watchdog_that_does_not_answer_is_replaced(
    number: signal.Signals, watchdog: guard.Watchdog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the new one knows of what was started before."""
    programs = [sleeping(tmp_path)]
    first = watchdog._process
    assert first is not None
    first.send_signal(number)
    if number == signal.SIGKILL:
        first.wait()
    monkeypatch.setattr(guard, "ANSWER_SECONDS", 3.0)  # the new one has to start in that time
    programs.append(sleeping(tmp_path))
    second = watchdog._process
    assert second is not None and second.pid != first.pid and first.returncode == -signal.SIGKILL
    assert all(program.poll() is None for program in programs)
    watchdog._close()  # as at the end of this process
    for program in programs:
        assert program.communicate() and program.returncode == -signal.SIGKILL


def test_there_is_no_program_without_a_watchdog(
    watchdog: guard.Watchdog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard.watchdog, "__file__", "/no/such/file.py")
    with pytest.raises(OSError, match="does not answer|Broken pipe"):
        sleeping(tmp_path)


def test_many_threads_start_programs(tmp_path: Path) -> None:
    found: list[bytes] = []

    def one(number: int) -> None:
        with open(os.devnull, "rb") as nothing:
            process = guard.start(["/bin/echo", str(number)], tmp_path, {"PATH": "/bin"}, nothing)
        found.append(process.communicate()[0])
        guard.forget(process.pid)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(map(int, found)) == list(range(16)) and not guard.WATCHDOG._groups
