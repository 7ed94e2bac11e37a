"""How rough the functions are: values along a line, and what its second differences say.

Along a line with small steps a smooth function has second differences near 0. Their median says how large the noise
is (for white noise of standard deviation s the median of their absolute values is 0.6745 sqrt(6) s), the largest how
large the jumps are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.real.cache import Cache
from benchmarks.real.cases import CASES

WHITE = 0.6745 * 6.0**0.5


@dataclass(frozen=True)
class Roughness:
    function: str
    failed: int
    spread: float
    """Largest less smallest value."""
    noise: float
    """Standard deviation of white noise that would give the median second difference."""
    jump: float
    """Largest absolute first difference, less the median one."""


def line(begin: Mapping[str, float], end: Mapping[str, float], count: int) -> list[dict[str, float]]:
    """Points from begin to end, both included."""
    return [{name: begin[name] + t * (end[name] - begin[name]) for name in begin} for t in np.linspace(0.0, 1.0, count)]


def roughness(function: str, values: Sequence[float | None]) -> Roughness:
    """nan where too few values are beside each other."""
    y = np.array([np.nan if value is None else value for value in values])
    first, second = np.abs(np.diff(y)), np.abs(np.diff(y, n=2))
    steps, bends = first[~np.isnan(first)], second[~np.isnan(second)]
    if not len(bends):
        return Roughness(function, int(np.isnan(y).sum()), np.nan, np.nan, np.nan)
    spread = float(np.nanmax(y) - np.nanmin(y))
    jump = float(steps.max() - np.median(steps))
    return Roughness(function, int(np.isnan(y).sum()), spread, float(np.median(bends)) / WHITE, jump)


def scan(name: str, kept: Cache, begin: Mapping[str, float], end: Mapping[str, float], count: int) -> list[Roughness]:
    points, functions = line(begin, end, count), CASES[name].problem.functions
    return [roughness(each, [kept.run(name, each, point).value for point in points]) for each in functions]


def report(found: Sequence[Roughness]) -> str:
    head = "| function | failed | spread | noise | largest jump |\n|---|---:|---:|---:|---:|"
    rows = [
        (each.function, each.failed, f"{each.spread:.4g}", f"{each.noise:.2g}", f"{each.jump:.2g}") for each in found
    ]
    return "\n".join([head, *(f"| {' | '.join(map(str, row))} |" for row in rows)])
