"""The programs of a tormented study, and the journal that they keep outside taut's database."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUN = "CHAOS_RUN"
"""Environment: the name of the run that a program belongs to."""
STUDY = "CHAOS_STUDY"
"""Environment: the name of the study; every process with it must be gone in the end."""
SECONDS = "CHAOS_SECONDS"
"""Environment: how long the quickest program of a run takes."""

SHOOTS = "CHAOS_SHOOTS"
"""Environment: set if the first thing that a program does is to kill its run."""
PROCESS = "CHAOS_PROCESS"
"""Environment: the process of the run."""

START = f"""\
#!/bin/sh
ulimit -S -f unlimited
[ -z "${SHOOTS}" ] || kill -9 "${PROCESS}"
exec "{sys.executable}" -I -S "$TAUT_FOLDER/program.py"
"""
"""Starts much faster than Python: what happens in the first millisecond of a program can be tried. A limit on the size
of files is meant for its run, not for the journal."""

COSTS = {"f": 1.0, "c": 2.0, "d": 3.0, "e": 3.0}
"""d and e are evaluated together."""

PROGRAM = f"""\
import json, os, sys, time
asked = json.load(sys.stdin)
point = asked["parameters"]
x, y = point["x"], point["y"]
formulas = {{"f": (x - 0.3) ** 2 + y, "c": x * y - 0.2, "d": x + y - 1.1, "e": x - y}}
values = {{name: formulas[name] for name in asked["functions"]}}
def note(what):
    entry = [what, os.environ["{RUN}"], asked["suggestion"], values, os.getpid(), time.monotonic()]
    file = os.open(os.environ["TAUT_FOLDER"] + "/journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, (json.dumps(entry) + "\\n").encode())
    os.close(file)
note("start")
time.sleep(float(os.environ["{SECONDS}"]) * (1 + 2 * ("c" in values)))
note("end")
print(json.dumps(values))
"""
"""Notes its start and its end; that of c takes longer than the others."""


@dataclass(slots=True)
class Evaluation:
    """One program that was started. values: what it found, or would have."""

    run: str
    number: int
    values: dict[str, float]
    process: int
    start: float
    end: float | None = None

    @property
    def keys(self) -> list[tuple[int, str]]:
        return [(self.number, name) for name in self.values]


def read(path: Path) -> list[Evaluation]:
    """All programs, in the order in which they started."""
    found: list[Evaluation] = []
    last: dict[tuple[str, int], Evaluation] = {}
    for what, run, number, values, process, when in _entries(path):
        if what == "start":
            last[run, process] = Evaluation(run, number, values, process, when)
            found.append(last[run, process])
        else:
            last[run, process].end = when
    return found


def _entries(path: Path) -> list[list[Any]]:
    try:
        lines = path.read_text().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines if line.endswith("\n")]
