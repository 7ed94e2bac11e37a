"""What CalculiX says about a panel: the input it gets, and the tables it writes.

The edges of the plate may turn: they are held upwards, that at x = 0 also along x, in the middle of the thickness.
Pressure from below for the stress, a force on the far end for buckling, nothing for the frequency.
"""

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from benchmarks.real import panel as panels
from benchmarks.real import solver
from benchmarks.real.panel import Mesh, Panel

NEEDS = ("ccx",)
PRESSURE = 0.02
"""MPa."""
FORCE = 2.5e3
"""N, on the far end of the panel; so little that every design bears it, because factors below 1 are not found."""
MODES = 2
"""Of buckling: with one alone the lowest is often missed. Their usual accuracy leaves noise of 1e-4 to 1e-2."""
NUMBER = r"([-+]?\d*\.\d+(?:E[-+]?\d+)?)"


def deck(panel: Panel, step: Callable[[Panel, Mesh], list[str]]) -> str:
    """The whole input file for one kind of analysis."""
    mesh = panels.mesh(panel)
    length, width = (2 * count for count in mesh.shape)
    x, y, z = mesh.lattice.T
    edge = np.flatnonzero((z == 1) & (np.isin(x, (0, length)) | np.isin(y, (0, width))))
    end, corner = edge[x[edge] == 0], edge[(x[edge] == 0) & (y[edge] == 0)]
    lines = ["*NODE"] + [f"{i},{x:.6f},{y:.6f},{z:.6f}" for i, (x, y, z) in enumerate(mesh.nodes, 1)]
    lines += ["*ELEMENT,TYPE=C3D20R,ELSET=ALL"]
    for i, brick in enumerate(mesh.bricks + 1, 1):
        lines += [",".join(map(str, (i, *brick[:15]))) + ",", ",".join(map(str, brick[15:]))]
    for name, nodes in (("EDGE", edge), ("END", end), ("CORNER", corner)):
        lines += [f"*NSET,NSET={name}", *(f"{node + 1}," for node in nodes)]
    lines += ["*MATERIAL,NAME=ALUMINIUM", "*ELASTIC", f"{panels.MODULUS},{panels.POISSON}"]
    lines += ["*DENSITY", f"{panels.DENSITY}", "*SOLID SECTION,ELSET=ALL,MATERIAL=ALUMINIUM"]
    lines += ["*BOUNDARY", "EDGE,3", "END,1", "CORNER,2", "*STEP", *step(panel, mesh), "*END STEP", ""]
    return "\n".join(lines)


def pressed(panel: Panel, mesh: Mesh) -> list[str]:
    """Pressure on the plate from below (face 1 of its elements); stresses at the integration points."""
    plate = np.flatnonzero(mesh.cells[:, 2] == 0) + 1
    return ["*STATIC", "*DLOAD", *(f"{i},P1,{PRESSURE}" for i in plate), "*EL PRINT,ELSET=ALL", "S"]


def swinging(panel: Panel, mesh: Mesh) -> list[str]:
    """The lowest frequency."""
    return ["*FREQUENCY", "1"]


def compressed(panel: Panel, mesh: Mesh) -> list[str]:
    """The same pressure on all of the far end (face 4 of its elements), and the lowest factors on it that buckle."""
    far = np.flatnonzero(mesh.cells[:, 0] == mesh.shape[0] - 1) + 1
    return ["*BUCKLE", f"{MODES}", "*DLOAD", *(f"{i},P4,{FORCE / panel.end:.9g}" for i in far)]


def compute(panel: Panel, step: Callable[[Panel, Mesh], list[str]]) -> str:
    """Run it in a folder of its own; its tables."""
    with tempfile.TemporaryDirectory(prefix="ccx-") as name:
        folder = Path(name)
        (folder / "panel.inp").write_text(deck(panel, step))
        solver.run("ccx", ("panel",), folder)
        tables = folder / "panel.dat"
        return tables.read_text() if tables.exists() else ""


def mises(tables: str) -> float:
    """The largest von Mises stress of a table of stresses xx, yy, zz, xy, xz, yz (element and point before them)."""
    rows = [line.split() for line in tables.splitlines()]
    stresses = np.array([row[2:] for row in rows if len(row) == 8 and row[0].isdigit()], dtype=float)
    if not len(stresses):
        raise solver.NoValueError("ccx: no stresses in its tables")
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
        raise solver.NoValueError(f"ccx: no {what} in its tables")
    groups: Sequence[str] = found.groups()
    return float(groups[-1])


def stress(panel: Panel) -> float:
    return mises(compute(panel, pressed))


def frequency(panel: Panel) -> float:
    return cycles(compute(panel, swinging))


def buckling(panel: Panel) -> float:
    """The force that buckles it, kN."""
    return 1e-3 * FORCE * factor(compute(panel, compressed))
