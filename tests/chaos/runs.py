"""Runs of taut, in sessions of their own, and what they print."""

import json
import math
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent.parent
_VALUES = re.compile(r"\s*(\d+)  \S+ +(\S+ = .*); spent ")


class Nursery:
    """Starts commands of taut, forked from a process that has imported everything; see nursery.py."""

    def __init__(self) -> None:
        paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")  # a forked process has one thread
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "chaos.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            env=dict(os.environ) | threads | {"PYTHONPATH": os.pathsep.join(paths)},
        )
        self._ends: dict[int, tuple[int, float]] = {}
        self._buffer = b""
        self._next("ready")

    def start(
        self, words: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str], real: bool = False
    ) -> int:
        """The number of the new process. real: a new interpreter instead of a fork."""
        request = {"words": [*words], "folder": str(folder), "log": str(log), "real": real}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request | {"environment": dict(environment)}).encode() + b"\n")
        number = self._next("started")
        self._ends.pop(number, None)
        return number

    def ended(self, process: int) -> tuple[int, float] | None:
        """Its exit code and when it ended; None while it runs."""
        assert self._process.stdout is not None
        while select.select([self._process.stdout], [], [], 0.0)[0]:
            self._read()
        return self._ends.get(process)

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _next(self, what: str) -> int:
        while True:
            for answer in self._read():
                if what in answer:
                    return int(answer[what])

    def _read(self) -> list[dict[str, float]]:
        assert self._process.stdout is not None
        chunk = self._process.stdout.read(65536)
        if not chunk:
            raise RuntimeError("the process that starts the runs has died")
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        answers: list[dict[str, float]] = [json.loads(line) for line in lines]
        for answer in answers:
            if "ended" in answer:
                self._ends[int(answer["ended"])] = int(answer["code"]), answer["time"]
        return answers


@dataclass(slots=True)
class Run:
    """One `taut run`. Times are those of time.monotonic()."""

    name: str
    process: int
    log: Path
    started: float
    slow: bool = False
    killed: float = math.inf
    """Just before the signal."""
    ended: float = math.inf
    code: int | None = None

    @property
    def text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    @property
    def dead(self) -> float:
        """From then on others may take its work over."""
        return min(self.killed, self.ended)

    def refused(self) -> bool:
        """Did it say in one line what is wrong, before it began?"""
        return self.code in (1, 2) and one_line(self.text)

    def acknowledged(self) -> dict[tuple[int, str], str]:
        """What it printed as stored: values, as printed, by suggestion and function."""
        found = {}
        for line in self.text.splitlines():
            if match := _VALUES.match(line):
                for part in match[2].partition("FAILED")[0].split(", "):
                    name, is_value, value = part.partition(" = ")
                    if is_value:
                        found[int(match[1]), name] = value
        return found


def one_line(text: str) -> bool:
    """Is it nothing but one sentence on what went wrong?"""
    lines = text.strip().splitlines()
    return len(lines) == 1 and lines[0].startswith("Error: ")


def leftover(variable: str, value: str) -> list[int]:
    """Processes with this in their environment."""
    wanted, found = f"{variable}={value}".encode(), []
    for entry in os.listdir("/proc"):
        if entry.isdecimal() and int(entry) != os.getpid():
            try:
                environment = Path(f"/proc/{entry}/environ").read_bytes()
            except OSError:  # has ended, or is somebody else's
                continue
            if wanted in environment.split(b"\0"):
                found.append(int(entry))
    return found


def belongs(process: int, variable: str, value: str) -> bool:
    """Is it alive and has this in its environment? The number may have been given to another meanwhile."""
    try:
        return f"{variable}={value}".encode() in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def waiting_for_processor() -> bool:
    """Does anything that this process started, or that those started, want to go on and cannot yet?

    On a busy machine silence is no hang while this is so: R is a thread that runs or is to run, D one that waits for
    the disk.
    """
    parents = {number: int(found[1]) for number in _numbers("/proc") if (found := _stat(f"/proc/{number}"))}
    ours = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return any(
        found[0] in "RD"
        for process in ours - {os.getpid()}
        for thread in _numbers(f"/proc/{process}/task")
        if (found := _stat(f"/proc/{process}/task/{thread}"))
    )


def _numbers(folder: str) -> list[int]:
    try:
        return [int(entry) for entry in os.listdir(folder) if entry.isdecimal()]
    except OSError:  # has ended
        return []


def _stat(folder: str) -> list[str]:
    """State, parent, ... of a process or thread; nothing if it has ended."""
    try:
        return Path(folder, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def now() -> float:
    return time.monotonic()
