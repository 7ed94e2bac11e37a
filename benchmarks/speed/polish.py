"""Inner points for the accurate valuation: where the recommendation could move to, searched and then polished."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from speed.reference import FLOOR, Belief, Candidate, Inner

Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Values of points [q, d], each under the scenario in its row of the second argument [q]."""

SPREAD, LOCAL, CLOUD = 2048, 1536, 96
POLISHED = (400, 800)
"""Outcomes whose maximiser is polished: of a choice with at most one constraint, and with several."""
SCENARIOS = 512
ROUNDS, TRIES = 60, 14


def points(belief: Belief, centres: np.ndarray, metric: np.ndarray, places: np.ndarray, seed: int) -> np.ndarray:
    """Sobol points, ellipsoids around the first centre (x_r) at all scales, clouds around all centres, known places.

    centres: [m, d], metric: [d, d] shape of the ellipsoid at x_r.
    """
    d = centres.shape[1]
    rng = np.random.default_rng(seed)
    spread = stats.qmc.Sobol(d, rng=rng).random(SPREAD)
    root = np.linalg.cholesky(metric)
    parts = [centres, places, spread, _around(centres[0], root, LOCAL, (1e-3, 10.0), rng)]
    parts += [_around(x, 0.1 * np.eye(d), CLOUD, (1e-3, 3.0), rng) for x in centres]
    return np.vstack(parts)


def _around(
    x: np.ndarray, root: np.ndarray, count: int, radii: tuple[float, float], rng: np.random.Generator
) -> np.ndarray:
    """Points on ellipsoids around x with log-uniform radii, reflected into the cube; [count, d]."""
    direction = rng.normal(size=(count, len(x)))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = np.exp(rng.uniform(*np.log(radii), size=count))
    return _fold(x + radius[:, None] * (direction @ root.T))


def _fold(x: np.ndarray) -> np.ndarray:
    return 1.0 - np.abs(1.0 - np.mod(x, 2.0))


def polish(score: Score, start: np.ndarray, step: float, seed: int) -> np.ndarray:
    """Every row of start [p, d] moved uphill by random steps whose size adapts; no derivatives, [p, d].

    Each round tries TRIES points per row, among them the direction of the last success; a row that finds nothing better
    takes smaller steps.
    """
    rng = np.random.default_rng(seed)
    x, (p, d) = start.copy(), start.shape
    own = np.arange(p)
    value, size, last = score(x, own), np.full(p, step), np.zeros_like(start)
    for _ in range(ROUNDS):
        move = rng.normal(size=(p, TRIES, d)) * size[:, None, None]
        move *= rng.random((p, TRIES, d)) < np.maximum(rng.random((p, TRIES, 1)), 1.0 / d)  # also along few axes
        move[:, 0] = last
        trial = np.clip(x[:, None, :] + move, 0.0, 1.0)
        found = score(trial.reshape(-1, d), np.repeat(own, TRIES)).reshape(p, TRIES)
        best = found.argmax(axis=1)
        better = found[own, best] > value
        last = np.where(better[:, None], trial[own, best] - x, 0.0)
        x = np.where(better[:, None], trial[own, best], x)
        value = np.maximum(value, found[own, best])
        size = np.where(better, size * 1.3, size * 0.7)
    return x


def maxima(choice: Candidate, seed: int) -> np.ndarray:
    """Continuous maximisers of G+ for the most important outcomes of a choice; [p, d]."""
    gains, winners = choice.gains()
    count = POLISHED[len(choice.members) > 1]
    importance = np.array([choice.scenarios.w[c] * gains[c] for c, _, _ in winners])
    chosen = [winners[i] for i in np.argsort(-importance, kind="stable")[:count]]
    start = choice.inner.points[[i for _, i, _ in chosen]]
    z = choice.scenarios.z[[c for c, _, _ in chosen]]
    t = np.array([outcome for _, _, outcome in chosen])
    return polish(_future(choice, z, t), start, 0.02, seed)


def present(belief: Belief, start: np.ndarray, seed: int = 0) -> np.ndarray:
    """Continuous maximisers of G itself from start [p, d]."""

    def score(x: np.ndarray, row: np.ndarray) -> np.ndarray:
        return Inner(belief, x).gain

    return polish(score, start, 0.02, seed)


def _future(choice: Candidate, z: np.ndarray, t: np.ndarray) -> Score:
    """G+ - M at x', row by row under constraint scores z [p, m] and objective outcome t [p]."""
    belief = choice.inner.belief

    def score(x: np.ndarray, row: np.ndarray) -> np.ndarray:
        result = np.ones(len(x))
        for k, gp in enumerate(belief.processes):
            table = gp.posterior(x)
            mean, var = table.mean[0], table.var
            if k in choice.S:
                s = gp.covariance(table, choice.own[k])[:, 0] / choice.root[k]
                outcome = t[row] if k == 0 else z[row, choice.members.index(k)]
                mean, var = mean + s * outcome, np.maximum(var - s * s, FLOOR * gp.amplitude)
            result *= mean - belief.M if k == 0 else belief.intervals[k - 1].probability(mean, np.sqrt(var))
        return result

    return score


def value_all(
    belief: Belief, choices: Sequence[tuple[np.ndarray, Sequence[int]]], start: np.ndarray, count: int, seed: int
) -> tuple[list[float], Inner]:
    """KG of every choice (x, S) on one set of inner points that holds the moved maxima of all of them.

    start: inner points to begin with [N, d]; count: scenarios of several constraints.
    """
    inner = Inner(belief, start)
    top = np.argsort(-inner.gain)[:8]
    extra = [present(belief, start[top], seed)]
    extra += [maxima(Candidate(inner, x, S, min(count, SCENARIOS), seed), seed) for x, S in choices]
    inner = Inner(belief, np.vstack([start, *extra]))
    return [Candidate(inner, x, S, count, seed).value() for x, S in choices], inner
