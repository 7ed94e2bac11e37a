"""BoTorch's logarithm of constrained expected improvement.

One SingleTaskGP for each function with its default kernel, priors and transforms, told that values are exact: with
the noise that it would learn instead it stays farther from the walls.
"""

from typing import Any

import numpy as np
import torch
from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from coco.trial import Trials

RESTARTS, RAW = 10, 128
NOISE = 1e-6
"""Variance of the noise, of the variance of the values: small, and large enough to factor."""


def fitted(X: np.ndarray, y: np.ndarray) -> Any:
    """A model of values [n] at points [n, d] of the unit cube."""
    Y = torch.tensor(y)[:, None]
    model = SingleTaskGP(torch.tensor(X), Y, train_Yvar=torch.full_like(Y, NOISE * max(float(y.var()), 1e-12)))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def play(board: Trials, seed: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    d, K = board.X.shape[1], board.c.shape[1]
    cube = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.float64)
    while True:
        model = ModelListGP(*(fitted(board.X, y) for y in (-board.f, *board.c.T)))
        limits: dict[int, Any] = {k: (None, 0.0) for k in range(1, K + 1)}
        score = LogConstrainedExpectedImprovement(model, -board.f[board.best], 0, limits)
        u, _ = optimize_acqf(score, bounds=cube, q=1, num_restarts=RESTARTS, raw_samples=RAW)
        board(u[0].numpy())
