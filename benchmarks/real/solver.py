"""Running one program once: in a folder of its own, with a time limit."""

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path

PACKAGES = {"xfoil": "xfoil", "Xvfb": "xvfb", "ccx": "calculix-ccx"}
"""The Debian package of each program."""
CPU_LIMIT = 20
"""Seconds of CPU time, so that a busy machine changes no value; a run takes a fraction of one."""
WALL_LIMIT = 600.0
"""Seconds, for one that waits for something that does not come."""


class NoValueError(Exception):
    """The solver gave no value here: it crashed, did not converge, or took too long."""


class TimeLimitError(NoValueError):
    """It waited too long, which says more about the machine than about the point."""


def missing(programs: Iterable[str]) -> list[str]:
    """The Debian packages that are needed and not installed."""
    return [PACKAGES[name] for name in programs if shutil.which(name) is None]


def run(program: str, arguments: Iterable[str], folder: Path, typed: str = "") -> str:
    """Its output. One thread: the small systems here gain nothing from more."""
    settings = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        ended = subprocess.run(
            [program, *arguments], cwd=folder, input=typed, capture_output=True, text=True, errors="replace",
            env=settings, timeout=WALL_LIMIT, preexec_fn=_limited,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise TimeLimitError(f"{program}: no end after {WALL_LIMIT:g} s") from error
    if ended.returncode == -signal.SIGXCPU:
        raise NoValueError(f"{program}: no end after {CPU_LIMIT} s of CPU time")
    if ended.returncode:
        words = (ended.stderr.strip().splitlines() or ["nothing on standard error"])[-1]
        raise NoValueError(f"{program}: exit code {ended.returncode}, {words}")
    return ended.stdout


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 1))
