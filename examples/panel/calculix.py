"""Running CalculiX on a model, and reading the tables it writes. Debian: apt install calculix-ccx."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SECONDS = 600.0
"""For one run, which takes about one: after that it hangs."""
NUMBER = r"([-+]?\d*\.\d+(?:E[-+]?\d+)?)"


def compute(model: Path, step: Sequence[str], folder: Path) -> str:
    """Carry out one step on a model, in this folder; the tables. One thread: small systems gain nothing from more."""
    lines = [f"*INCLUDE,INPUT={os.path.relpath(model, folder)}", "*STEP", *step, "*END STEP", ""]
    (folder / "run.inp").write_text("\n".join(lines))
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with (folder / "run.out").open("w") as said:
        subprocess.run(["ccx", "run"], cwd=folder, env=environment, timeout=SECONDS, check=True, stdout=said)
    tables = folder / "run.dat"
    return tables.read_text() if tables.exists() else ""


def mises(tables: str) -> float:
    """The largest von Mises stress of a table of stresses xx, yy, zz, xy, xz, yz (element and point before them)."""
    rows = [line.split() for line in tables.splitlines()]
    stresses = np.array([row[2:] for row in rows if len(row) == 8 and row[0].isdigit()], dtype=float)
    if not len(stresses):
        raise RuntimeError("ccx: no stresses in its tables")
    xx, yy, zz, xy, xz, yz = stresses.T
    squares = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (xy**2 + xz**2 + yz**2)
    return float(np.sqrt(squares.max()))


def cycles(tables: str) -> float:
    """The first frequency in Hz: third number of the first row of eigenvalues."""
    return _first(tables, rf"CYCLES/TIME.*?\n\s+1\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}", "frequency")


def factor(tables: str) -> float:
    """The lowest buckling factor."""
    return _first(tables, rf"FACTOR\s+1\s+{NUMBER}", "buckling factor")


def _first(tables: str, pattern: str, what: str) -> float:
    found = re.search(pattern, tables, re.DOTALL)
    if found is None:
        raise RuntimeError(f"ccx: no {what} in its tables")
    groups: Sequence[str] = found.groups()
    return float(groups[-1])
