"""Others on the same data.

Stock BoTorch fits one SingleTaskGP per function, then maximises an acquisition function; EGObox fits and proposes by
one call of its own. They are imported when first measured; nothing else of the benchmark needs them.
"""

import os
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import taut
from speed.cases import Setting, by_point
from taut.problem.space import to_unit

RESTARTS, RAW, FANTASIES = 15, 72, 64
Rows = Any


def arrays(
    problem: taut.Problem, rows: Rows, names: Sequence[str] | None = None
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Unit-cube points [n, d] and values [n, 1] of every function, or of those named."""
    found = {}
    for name in names or problem.functions:
        mine = [row for row in rows if row.function == name]
        X = np.array([to_unit(problem, row.point) for row in mine])
        found[name] = X, np.array([[row.value] for row in mine])
    return found


def improvement(where: Setting, rows: Rows, seed: int, prior: str = "scaled") -> float:
    """CPU seconds of fitting all functions and maximising log constrained expected improvement."""
    import torch
    from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
    from botorch.models import ModelListGP

    data = arrays(where.problem, rows)
    best = _best(where.problem, rows)
    torch.manual_seed(seed)
    start = time.process_time()
    model = ModelListGP(*[_fitted(*data[name], prior) for name in where.problem.functions])
    limits: dict[int, Any] = {k: (None, 0.0) for k in range(1, len(data))}
    score = LogConstrainedExpectedImprovement(model, best_f=best, objective_index=0, constraints=limits)
    _maximise(score, where.problem.dimension)
    return time.process_time() - start


def knowledge(where: Setting, rows: Rows, seed: int) -> float:
    """CPU seconds of fitting the objective and maximising its one-shot Knowledge Gradient."""
    import torch
    from botorch.acquisition.knowledge_gradient import qKnowledgeGradient

    data = arrays(where.problem, rows)
    torch.manual_seed(seed)
    start = time.process_time()
    model = _fitted(*data[where.problem.functions[0]])
    _maximise(qKnowledgeGradient(model, num_fantasies=FANTASIES), where.problem.dimension)
    return time.process_time() - start


def improvement_gamma(where: Setting, rows: Rows, seed: int) -> float:
    """The same with BoTorch's other Matern-5/2: a signal variance, and Gamma priors."""
    return improvement(where, rows, seed, "gamma")


def egobox(where: Setting, rows: Rows, seed: int) -> float:
    """CPU seconds of one suggestion of EGObox with its defaults and constraints <= 0.

    It needs every function at each point, so it gets the objective's points, with the values of all functions there.
    """
    import egobox as ego

    X, y = arrays(where.problem, [row for row in rows if row.function == "f"], ("f",))["f"]
    points = [row.point for row in rows if row.function == "f"]
    limits = where.problem.functions[1:]
    Y = np.hstack([-y, np.array([[where.value(name, point) for name in limits] for point in points])])
    engine = ego.Egor([[0.0, 1.0]] * where.problem.dimension, cstr_specs=[ego.CstrSpec.leq(0.0)] * len(limits))
    start = time.process_time()
    engine.suggest(X, Y, seed=seed)
    return time.process_time() - start


RIVALS: dict[str, Callable[[Setting, Rows, int], float]] = {
    "botorch-cei": improvement,
    "botorch-cei-gamma": improvement_gamma,
    "botorch-kg": knowledge,
    "egobox": egobox,
}


def measure(name: str, where: Setting, rows: Rows, seed: int) -> float:
    """One decision of a rival with one thread; its numerical warnings are its own affair."""
    if name == "egobox":
        os.environ.update({"EGOBOX_LOG": "off", "RAYON_NUM_THREADS": "1"})
    else:
        import torch

        torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RIVALS[name](where, rows, seed)


def _fitted(X: np.ndarray, y: np.ndarray, prior: str = "scaled") -> Any:
    """A SingleTaskGP with Matern-5/2 kernel, BoTorch's own priors and transforms, fitted by fit_gpytorch_mll.

    prior: "scaled" is the present default of length-scales (no signal variance), "gamma" the one before it.
    """
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.utils.gpytorch_modules import (
        get_covar_module_with_dim_scaled_prior,
        get_matern_kernel_with_gamma_prior,
    )
    from gpytorch.mlls import ExactMarginalLogLikelihood

    if prior == "gamma":
        kernel = get_matern_kernel_with_gamma_prior(ard_num_dims=X.shape[1])
    else:
        kernel = get_covar_module_with_dim_scaled_prior(ard_num_dims=X.shape[1], use_rbf_kernel=False)
    model = SingleTaskGP(torch.tensor(X), torch.tensor(y), covar_module=kernel)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def _maximise(score: Any, d: int) -> None:
    import torch
    from botorch.optim import optimize_acqf

    cube = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.float64)
    optimize_acqf(score, bounds=cube, q=1, num_restarts=RESTARTS, raw_samples=RAW)


def _best(problem: taut.Problem, rows: Rows) -> float:
    """The best feasible value, or the smallest one if nothing feasible is known."""
    entries = [values for _, values in by_point(problem, rows)]
    feasible = [v["f"] for v in entries if all(v[name] <= 0.0 for name in problem.functions[1:])]
    return max(feasible) if feasible else min(v["f"] for v in entries)
