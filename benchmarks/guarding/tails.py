"""Own problems whose values span orders of magnitude or change abruptly: tails, products, plateaus, cliffs."""

import numpy as np

from guarding.landscapes import Family, Landscape


def goldstein(rng: np.random.Generator, d: int) -> Landscape:
    """Goldstein and Price's function, from 3 to a million, in a moved box and cut by a line."""
    corner, tilt = rng.uniform(-2.2, -1.8, 2), rng.uniform(0.2, 0.8)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b = (corner + 4.0 * x[:, :2]).T
        one = 1.0 + (a + b + 1.0) ** 2 * (19.0 - 14.0 * a + 3.0 * a**2 - 14.0 * b + 6.0 * a * b + 3.0 * b**2)
        two = 18.0 - 32.0 * a + 12.0 * a**2 + 48.0 * b - 36.0 * a * b + 27.0 * b**2
        return -one * (30.0 + (2.0 * a - 3.0 * b) ** 2 * two), np.array([-0.9 - b - tilt * a])

    return at


def decades(rng: np.random.Generator, d: int) -> Landscape:
    """A cost over about six orders of magnitude whose logarithm is a wavy bowl; two limits."""
    goal, weight, phase = rng.uniform(0.25, 0.75, d), rng.uniform(0.5, 1.5, d), rng.uniform(0.0, 6.0, d)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        log = 20.0 / d * ((x - goal) ** 2 @ weight) * 2.0 + np.sin(4.0 * x + phase).sum(axis=1) / np.sqrt(d)
        return -np.exp(log), np.array([x.mean(axis=1) - goal.mean() + 0.05, goal[0] - 0.1 - x[:, 0]])

    return at


def valley(rng: np.random.Generator, d: int) -> Landscape:
    """Rosenbrock's function in a moved box: over four orders of magnitude, and yet the straight scale is right."""
    low = rng.uniform(-2.2, -1.8, d)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = low + 4.0 * x
        f = 100.0 * (z[:, 1:] - z[:, :-1] ** 2) ** 2 + (1.0 - z[:, :-1]) ** 2
        return -f.sum(axis=1), np.array([z.sum(axis=1) - 0.75 * d])

    return at


def product(rng: np.random.Generator, d: int) -> Landscape:
    """As small as possible, while the product of all parameters is large enough: a constraint over many decades."""
    weight, room = rng.uniform(0.6, 1.4, d), rng.uniform(0.5, 1.0)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = 0.05 + 9.95 * x
        return -(z @ weight) - 0.05 * (z**2).sum(axis=1), np.array([room - z.prod(axis=1)])

    return at


def plateau(rng: np.random.Generator, d: int) -> Landscape:
    """A bowl that is flat far from its bottom, and a constraint that saturates."""
    goal, tilt = rng.uniform(0.3, 0.7, d), rng.standard_normal(d)
    tilt /= np.linalg.norm(tilt)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f = np.exp(-8.0 / d * ((x - goal) ** 2).sum(axis=1) * 2.0)
        return f, np.array([np.tanh(12.0 * ((x - goal) @ tilt + 0.05))])

    return at


def cliff(rng: np.random.Generator, d: int) -> Landscape:
    """A bowl with a steep step beside its optimum, and a limit next to it."""
    goal, tilt = rng.uniform(0.35, 0.65, d), rng.standard_normal(d)
    tilt /= np.linalg.norm(tilt)

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t = (x - goal) @ tilt
        f = -((x - goal) ** 2).sum(axis=1) - 2.0 / (1.0 + np.exp(-60.0 * (t - 0.12)))
        return f, np.array([-t + 0.03])

    return at


TAILS = {
    "goldstein": Family(goldstein, "Goldstein and Price's function in a moved box"),
    "decades": Family(decades, "a cost over six orders of magnitude"),
    "valley": Family(valley, "Rosenbrock's function in a moved box"),
    "product": Family(product, "the product of all parameters as a constraint"),
    "plateau": Family(plateau, "a bowl that is flat far off, a constraint that saturates"),
    "cliff": Family(cliff, "a steep step beside the optimum"),
}
