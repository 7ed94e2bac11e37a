"""SCBO (Eriksson and Poloczek, 2021) with BoTorch's models: Thompson sampling in a box round the best design.

The box grows after successes in a row and shrinks after failures; below its least side it begins anew with its first
side, and keeps the data. f is modelled by the normal quantiles of its ranks, a constraint by its bilog,
sign(c) log(1 + |c|).
"""

import math

import numpy as np
import torch
from scipy.special import ndtri
from torch.quasirandom import SobolEngine

from coco.log_cei import fitted
from coco.trial import Trials

SIDE, LEAST, MOST = 0.8, 0.5**7, 1.6
SUCCESSES = 3
CANDIDATES, CHANGED = 1000, 20.0


def copula(f: np.ndarray) -> np.ndarray:
    """Normal quantiles of the ranks; [n]."""
    return ndtri((np.argsort(np.argsort(f)) + 0.5) / len(f))


def bilog(c: np.ndarray) -> np.ndarray:
    return np.sign(c) * np.log1p(np.abs(c))


def candidates(centre: np.ndarray, side: float, seed: int) -> np.ndarray:
    """Points of the box [n, d], each different from the centre in about CHANGED parameters."""
    d, rng = len(centre), np.random.default_rng(seed)
    low, high = np.clip(centre - side / 2.0, 0.0, 1.0), np.clip(centre + side / 2.0, 0.0, 1.0)
    points = low + (high - low) * SobolEngine(d, scramble=True, seed=seed).draw(CANDIDATES).double().numpy()
    change = rng.random(points.shape) <= min(1.0, CHANGED / d)
    change[np.arange(CANDIDATES), rng.integers(d, size=CANDIDATES)] = True
    return np.where(change, points, centre)


def sampled(X: np.ndarray, y: np.ndarray, points: np.ndarray) -> np.ndarray:
    """One draw of a function at the points; [n]."""
    model = fitted(X, y)
    with torch.no_grad():
        return model.posterior(torch.tensor(points)).rsample()[0, :, 0].numpy()


def choice(board: Trials, side: float, seed: int) -> np.ndarray:
    """The best sampled candidate: by f where all sampled constraints hold, else by the sum of violations."""
    points = candidates(board.X[board.best], side, seed)
    f = sampled(board.X, copula(board.f), points)
    c = np.array([sampled(board.X, y, points) for y in bilog(board.c).T])
    violation = np.maximum(c, 0.0).sum(axis=0)
    return points[np.lexsort((f, violation))[0]]


def play(board: Trials, seed: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    side, good, bad = SIDE, 0, 0
    patience = max(4, board.X.shape[1])
    while True:
        before = board.best
        board(choice(board, side, 1000 * seed + len(board.f)))
        better = board.best != before and _clearly(board, before)
        good, bad = (good + 1, 0) if better else (0, bad + 1)
        if good == SUCCESSES:
            side, good = min(2.0 * side, MOST), 0
        elif bad == patience:
            side, bad = side / 2.0, 0
        if side < LEAST:
            side = SIDE


def _clearly(board: Trials, before: int) -> bool:
    """Is the new best design better by 1e-3 of the value, or less infeasible?"""
    gained = board.f[before] - board.f[board.best]
    return bool((board.c[before] > 0.0).any() or gained > 1e-3 * math.fabs(board.f[before]))
