"""A rectangular plate with ribs along x, its mesh of bricks with 20 nodes, and the model that CalculiX gets.

Millimetres, newtons, tonnes. The plate lies in 0 <= z <= plate; the ribs stand on it, equally spaced. The number of
elements follows from the sizes, as it does in any mesher: another cause of small jumps beside the number of ribs.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LENGTH, WIDTH = 600.0, 400.0
DENSITY, MODULUS, POISSON = 2.7e-9, 70000.0, 0.33
SEAM = 0.04
"""Mass of the seam of one rib, kg."""
ALONG = 12
"""Elements along the ribs."""
BAY, RISE = 70.0, 25.0
"""Largest width of an element between the ribs, and about its height in a rib."""

# The nodes of a brick on the lattice of half elements: corners, then the middles of the edges below, above, between.
CORNERS = ((0, 0), (2, 0), (2, 2), (0, 2))
MIDDLES = ((1, 0), (2, 1), (1, 2), (0, 1))
BRICK = np.array(
    [(*at, z) for z in (0, 2) for at in CORNERS]
    + [(*at, z) for z in (0, 2) for at in MIDDLES]
    + [(*at, 1) for at in CORNERS]
)


@dataclass(frozen=True)
class Panel:
    plate: float
    height: float
    rib: float
    """Thickness of a rib."""
    ribs: int

    @classmethod
    def of(cls, point: Mapping[str, float]) -> "Panel":
        """From the parameters of a study; of a number of ribs that is none, the nearest whole one counts."""
        return cls(point["plate"], point["height"], point["rib"], math.floor(point["ribs"] + 0.5))

    @property
    def end(self) -> float:
        """Area of the cross-section."""
        return WIDTH * self.plate + self.ribs * self.rib * self.height

    @property
    def mass(self) -> float:
        """In kilograms, with the seams that hold the ribs."""
        return 1e3 * DENSITY * LENGTH * self.end + SEAM * self.ribs


@dataclass(frozen=True)
class Mesh:
    nodes: Array
    """(n, 3) coordinates."""
    lattice: NDArray[np.int64]
    """(n, 3) place of each node on the lattice of half elements."""
    bricks: NDArray[np.int64]
    """(m, 20) nodes of each element, from 0."""
    cells: NDArray[np.int64]
    """(m, 3) place of each element in the grid; 0 in the last column is the plate."""
    shape: tuple[int, int]
    """Elements along and across."""

    def where(self, column: int, value: int) -> NDArray[np.int64]:
        """Nodes on a plane of the lattice."""
        return np.flatnonzero(self.lattice[:, column] == value)


def across(panel: Panel) -> tuple[Array, list[bool]]:
    """The lines between elements across the plate, and which of these strips carry a rib."""
    pitch, half = WIDTH / (panel.ribs + 1), 0.5 * panel.rib
    edges, carries = [0.0], []
    for bay in range(panel.ribs + 1):
        begin, end = edges[-1], WIDTH if bay == panel.ribs else (bay + 1) * pitch - half
        count = math.ceil((end - begin) / BAY)
        edges += list(np.linspace(begin, end, count + 1)[1:])
        carries += [False] * count
        if bay < panel.ribs:
            edges.append(edges[-1] + panel.rib)
            carries.append(True)
    return np.array(edges), carries


def upwards(panel: Panel) -> Array:
    """The lines between layers of elements: one in the plate, some in the ribs."""
    count = max(1, round(panel.height / RISE))
    return np.concatenate([[0.0], panel.plate + np.linspace(0.0, panel.height, count + 1)])


def mesh(panel: Panel) -> Mesh:
    (y, carries), z = across(panel), upwards(panel)
    x = np.linspace(0.0, LENGTH, ALONG + 1)
    cells = np.array(
        [
            (i, j, k)
            for k in range(len(z) - 1)
            for j, carried in enumerate(carries)
            for i in range(ALONG)
            if k == 0 or carried
        ]
    )
    corners = 2 * cells[:, None, :] + BRICK[None, :, :]
    lattice, numbers = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    nodes = np.column_stack([_halved(line)[lattice[:, i]] for i, line in enumerate((x, y, z))])
    return Mesh(nodes, lattice, numbers.reshape(-1, len(BRICK)), cells, (ALONG, len(carries)))


def _halved(line: Array) -> Array:
    """With the middles between its values."""
    return np.interp(0.5 * np.arange(2 * len(line) - 1), np.arange(len(line)), line)


def model(panel: Panel) -> str:
    """The part of the input that all analyses share: mesh, material, and the edges of the plate.

    The edges may turn: they are held upwards, that at x = 0 also along x, in the middle of the thickness.
    """
    made = mesh(panel)
    length, width = (2 * count for count in made.shape)
    x, y, z = made.lattice.T
    edge = np.flatnonzero((z == 1) & (np.isin(x, (0, length)) | np.isin(y, (0, width))))
    nodes = {"EDGE": edge, "END": edge[x[edge] == 0], "CORNER": edge[(x[edge] == 0) & (y[edge] == 0)]}
    plate, far = made.cells[:, 2] == 0, made.cells[:, 0] == made.shape[0] - 1
    lines = ["*NODE"] + [f"{i},{x:.6f},{y:.6f},{z:.6f}" for i, (x, y, z) in enumerate(made.nodes, 1)]
    lines += ["*ELEMENT,TYPE=C3D20R,ELSET=ALL"]
    for i, brick in enumerate(made.bricks + 1, 1):
        lines += [",".join(map(str, (i, *brick[:15]))) + ",", ",".join(map(str, brick[15:]))]
    for name, some in nodes.items():
        lines += [f"*NSET,NSET={name}", *(f"{node + 1}," for node in some)]
    for name, chosen in (("PLATE", plate), ("FAR", far)):
        lines += [f"*ELSET,ELSET={name}", *(f"{i + 1}," for i in np.flatnonzero(chosen))]
    lines += ["*MATERIAL,NAME=ALUMINIUM", "*ELASTIC", f"{MODULUS},{POISSON}", "*DENSITY", f"{DENSITY}"]
    lines += ["*SOLID SECTION,ELSET=ALL,MATERIAL=ALUMINIUM", "*BOUNDARY", "EDGE,3", "END,1", "CORNER,2", ""]
    return "\n".join(lines)
