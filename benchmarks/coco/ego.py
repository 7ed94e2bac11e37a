"""EGObox: expected improvement in the logarithm with the constraints' means, by its ask and tell."""

import egobox
import numpy as np

from coco.trial import Trials

LIMIT = 0.0
"""Tolerance of its constraints; its default of 1e-4 would accept designs that the suite calls infeasible."""


def play(board: Trials, seed: int) -> None:
    d, K = board.X.shape[1], board.c.shape[1]
    limits = [egobox.CstrSpec.leq(0.0, tol=LIMIT) for _ in range(K)]
    engine = egobox.Egor([[0.0, 1.0]] * d, cstr_specs=limits, seed=seed)
    while True:
        board(engine.suggest(board.X, np.column_stack([board.f, board.c]), seed=seed + len(board.f))[0])
