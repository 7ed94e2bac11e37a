"""The gate: nothing of the user's is executed before the whole order has come; then it is as if started directly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from taut.app.run import gate, guard

LINUX = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes through /proc")


def pass_through(order: bytes, folder: Path) -> tuple[int, bytes, bytes]:
    """Exit code, what the gate answered, and what was printed."""
    order_there, order_here = os.pipe()
    answer_here, answer_there = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", gate.__file__, str(order_there), str(answer_there)],
        pass_fds=(order_there, answer_there),
        cwd=folder,
        stdout=subprocess.PIPE,
    )
    for each in (order_there, answer_there):
        os.close(each)
    guard._send(order_here, order)
    with open(answer_here, "rb") as pipe:
        answer = pipe.read()
    return process.wait(30), answer, process.communicate()[0]


def test_nothing_starts_before_the_whole_order_has_come(tmp_path: Path) -> None:
    order = guard._order(["/bin/sh", "-c", "echo started"], {"A": "1", "B": "go"})
    assert pass_through(order, tmp_path) == (0, b"+", b"started\n")
    for length in (0, 1, 5, len(order) // 2, len(order) - 1):
        assert pass_through(order[:length], tmp_path) == (0, b"", b"")


def test_the_error_that_says_most(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("not executable")
    for path, number in ((f"/no/such:{tmp_path}:/nowhere", 13), ("/no/such:/nowhere", 2), ("/etc/passwd", 20)):
        order = guard._order(["tool", ""], {"PATH": path})
        assert pass_through(order, tmp_path) == (0, b"+%d" % number, b"")


@LINUX
@pytest.mark.parametrize(
    "argv",
    [
        ["/bin/cat", "/proc/self/environ"],
        ["/bin/cat", "/proc/self/cmdline", "", "-", "é\n", "\udcff"],
        ["/bin/grep", "^Sig", "/proc/self/status"],
        ["/bin/ls", "/proc/self/fd"],
        ["cat", "/proc/self/limits"],
    ],
)
def test_a_program_cannot_tell_the_difference(argv: list[str], tmp_path: Path) -> None:
    environment = {"LC_ALL": "C", "PATH": "/nowhere:/bin", "B": "x=y", "é": "\udcff", "EMPTY": ""}
    request = tmp_path / "input"
    request.write_text("asked")
    with request.open("rb") as direct:
        expected = subprocess.run(
            argv, stdin=direct, capture_output=True, cwd=tmp_path, env=environment, start_new_session=True
        )
    with request.open("rb") as through:
        process = guard.start(argv, tmp_path, environment, through)
        found = process.communicate()
    guard.forget(process.pid)
    assert expected.stdout and found == (expected.stdout, expected.stderr)
    assert process.returncode == expected.returncode
