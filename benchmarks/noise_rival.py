"""BoTorch's noisy expected improvement with constraints, for benchmarks/noise.py.

One SingleTaskGP for each function with its default kernel, priors and transforms: the noise of a noisy function learned
(or given, as it is to the library), that of an exact one told to be next to nothing. qLogNoisyExpectedImprovement over
all places that were evaluated; every trial evaluates all functions and pays for all of them. It has no recommendation
of its own, so there are two, both among the evaluated designs: the best posterior mean of those that are feasible with
a probability of at least `PROBABLE` (of the likeliest one, if there is none), and by the value that the library goes
by, M + (mean - M) P(feasible), M the smallest value seen.
"""

import time
from typing import Any

import numpy as np
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.special import ndtr

RESTARTS, RAW, SAMPLES, STEPS = 4, 64, 64, 60
EXACT = 1e-6
"""Variance of the noise of an exact function, of the variance of its values: small, and large enough to factor."""
PROBABLE = 0.5


class Trials:
    """The functions of a case at points of the unit cube: maximise the first, all others at most 0."""

    def __init__(self, noisy: Any, points: list[dict[str, float]]) -> None:
        self.noisy, self.box, self.names = noisy, noisy.problem.parameters, noisy.problem.functions
        self.X, self.Y, self.spent = np.empty((0, len(self.box))), np.empty((0, len(self.names))), 0.0
        for point in points:
            self(np.array([p.to_unit(point[p.name]) for p in self.box]))
        self.spent = 0.0

    def point(self, u: np.ndarray) -> dict[str, float]:
        return {p.name: p.from_unit(float(each)) for p, each in zip(self.box, u, strict=True)}

    def __call__(self, u: np.ndarray) -> None:
        values = [self.noisy(name, self.point(u)) for name in self.names]
        self.X, self.Y = np.vstack([self.X, u]), np.vstack([self.Y, values])
        self.spent += self.noisy.problem.cost(self.names)


def fitted(X: np.ndarray, y: np.ndarray, noise: float | str | None) -> Any:
    """A model of values [n] at points [n, d] of the unit cube; noise as it is declared."""
    Y, known = torch.tensor(y)[:, None], None
    if noise != "learned":
        known = torch.full_like(Y, EXACT * float(y.var()) if noise is None else float(noise) ** 2)
    model = SingleTaskGP(torch.tensor(X), Y, train_Yvar=known, outcome_transform=Standardize(m=1))
    try:
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    except ModelFittingError:
        pass  # goes on with the parameters that it has
    return model


def models(trials: Trials) -> Any:
    problem = trials.noisy.problem
    declared = [each.noise for each in (problem.objective, *problem.constraints)]
    return ModelListGP(*(fitted(trials.X, y, each) for y, each in zip(trials.Y.T, declared, strict=True)))


def suggested(model: Any, trials: Trials, number: int) -> np.ndarray:
    """The next trial; [d]."""
    d, K = trials.X.shape[1], trials.Y.shape[1] - 1
    score = qLogNoisyExpectedImprovement(
        model,
        torch.tensor(trials.X),
        sampler=SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=number),
        objective=GenericMCObjective(lambda Z, X=None: Z[..., 0]),
        constraints=[lambda Z, k=k: Z[..., k] for k in range(1, K + 1)],
        prune_baseline=True,
    )
    cube = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.float64)
    u, _ = optimize_acqf(score, cube, 1, RESTARTS, RAW, options={"maxiter": STEPS})
    return np.clip(u[0].detach().numpy(), 0.0, 1.0)


def recommended(model: Any, trials: Trials) -> dict[str, tuple[np.ndarray, float, float, float]]:
    """By rule: the design [d], its probability of feasibility, mean and sd of its objective."""
    with torch.no_grad():
        there = model.posterior(torch.tensor(trials.X))
        mean, sd = there.mean.numpy(), there.variance.sqrt().numpy()
    feasible = ndtr(-mean[:, 1:] / sd[:, 1:]).prod(axis=1)
    probable = np.where(feasible >= PROBABLE, mean[:, 0], -np.inf)
    best = int(probable.argmax()) if np.isfinite(probable).any() else int(feasible.argmax())
    value = int(((mean[:, 0] - min(trials.Y[:, 0].min(), mean[:, 0].min())) * feasible).argmax())
    return {
        rule: (trials.X[i], float(feasible[i]), float(mean[i, 0]), float(sd[i, 0]))
        for rule, i in (("probable", best), ("value", value))
    }


def play(noisy: Any, points: list[dict[str, float]], seed: int, marks: list[float], score: Any) -> dict[str, Any]:
    """The trials of one run; score: (point, probability, mean, sd, spent) -> what is kept at a mark."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    trials, scores, begun = Trials(noisy, points), [], time.process_time()
    price = noisy.problem.cost(trials.names)
    model = models(trials)
    while trials.spent + price <= marks[-1]:
        trials(suggested(model, trials, seed + len(trials.X)))
        model = models(trials)
        if trials.spent >= marks[len(scores)]:
            said = {
                rule: score(trials.point(u), *more, spent=trials.spent)
                for rule, (u, *more) in recommended(model, trials).items()
            }
            scores.append({**said["value"], "probable": said["probable"]})
    asks = len(trials.X) - len(points)
    counts = {name: len(trials.X) for name in trials.names}
    return {"scores": scores, "counts": counts, "ask_seconds": time.process_time() - begun, "asks": asks}
