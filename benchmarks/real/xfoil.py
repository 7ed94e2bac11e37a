"""What XFOIL says about a section: the commands that are typed, and the polar it writes."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.real import solver
from benchmarks.real.section import Section

NEEDS = ("xfoil", "Xvfb")
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


def compute(section: Section, reynolds: float, commands: Sequence[str]) -> list[Flow]:
    """Run it in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="xfoil-") as name, solver.display() as screen:
        folder = Path(name)
        (folder / "section.dat").write_text(section.file())
        solver.run("xfoil", (), folder, typed(reynolds, commands), {"DISPLAY": screen})
        polar = folder / "polar.txt"
        return flows(polar.read_text()) if polar.exists() else []


def at_lift(section: Section, reynolds: float, lift: float) -> Flow:
    """The flow at a given lift. NoValueError if it did not converge."""
    found = compute(section, reynolds, [f"CL {lift:g}"])
    if len(found) != 1:
        raise solver.NoValueError(f"xfoil: no convergence at a lift of {lift:g}")
    return found[0]


def stall(sweep: Sequence[Flow]) -> float:
    """The largest lift before the first fall, as one reads it from a sweep: jumps when another angle is the first."""
    if len(sweep) < FEWEST:
        raise solver.NoValueError(f"xfoil: {len(sweep)} angles converged, expected {FEWEST} or more")
    lifts = [flow.lift for flow in sweep]
    falls = [i for i in range(1, len(lifts)) if lifts[i] < lifts[i - 1]]
    return lifts[falls[0] - 1] if falls else lifts[-1]


def largest_lift(section: Section, reynolds: float) -> float:
    first, last, step = SWEEP
    return stall(compute(section, reynolds, [f"ASEQ {first:g} {last:g} {step:g}"]))
