"""Own problems on the unit cube: maximise f subject to c <= 0, a new instance for every number.

A landscape takes points x [q, d] and gives the objective [q] and the constraints [K, q].
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Landscape = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Family:
    """Many problems of one kind. make: generator and number of parameters -> a landscape."""

    make: Callable[[np.random.Generator, int], Landscape]
    words: str


def bumps(rng: np.random.Generator, d: int) -> Landscape:
    """A sum of 6 + 4 d Gaussian hills of different widths and heights, inside a ball."""
    count = 6 + 4 * d
    centre, height = rng.random((count, d)), rng.uniform(0.4, 1.0, count)
    width = rng.uniform(0.08, 0.18, count) * np.sqrt(d / 2.0)
    middle, radius = rng.uniform(0.3, 0.7, d), 0.45 * np.sqrt(d / 2.0)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        square = ((x[:, None, :] - centre) ** 2).sum(axis=2)
        f = (height * np.exp(-0.5 * square / width**2)).sum(axis=1)
        return f, np.array([((x - middle) ** 2).sum(axis=1) - radius**2])

    return at


def waves(rng: np.random.Generator, d: int) -> Landscape:
    """A bowl with three waves along every parameter, cut by a plane near its best point."""
    shift, normal = rng.uniform(0.25, 0.75, d), rng.standard_normal(d)
    normal /= np.linalg.norm(normal)
    level = float(normal @ shift) + rng.uniform(-0.05, 0.25)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        step = x - shift
        f = (-4.0 * step**2 + 0.25 * np.cos(6.0 * np.pi * step)).sum(axis=1)
        return f, np.array([x @ normal - level])

    return at


def sines(rng: np.random.Generator, d: int) -> Landscape:
    """Sums of plane waves in random directions: a bumpy objective, and a constraint that changes more slowly."""
    fast = rng.standard_normal((10, d)) * 9.0 / np.sqrt(d), rng.uniform(0.0, 2.0 * np.pi, 10)
    slow = rng.standard_normal((6, d)) * 5.0 / np.sqrt(d), rng.uniform(0.0, 2.0 * np.pi, 6)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f = np.sin(x @ fast[0].T + fast[1]).sum(axis=1)
        return f, np.array([np.sin(x @ slow[0].T + slow[1]).sum(axis=1)])

    return at


def hills(rng: np.random.Generator, d: int) -> Landscape:
    """Twenty narrow hills on a plain, the highest not the widest; two slow constraints."""
    centre, height = rng.random((20, d)), np.linspace(0.3, 1.0, 20)
    width = np.linspace(0.16, 0.06, 20) * np.sqrt(d / 2.0)
    tilt, turn = rng.standard_normal(d), rng.uniform(0.0, 2.0 * np.pi, d)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        square = ((x[:, None, :] - centre) ** 2).sum(axis=2)
        f = (height * np.exp(-0.5 * square / width**2)).max(axis=1) + 0.02 * (x @ tilt)
        return f, np.array([np.sin(4.0 * x + turn).sum(axis=1) - 0.5 * d, (x - 0.5) @ tilt - 0.4])

    return at


def ripples(rng: np.random.Generator, d: int) -> Landscape:
    """A slope with ripples that are not aligned with the parameters, and a round hole."""
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    slope, phase, hole = rng.standard_normal(d), rng.uniform(0.0, 2.0 * np.pi, d), rng.uniform(0.2, 0.8, d)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f = np.cos(7.0 * np.pi * (x @ turn) + phase).sum(axis=1) + x @ slope - 2.0 * ((x - 0.5) ** 2).sum(axis=1)
        return f, np.array([0.04 * d - ((x - hole) ** 2).sum(axis=1)])

    return at


def chirp(rng: np.random.Generator, d: int) -> Landscape:
    """Waves that get shorter along every parameter: no single length-scale fits."""
    turned, phase, normal = rng.random(d) < 0.5, rng.uniform(0.0, 2.0 * np.pi, d), rng.standard_normal(d)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = np.where(turned, 1.0 - x, x)
        f = np.sin(2.0 * np.pi * z * (0.6 + 1.6 * z) + phase).sum(axis=1) - 0.5 * ((z - 0.6) ** 2).sum(axis=1)
        return f, np.array([(x - 0.5) @ normal - 0.2 * np.linalg.norm(normal)])

    return at


def keane(rng: np.random.Generator, d: int) -> Landscape:
    """Keane's bump, turned round in some parameters and with another bound on the product for every instance."""
    turned, least = rng.random(d) < 0.5, rng.uniform(0.5, 1.5)
    order = np.sqrt(np.arange(1, d + 1))

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = 0.1 + 9.9 * np.where(turned, 1.0 - x, x)
        waves = np.abs((np.cos(z) ** 4).sum(axis=1) - 2.0 * (np.cos(z) ** 2).prod(axis=1))
        f = waves / np.linalg.norm(order * z, axis=1)
        return f, np.array([least - z.prod(axis=1), z.sum(axis=1) - 7.5 * d])

    return at


def islands(rng: np.random.Generator, d: int) -> Landscape:
    """An easy objective and many separate feasible islands."""
    phase, goal = rng.uniform(0.0, 2.0 * np.pi, d), rng.random(d)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f = -((x - goal) ** 2).sum(axis=1)
        return f, np.array([0.55 - np.sin(3.5 * np.pi * x + phase).mean(axis=1)])

    return at


def rings(rng: np.random.Generator, d: int) -> Landscape:
    """Feasible rings around a point, and a second constraint that cuts them; the objective is a tilted bowl."""
    middle, goal, tilt = rng.uniform(0.2, 0.8, d), rng.random(d), rng.standard_normal(d)
    tilt /= np.linalg.norm(tilt)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        radius = np.sqrt(((x - middle) ** 2).sum(axis=1) + 1e-4)
        f = -((x - goal) ** 2).sum(axis=1) + 0.3 * (x @ tilt)
        return f, np.array([0.2 - np.cos(5.0 * np.pi * radius), (x - middle) @ tilt - 0.25])

    return at


def steep(rng: np.random.Generator, d: int) -> Landscape:
    """Sums of inverse powers, over three orders of magnitude, within limits on ratios and on size."""
    weight, room = rng.uniform(0.3, 1.0, d), rng.uniform(0.7, 1.1)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = 0.02 + 0.98 * x
        f = -((weight * z**-1.5).sum(axis=1) + 20.0 * (z**2 * weight[::-1]).sum(axis=1))
        pairs = z[:, 0::2] * z[:, 1::2]
        return f, np.array([pairs.sum(axis=1) - 0.06 * room * d, z[:, 0] / z[:, 1] - 1.5])

    return at


FAMILIES = {
    "bumps": Family(bumps, "hills of different widths in a ball"),
    "waves": Family(waves, "a bowl with three waves along every parameter"),
    "sines": Family(sines, "sums of plane waves"),
    "hills": Family(hills, "narrow hills on a plain"),
    "ripples": Family(ripples, "a slope with ripples"),
    "chirp": Family(chirp, "waves that get shorter"),
    "keane": Family(keane, "Keane's bump, turned"),
    "islands": Family(islands, "an easy objective, feasible islands"),
    "rings": Family(rings, "feasible rings"),
    "steep": Family(steep, "inverse powers over orders of magnitude"),
}
