"""The truth about a problem: its best point, the best other local optimum, and the spread of its feasible values.

By local searches on the true functions from many starts. It takes about a second, so it is kept in references.json.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from guarding.landscapes import Landscape
from taut.base.quasirandom import sobol

FINER = 1e-3
"""A value below this share of the spread is climbed to once more."""
KEPT = Path(__file__).with_name("references.json")
RANDOM = 48
"""Starts at random places, among which those are counted that find the optimum."""


@dataclass(frozen=True)
class Reference:
    """x: the best point; optimum: its value; other: value of the best other local optimum (None: there is none);
    spread: range of the feasible values; lowest: smallest value in the cube; ranges: of the constraints; found: share
    of local searches from random places that end at the optimum.
    """

    x: list[float]
    optimum: float
    other: float | None
    spread: float
    lowest: float
    ranges: list[float]
    found: float


def reference(name: str, landscape: Callable[[], Landscape], d: int) -> Reference:
    """From the file, or computed and added to it."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if name not in kept:
        kept[name] = asdict(computed(landscape(), d))
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(kept[key])}" for key in sorted(kept))
        KEPT.write_text("{\n" + lines + "\n}\n")
    return Reference(**kept[name])


def computed(landscape: Landscape, d: int) -> Reference:
    """The 16 best of many feasible points, and RANDOM others, climbed to the end."""
    grid = sobol(2**13, d, np.random.default_rng(1))
    f, c = landscape(grid)
    feasible = (c <= 0.0).all(axis=0)
    best = grid[feasible][np.argsort(-f[feasible])[:: max(int(feasible.sum()) // 400, 1)][:16]]
    starts = np.vstack([grid[feasible][[np.argmax(f[feasible])]], best, grid[:RANDOM]])
    ranges = [max(float(np.ptp(each)), 1e-12) for each in c]
    ends = [_climbed(landscape, start, float(np.ptp(f)), np.array(ranges)) for start in starts]
    good = [(value, x) for value, x in filter(None, ends)]
    optimum, x = max(good, key=lambda pair: pair[0])
    spread = float(max(optimum, f[feasible].max()) - f[feasible].min())
    others = [value for value, at in good if optimum - value > 1e-4 * spread and np.abs(at - x).max() > 0.01]
    hits = [end for end in ends[-RANDOM:] if end is not None and optimum - end[0] <= 1e-4 * spread]
    other = max(others) if others else None
    return Reference([float(u) for u in x], optimum, other, spread, float(f.min()), ranges, len(hits) / RANDOM)


def _climbed(
    landscape: Landscape, start: np.ndarray, scale: float, ranges: np.ndarray
) -> tuple[float, np.ndarray] | None:
    """Value and end of a local search; None if infeasible."""

    def height(x: np.ndarray) -> float:
        return -float(landscape(x[None, :])[0][0]) / scale

    def margin(x: np.ndarray) -> np.ndarray:
        return -landscape(x[None, :])[1][:, 0] / ranges - 1e-9

    bounds = [(0.0, 1.0)] * len(start)
    found = minimize(height, start, method="SLSQP", bounds=bounds, constraints={"type": "ineq", "fun": margin},
                     options={"maxiter": 80, "ftol": 1e-12})  # fmt: skip
    x = np.clip(found.x, 0.0, 1.0)
    finer = abs(height(x)) * scale
    if FINER * scale > finer > 0.0:  # values over orders of magnitude: once more in the unit of what was found
        end = _climbed(landscape, x, finer, ranges)
        return end if end is not None and end[0] > -height(x) * scale else (-height(x) * scale, x)
    return (-height(x) * scale, x) if (margin(x) >= -1e-9).all() else None
