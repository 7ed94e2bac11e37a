"""Posterior, likelihood, improvement, look-ahead against GPyTorch and BoTorch; skipped without them (make oracle)."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, random_process
from scipy.optimize import minimize

from taut.acquisition.feasibility import Bounds
from taut.acquisition.improvement import Improvement
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.lookahead import InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.acquisition.utility import Utility
from taut.surrogate import fit as fitting
from taut.surrogate.gp import GP
from taut.surrogate.likelihood import Standardised, plugged_in
from taut.surrogate.settings import ModelSettings

torch = pytest.importorskip("torch")
pytest.importorskip("botorch")

from botorch.acquisition.analytic import (  # noqa: E402
    ExpectedImprovement,
    LogConstrainedExpectedImprovement,
    LogExpectedImprovement,
)
from botorch.models import ModelListGP, SingleTaskGP  # noqa: E402
from gpytorch.kernels import MaternKernel, ScaleKernel  # noqa: E402
from gpytorch.means import ConstantMean  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: E402


def tensor(values: object) -> object:
    return torch.tensor(np.asarray(values), dtype=torch.float64)


def twin(gp: GP, y: np.ndarray | None = None) -> SingleTaskGP:
    """The same process in BoTorch: inner units, hyperparameters set, kernel passed explicitly, no transforms."""
    d = gp.X.shape[1]
    y = gp.y if y is None else y
    model = SingleTaskGP(
        tensor(gp.X),
        tensor(y),
        train_Yvar=torch.full(y.shape, gp.noise, dtype=torch.float64),
        mean_module=ConstantMean(),
        covar_module=ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=d)),
        outcome_transform=None,
    ).to(torch.float64)
    model.mean_module.constant = gp.offset + gp.scale * gp.hyper.m
    model.covar_module.outputscale = gp.amplitude
    model.covar_module.base_kernel.lengthscale = tensor(gp.hyper.l)
    return model.eval()


@pytest.mark.parametrize("n, d", [(1, 1), (6, 2), (30, 4)])
def test_posterior(n: int, d: int) -> None:
    gp = random_process(n, n, d, rho=1e-4)
    x = np.random.default_rng(1).random((12, d))
    with torch.no_grad():
        posterior = twin(gp).posterior(tensor(x))
    table = gp.posterior(x)
    assert table.mean[0] == pytest.approx(posterior.mean.numpy()[:, 0], rel=1e-6, abs=1e-8)
    assert table.var == pytest.approx(posterior.variance.numpy()[:, 0], rel=1e-6, abs=1e-8)
    covariance = posterior.distribution.covariance_matrix.numpy()
    assert gp.covariance(table, table) == pytest.approx(covariance, rel=1e-6, abs=1e-8)


def data(n: int) -> Standardised:
    rng = np.random.default_rng(2)
    X = rng.random((n, 2))
    y = np.sin(5.0 * X[:, 0]) + X[:, 1]
    return Standardised(X, (y - y.mean()) / y.std(), 3.0)


def free(theta: np.ndarray) -> tuple[float, np.ndarray]:
    return 0.0, np.zeros_like(theta)


def likelihood(each: Standardised, length: np.ndarray, a: float, noise: float, m: float) -> float:
    hyper = fitting.Hyper(length, a, noise / a, m, np.inf)
    model = twin(fitting.condition(each.X, each.y[:, None], hyper, 0.0, 1.0))
    model.train()
    mll = ExactMarginalLogLikelihood(model.likelihood, model)
    with torch.no_grad():
        return len(each.y) * float(mll(model(*model.train_inputs), model.train_targets, *model.train_inputs))


@pytest.mark.parametrize("a, noise", [(1.0, 1e-2), (0.3, 0.2), (20.0, 1e-4)])
def test_log_marginal_likelihood(a: float, noise: float) -> None:
    each, length = data(14), np.array([0.3, 0.8])
    value, _, m = plugged_in(each, np.log([*length, a]), noise, free)
    found = -value - 0.5 * len(each.y) * np.log(2.0 * np.pi)
    assert found == pytest.approx(likelihood(each, length, a, noise, m), rel=1e-6)


def test_the_fit_is_a_maximum_of_the_likelihood() -> None:
    """No prior: a free search of GPyTorch's likelihood over the same box finds nothing better."""
    each = data(14)
    noise = 1e-2
    flat = ModelSettings("gamma", length_gamma=(1.0, 0.0), amplitude_gamma=(1.0, 0.0))
    found = fitting.fit(each.X, each.y, 0.1, flat, None).gp
    hyper = found.hyper
    ours = likelihood(each, hyper.l, hyper.a, noise, hyper.m)

    def loss(theta: np.ndarray) -> float:
        length, a = np.exp(theta[:2]), float(np.exp(theta[2]))
        return -likelihood(each, length, a, noise, plugged_in(each, theta, noise, free)[2])

    box = [(np.log(0.01), np.log(20.0))] * 2 + [(np.log(1e-3), np.log(1e3))]
    theirs = max(
        -minimize(loss, start, bounds=box, method="L-BFGS-B").fun
        for start in (np.log([0.5, 0.5, 1.0]), np.log([2, 2, 5]))
    )
    assert ours >= theirs - 1e-3


@pytest.mark.parametrize("tau", [-2.0, 1.0, 60.0])
def test_expected_improvement(tau: float) -> None:
    gp = random_process(3, 6, 2, rho=1e-4)
    x = np.random.default_rng(4).random((10, 2))
    utility = Utility((gp,), (), 0.0)
    found = Improvement(utility, tau).log_value(utility.raw_samples(x))
    model, points = twin(gp), tensor(x)[:, None, :]
    with torch.no_grad():
        assert found == pytest.approx(LogExpectedImprovement(model, best_f=tau)(points).numpy(), rel=1e-7, abs=1e-9)
        plain = ExpectedImprovement(model, best_f=tau)(points).numpy()
    assert np.exp(found) == pytest.approx(plain, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, Bounds(-1.0, 0.5)])
def test_constrained_expected_improvement_and_its_gradient(bounds: Bounds) -> None:
    processes = problem(5, 2, 2)
    x = np.random.default_rng(6).random((8, 2))
    value, gradient = Improvement(Utility(processes, (bounds,) * 2, 0.0), -1.0).value_with_gradient(x)
    low = None if np.isneginf(bounds.lower) else bounds.lower
    score = LogConstrainedExpectedImprovement(
        ModelListGP(*(twin(gp) for gp in processes)),
        best_f=-1.0,
        objective_index=0,
        constraints={1: (low, bounds.upper), 2: (low, bounds.upper)},
    )
    points = tensor(x)[:, None, :].requires_grad_(True)
    theirs = score(points)
    (slopes,) = torch.autograd.grad(theirs.sum(), points)
    assert value == pytest.approx(theirs.detach().numpy(), rel=1e-5, abs=1e-6)
    assert gradient == pytest.approx(slopes[:, 0, :].numpy(), rel=1e-4, abs=1e-4)


def test_knowledge_gradient_by_fantasies() -> None:
    """K = 0 on a finite set: BoTorch's own conditioning on many outcomes, maximum of its means."""
    gp = random_process(7, 6, 2, rho=1e-4)
    A, many = np.random.default_rng(8).random((20, 2)), np.random.default_rng(9).random((30, 2))
    ahead = LookAhead(InnerSet.of((gp,), (), -9.0, A), ScenarioOptions(), 0)
    x = many[[np.argmax(ahead.value((0,), ahead.candidates(many)))]]
    model = twin(gp)
    everywhere = np.vstack([A, x])
    own = gp.posterior(x)
    T = np.linspace(-7.0, 7.0, 401)
    weight = np.exp(-0.5 * T**2) / np.exp(-0.5 * T**2).sum()
    outcomes = own.mean[0, 0] + np.sqrt(own.var[0] + gp.noise) * T
    with torch.no_grad():
        before = model.posterior(tensor(A)).mean.numpy()[:, 0].max()
        batch = tensor(outcomes)[:, None, None]
        fantasy = model.condition_on_observations(
            tensor(x).expand(401, 1, 2), batch, noise=torch.full_like(batch, gp.noise)
        )
        means = fantasy.posterior(tensor(everywhere).expand(401, *everywhere.shape)).mean.numpy()[:, :, 0]
    expected = weight @ means.max(axis=1) - before
    assert expected > 1e-3
    assert ahead.value((0,), ahead.candidates(x), refine=30)[0] == pytest.approx(expected, rel=2e-3)
