"""How programs end, with all that they started; and how much of their output is kept."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import fakes
import pytest
from fakes import TASK, command, failure

from taut.app.run import processes
from taut.study.programs import Outcome


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "bracket.runs"


def test_output_is_bounded(runs: Path) -> None:
    source = (
        "import sys\nfor _ in range(300): sys.stdout.write('x' * 9999 + '\\n')\n"
        "sys.stderr.write('y' * 3_000_000)\nprint('{\"stress\": 1.0}')"
    )
    assert command(runs, source).evaluate(TASK) == Outcome({"stress": 1.0})
    for name in ("taut-stdout.txt", "taut-stderr.txt"):
        size = (runs / "17-stress-1" / name).stat().st_size
        assert processes.FILE_BYTES < size < processes.FILE_BYTES + processes.TAIL_BYTES + 200
    text = (runs / "17-stress-1" / "taut-stdout.txt").read_text()
    assert "bytes left out here" in text and text.endswith('{"stress": 1.0}\n')


FAMILY = """\
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-S', '-c', 'import time, signal\\n'
    'signal.signal(signal.SIGTERM, signal.SIG_IGN)\\nprint(1, flush=True); time.sleep(60)'], stdout=subprocess.PIPE)
child.stdout.readline()
open('pids.txt', 'w').write(f'{os.getpid()} {child.pid}'); os.rename('pids.txt', 'pids')
"""


def pids(runs: Path) -> list[int]:
    fakes.until(lambda: list(runs.glob("*/pids")))
    return [int(word) for path in runs.glob("*/pids") for word in path.read_text().split()]


def test_a_time_out_ends_the_whole_group(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.2)
    source = FAMILY + "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    start = time.monotonic()
    failure(command(runs, source, timeout=1.0).evaluate(TASK), "time-out of 1 s")
    assert time.monotonic() - start < 10.0
    family = pids(runs)
    fakes.until(lambda: not any(map(fakes.alive, family)))


def test_what_a_program_leaves_behind_is_ended(runs: Path) -> None:
    start = time.monotonic()
    assert command(runs, FAMILY + "print('{\"stress\": 1.0}')").evaluate(TASK) == Outcome({"stress": 1.0})
    assert time.monotonic() - start < 10.0
    family = pids(runs)
    fakes.until(lambda: not any(map(fakes.alive, family)))


def test_programs_end_on_request_and_are_not_retried(runs: Path) -> None:
    program = command(runs, FAMILY + "time.sleep(60)", retries=3, owner="me")
    other = command(runs.parent / "other.runs", "import time; time.sleep(1); print('{\"stress\": 1.0}')", owner="you")
    found: dict[str, Outcome] = {}
    threads = [
        threading.Thread(target=lambda each=each: found.update({each.owner: each.evaluate(TASK)}))
        for each in (program, other)
    ]
    for thread in threads:
        thread.start()
    pids(runs)
    processes.end_all("me")
    for thread in threads:
        thread.join(10)
    assert found["me"].interrupted and found["me"].values == {"stress": None}
    assert found["you"] == Outcome({"stress": 1.0})
    assert [path.name for path in runs.iterdir()] == ["17-stress-1"]
    assert program.evaluate(TASK).interrupted  # also if it was about to start


def test_programs_do_not_outlive_who_started_them(runs: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from taut.app.run.commands import Command; from taut.study.programs import Task\n"
        f"argv = (sys.executable, '-S', '-c', {FAMILY + 'time.sleep(60)'!r})\n"
        f"Command('stress', ('stress',), argv, 'bracket', {str(runs)!r}).evaluate(Task(17, {{}}, ('stress',)))"
    )
    starter = subprocess.Popen([sys.executable, "-c", script])
    family = pids(runs)
    assert all(map(fakes.alive, family))
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    fakes.until(lambda: not any(map(fakes.alive, family)))


DAEMON = """\
import os, sys, time
if os.fork() == 0:
    os.setsid()
    open('pids.txt', 'w').write(str(os.getpid())); os.rename('pids.txt', 'pids')
    {then}
    os._exit(0)
while not os.path.exists('pids'): time.sleep(0.01)
print('{{"stress": 1.0}}')
"""


def test_a_process_that_keeps_the_output_open_is_not_waited_for(runs: Path) -> None:
    assert command(runs, DAEMON.format(then="time.sleep(60)")).evaluate(TASK) == Outcome({"stress": 1.0})
    assert not [thread for thread in threading.enumerate() if thread.name == "taut-output"]  # nobody reads any more
    (daemon,) = pids(runs)
    assert fakes.alive(daemon)
    os.kill(daemon, signal.SIGKILL)


def test_what_a_process_outside_of_the_group_wrote_before_is_no_failure(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one that was killed with the group leaves nothing in doubt."""
    joined = "print('{\"stress\": 1.0}', flush=True); os.write(1, b'junk\\n')"
    source = DAEMON.format(then="time.sleep(60)") + f"\nsys.stdout.flush(); {joined}"
    assert command(runs, source).evaluate(TASK) == Outcome({"stress": 1.0})
    os.kill(*pids(runs), signal.SIGKILL)
    monkeypatch.setattr(processes, "SHARED_SECONDS", 20.0)  # this machine may be busy
    source = FAMILY.replace("stdout=subprocess.PIPE", "stdout=subprocess.PIPE, stderr=1") + joined
    failure(command(runs.parent / "others.runs", source).evaluate(TASK), "got 'junk'")


def test_what_is_written_when_the_program_has_ended_is_not_its_output(runs: Path) -> None:
    then = (
        "parent = os.getppid()\n"
        "    while os.getppid() == parent: time.sleep(0.02)\n"
        "    time.sleep(1.0)\n"
        "    for _ in range(40): os.write(1, b'still here\\n'); time.sleep(0.05)"
    )
    assert command(runs, DAEMON.format(then=then)).evaluate(TASK) == Outcome({"stress": 1.0})
    (daemon,) = pids(runs)
    fakes.until(lambda: not fakes.alive(daemon))
