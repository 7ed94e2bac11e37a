"""What XFOIL says about a section: what is typed, and the polar it writes. Debian: xfoil, xvfb and xfonts-base."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEEDS = ("xfoil", "Xvfb")
SECONDS = 60.0
"""For one run, which takes a fraction of one: after that it hangs."""
ITERATIONS = 100
SWEEP = (6.0, 20.0, 0.5)
"""First and last angle and the step of the sweep to the stall, degrees."""
FEWEST = 5
"""Converged angles without which a sweep says nothing."""


@dataclass(frozen=True)
class Flow:
    """One line of a polar: angle in degrees, coefficients of lift, drag and moment about the quarter chord."""

    angle: float
    lift: float
    drag: float
    moment: float


def typed(reynolds: float, commands: Sequence[str]) -> str:
    """What a person would type to get polar.txt of section.dat."""
    head = ["LOAD section.dat", "PANE", "OPER", f"VISC {reynolds:.0f}", f"ITER {ITERATIONS}", "PACC", "polar.txt", ""]
    return "\n".join([*head, *commands, "", "QUIT", ""])


def flows(polar: str) -> list[Flow]:
    """The converged points of a polar; those that did not converge are not in it."""
    lines = polar.splitlines()
    rules = [i for i, line in enumerate(lines) if line.split()[:1] == ["------"]]
    rows = [line.split() for line in lines[rules[0] + 1 :]] if rules else []
    return [Flow(*(float(row[i]) for i in (0, 1, 2, 4))) for row in rows if row]


@contextmanager
def display() -> Iterator[str]:
    """The name of a virtual display that lasts for one run.

    XFOIL draws after every viscous point. Debian's build has no mode without: with graphics switched off it divides by
    the size of a window that was never opened, and it is built to trap that; without a display it gives up.
    """
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-terminate", "-screen", "0", "64x64x8", "-nolisten", "tcp"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, pass_fds=(writing,), **quiet)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start; try it by hand: Xvfb -displayfd 1")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


def compute(section: Any, reynolds: float, commands: Sequence[str]) -> list[Flow]:
    """Run it in a folder of its own. RuntimeError if it crashes, as it does where it divides by zero."""
    with tempfile.TemporaryDirectory(prefix="xfoil-") as name, display() as screen:
        folder, environment = Path(name), os.environ | {"DISPLAY": screen}
        (folder / "section.dat").write_text(section.file())
        ended = subprocess.run(
            ["xfoil"], input=typed(reynolds, commands), text=True, cwd=folder, env=environment, timeout=SECONDS,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        if ended.returncode:
            raise RuntimeError(f"xfoil: {crash(ended.returncode, ended.stderr)}")
        polar = folder / "polar.txt"
        return flows(polar.read_text()) if polar.exists() else []


def crash(code: int, said: str) -> str:
    """Why it ended with a code other than 0, in words."""
    first = next((line.strip() for line in said.splitlines() if line.strip()), "without a word")
    fonts = "; install xfonts-base: it draws with the fonts of the display" if "BadName" in said else ""
    return f"ended with code {code}, {first}{fonts}"


def at_lift(section: Any, reynolds: float, lift: float) -> Flow:
    """The flow at a given lift. RuntimeError if it did not converge."""
    found = compute(section, reynolds, [f"CL {lift:g}"])
    if len(found) != 1:
        raise RuntimeError(f"xfoil: no convergence at a lift of {lift:g}")
    return found[0]


def stall(sweep: Sequence[Flow]) -> float:
    """The largest lift before the first fall, as one reads it from a sweep: jumps when another angle is the first."""
    if len(sweep) < FEWEST:
        raise RuntimeError(f"xfoil: {len(sweep)} angles converged, expected {FEWEST} or more")
    lifts = [flow.lift for flow in sweep]
    falls = [i for i in range(1, len(lifts)) if lifts[i] < lifts[i - 1]]
    return lifts[falls[0] - 1] if falls else lifts[-1]


def largest_lift(section: Any, reynolds: float) -> float:
    first, last, step = SWEEP
    return stall(compute(section, reynolds, [f"ASEQ {first:g} {last:g} {step:g}"]))
