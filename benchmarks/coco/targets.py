"""Shares of targets reached, as COCO counts them: 41 precisions f - f* from 1e2 to 1e-6 for every problem.

A target is reached at the cost at which the precision is first as good (a hit is never taken back).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from taut_paper.arena.suite import place

Row = dict[str, Any]
TARGETS = 10.0 ** np.arange(2.0, -6.1, -0.2)
KINDS = ("K = 1", "K = 3", "K = 9", "K = 9 + 3d/4", "K = 9 + 3d/2", "K = 9 + 9d/2")
OBJECTIVES = (
    *("sphere", "ellipsoid", "linear slope", "rotated ellipsoid", "discus", "bent cigar", "different powers"),
    *("Rastrigin", "rotated Rastrigin"),
)
OWN = ("dckg", "cei+", "cei", "random", "ucb-d", "pesc", "ckg", "cmes")


def kind(row: Row) -> str:
    """The class of K of its problem."""
    return KINDS[(place(row["problem"]).function - 1) % 6]


def objective(row: Row) -> str:
    return OBJECTIVES[(place(row["problem"]).function - 1) // 6]


def curve_of(row: Row) -> str:
    """By what a method is judged: the library's by the recommendation, others by their trials, which they hand out."""
    return "answers" if row["method"] in OWN else "trials"


def hits(curve: Sequence[Sequence[float]]) -> np.ndarray:
    """Units at which each target was reached, infinite if never; [41]."""
    found = np.full(len(TARGETS), np.inf)
    for spent, precision in reversed(curve):
        found[precision <= TARGETS] = spent
    return found


def times(rows: Iterable[Row], which: Callable[[Row], str] = curve_of) -> np.ndarray:
    """Units for each parameter at which the targets of all rows were reached; [41 rows]."""
    made = [hits(row[which(row)]) / place(row["problem"]).dimension for row in rows]
    return np.concatenate(made) if made else np.array([])


def share(rows: Sequence[Row], units: float, which: Callable[[Row], str] = curve_of) -> float:
    """Share of targets reached at this cost for each parameter."""
    found = times(rows, which)
    return float(np.mean(found <= units + 1e-9)) if len(found) else float("nan")


def ecdf(rows: Sequence[Row], grid: np.ndarray) -> np.ndarray:
    """The share at every cost of a grid."""
    found = np.sort(times(rows))
    return np.searchsorted(found, grid + 1e-9, side="right") / max(len(found), 1)


def complete(rows: Sequence[Row]) -> list[Row]:
    """Rows of problems and seeds that all methods of the same dimension have, so that all are judged on the same."""
    keys: dict[str, set[tuple[str, int]]] = {}
    for row in rows:
        keys.setdefault(row["method"], set()).add((row["problem"], row["seed"]))
    shared = set.intersection(*keys.values()) if keys else set()
    return [row for row in rows if (row["problem"], row["seed"]) in shared]


def groups(rows: Sequence[Row]) -> list[list[Row]]:
    """Comparisons on the same problems: of methods with as many runs as the default, then of all on what they share."""
    sizes = Counter(row["method"] for row in rows)
    full = [row for row in rows if sizes[row["method"]] >= sizes["dckg"]]
    found = [complete(full), complete(rows)]
    return [found[0]] if len(found[0]) == len(found[1]) else [group for group in found if group]


def methods(rows: Iterable[Row]) -> list[str]:
    """The library's own first."""
    present = dict.fromkeys(row["method"] for row in rows)
    return [name for name in OWN if name in present] + sorted(name for name in present if name not in OWN)


def of_dimension(rows: Iterable[Row], d: int) -> list[Row]:
    return [row for row in rows if place(row["problem"]).dimension == d]


def dimensions(rows: Iterable[Row]) -> list[int]:
    return sorted({place(row["problem"]).dimension for row in rows})
