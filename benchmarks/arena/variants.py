"""The test problems as simulators would return them: rounded, noisy, with jumps, kinks, waves and failures.

Every change is a fixed function of the place: asking twice gives the same answer. Sizes are in shares of the spread of
a function, the width of the central 90 % of its values over the box; in more than two dimensions, over a box of a fifth
of the width around the optimum, as these problems have corners whose values dwarf all that matters. u is the place in
the unit cube, u0 the exact optimum, w a unit vector that belongs to the function, t = w (u - u0) the signed distance
from a plane through the optimum.
"""

import hashlib
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

import taut
from taut.base.arrays import Array
from taut.bench import BenchProblem

TARGETS = ("all", "objective", "constraints")
SAMPLE = 4096
"""Random places over which spreads and the size of failing regions are measured."""
NEIGHBOURHOOD = 0.2
"""Width of the box around the optimum over which spreads are measured in more than two dimensions."""
JUMPS = 0.01, 0.03
"""Smallest and largest jump; each function has its own."""
AWAY = 0.12
"""Distance of the plane of a jump that is away from the optimum."""
KINK, KINK_AT = 0.25, 0.03
"""Change of slope (spreads per unit of the cube) across a plane, and its distance from the optimum."""
WAVE, WAVELENGTH = 0.003, 0.04
CELL = 1e-10
"""Places closer than this (of the box) are one place to a hash: the last bits of x change nothing."""
CLEARANCE = 0.05
"""Least distance of the optimum from a region that fails."""
CHANCE = 0.8
"""Where failures are random, a place of the failing region fails with this probability."""


@dataclass(frozen=True)
class Place:
    """Where a function is evaluated: its name, place u [d], t, its spread, and its own number in [0, 1)."""

    name: str
    u: Array
    t: float
    spread: float
    own: float


Change = Callable[[float, Place], float]


def significant(digits: int) -> Change:
    return lambda y, place: float(f"{y:.{digits - 1}e}")


def decimal_step(y: float, place: Place) -> float:
    """To a power of ten between 3e-4 and 3e-3 of the spread."""
    step = 10.0 ** math.floor(math.log10(3e-3 * place.spread))
    return round(y / step) * step


def solver_noise(share: float) -> Change:
    """A normal error whose standard deviation is this share of the spread."""
    return lambda y, place: y + share * place.spread * normal(place.name, place.u)


def jump(distance: float) -> Change:
    return lambda y, place: y + (JUMPS[0] + (JUMPS[1] - JUMPS[0]) * place.own) * place.spread * (place.t > distance)


def kink(y: float, place: Place) -> float:
    return y + KINK * place.spread * abs(place.t - KINK_AT)


def wave(y: float, place: Place) -> float:
    return y + WAVE * place.spread * math.sin(2.0 * math.pi * (place.t / WAVELENGTH + place.own))


CHANGES: dict[str, Change] = {
    "sig3": significant(3),
    "sig4": significant(4),
    "dec3": decimal_step,
    "hash4": solver_noise(1e-4),
    "hash2": solver_noise(1e-2),
    "jumpoff": jump(AWAY),
    "jumpat": jump(0.0),
    "kink": kink,
    "wave": wave,
}
FAILURES = {"fail10": (0.1, 1.0), "fail33": (1 / 3, 1.0), "fail10r": (0.1, CHANCE), "fail33r": (1 / 3, CHANCE)}
"""Share of the box that fails, and the probability with which a place of the failing region does."""
TITLES = {
    "exact": "as it is",
    "sig3": "rounded to 3 significant digits",
    "sig4": "rounded to 4 significant digits",
    "dec3": "rounded to a decimal step of about a thousandth of the spread",
    "hash4": "solver noise (a hash of the place) of 1e-4 of the spread",
    "hash2": "solver noise of 1e-2 of the spread",
    "jumpoff": "a jump of 1 to 3 % of the spread across a plane 0.12 away from the optimum",
    "jumpat": "the same across a plane through the optimum",
    "kink": "a kink: the slope changes by a quarter of the spread across a plane 0.03 away from the optimum",
    "wave": "a wave of 0.3 % of the spread with wavelength 0.04 on top",
    "fail10": "fails in a tenth of the box, beyond a plane",
    "fail33": "fails in a third of the box, beyond a plane",
    "fail10r": "fails at random, with probability 0.8, in an eighth of the box",
    "fail33r": "fails at random, with probability 0.8, in five twelfths of the box",
}
VARIANTS = tuple(TITLES)


# --- Hashes


def uniform(*words: str | bytes) -> float:
    """A number in (0, 1) fixed by the words."""
    digest = hashlib.blake2b(digest_size=8)
    for word in words:
        digest.update((word.encode() if isinstance(word, str) else word) + b"\0")
    return (int.from_bytes(digest.digest(), "big") + 0.5) / 2.0**64


def cell(u: Array) -> bytes:
    return struct.pack(f"{len(u)}q", *(round(float(x) / CELL) for x in u))


def normal(name: str, u: Array) -> float:
    """A standard normal number fixed by a function's name and the place; Box and Muller's formula."""
    radius = math.sqrt(-2.0 * math.log(uniform("radius", name, cell(u))))
    return radius * math.cos(2.0 * math.pi * uniform("angle", name, cell(u)))


def direction(d: int, *words: str) -> Array:
    """A unit vector [d] fixed by the words."""
    rng = np.random.default_rng(int(uniform(*words) * 2**53))
    w = rng.standard_normal(d)
    found: Array = w / np.linalg.norm(w)
    return found


# --- Problems


@dataclass(frozen=True)
class Box:
    """A test problem seen from the unit cube."""

    bench: BenchProblem

    @cached_property
    def low(self) -> Array:
        return np.array([p.low for p in self.bench.problem.parameters])

    @cached_property
    def width(self) -> Array:
        return np.array([p.high for p in self.bench.problem.parameters]) - self.low

    def unit(self, point: Mapping[str, float]) -> Array:
        found: Array = (np.array([point[p.name] for p in self.bench.problem.parameters]) - self.low) / self.width
        return found

    def point(self, u: Array) -> dict[str, float]:
        """In user units, inside the box also after rounding."""
        x = self.low + np.clip(u, 0.0, 1.0) * self.width
        pairs = zip(self.bench.problem.parameters, x, strict=True)
        return {p.name: min(max(float(value), p.low), p.high) for p, value in pairs}

    @cached_property
    def optimum(self) -> Array:
        """u0 [d]."""
        return self.unit(self.bench.solution)

    @cached_property
    def sample(self) -> Array:
        """Random places; [SAMPLE, d]."""
        return np.random.default_rng(1).random((SAMPLE, len(self.low)))

    @cached_property
    def spread(self) -> dict[str, float]:
        """Width of the central 90 % of each function's finite values; 1 for a constant."""
        share = 1.0 if len(self.low) == 2 else NEIGHBOURHOOD
        points = [self.point(self.optimum + share * (u - self.optimum)) for u in self.sample[:1024]]
        found = {}
        for name, function in self.bench.functions.items():
            y = np.array([function(point) for point in points])
            low, high = np.quantile(y[np.isfinite(y)], [0.05, 0.95])
            found[name] = float(high - low) or 1.0
        return found

    def plane(self, share: float) -> tuple[Array, float]:
        """w [d] and q such that w u > q in this share of the box and the optimum is on the other side, not too near.

        Of the directions that are tried, the one whose plane comes nearest to the optimum: the region matters.
        """
        best: tuple[float, Array, float] | None = None
        for number in range(64):
            w = direction(len(self.low), self.bench.name, "failures", str(number))
            q = float(np.quantile(self.sample @ w, 1.0 - share))
            distance = q - float(w @ self.optimum)
            if distance >= CLEARANCE and (best is None or distance < best[0]):
                best = distance, w, q
        assert best is not None, f"{self.bench.name}: no plane leaves the optimum computable"
        return best[1:]


@cache
def box(problem: str) -> Box:
    return Box(taut.bench.problem(problem))


@dataclass(frozen=True)
class Changed:
    """A test problem with one change on some of its functions; call it with a name and a point."""

    problem: str
    variant: str
    target: str = "all"

    def __post_init__(self) -> None:
        if self.variant not in TITLES or self.target not in TARGETS:
            raise ValueError(f"unknown variant {self.variant!r} or target {self.target!r}: {VARIANTS}, {TARGETS}")

    @cached_property
    def box(self) -> Box:
        return box(self.problem)

    @property
    def bench(self) -> BenchProblem:
        return self.box.bench

    @property
    def objective(self) -> str:
        return self.bench.problem.objective.name

    def touches(self, name: str) -> bool:
        """Is this function changed?"""
        return self.target == "all" or (self.target == "objective") == (name == self.objective)

    @cached_property
    def planes(self) -> dict[str, tuple[Array, float]]:
        """w [d] and own number of every function."""
        d = len(self.box.low)
        names = self.bench.functions
        return {name: (direction(d, self.problem, name), uniform("own", self.problem, name)) for name in names}

    @cached_property
    def _failing(self) -> tuple[Array, float]:
        share, chance = FAILURES[self.variant]
        return self.box.plane(share / chance)

    def fails(self, name: str, u: Array) -> bool:
        """Can this function not be computed at u [d]? All functions that are changed fail in the same region."""
        if self.variant not in FAILURES or not self.touches(name):
            return False
        w, q = self._failing
        if float(w @ u) <= q:
            return False
        return uniform("fails", name, cell(u)) < FAILURES[self.variant][1]

    def __call__(self, name: str, point: Mapping[str, float]) -> float | None:
        """The value; None if it cannot be computed."""
        y, u = float(self.bench.functions[name](point)), self.box.unit(point)
        if not math.isfinite(y) or self.fails(name, u):
            return None
        change = CHANGES.get(self.variant)
        if change is None or not self.touches(name):
            return y
        w, own = self.planes[name]
        return change(y, Place(name, u, float(w @ (u - self.box.optimum)), self.box.spread[name], own))

    def values(self, point: Mapping[str, float]) -> dict[str, float | None]:
        return {name: self(name, point) for name in self.bench.problem.functions}

    def violation(self, values: Mapping[str, float | None]) -> float:
        """Largest constraint value in shares of its range (feasible: <= 0); infinite where one cannot be computed."""
        worst = -math.inf
        for name, width in self.bench.constraint_ranges.items():
            value = values[name]
            worst = max(worst, math.inf if value is None else value / (width or 1.0))
        return worst
