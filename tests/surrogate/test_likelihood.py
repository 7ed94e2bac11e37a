"""Likelihoods of the hyperparameters against quadrature, densities and differences."""

from functools import partial

import numpy as np
import pytest
from processes import slope
from scipy import integrate, stats

from taut.base import blocks
from taut.surrogate import likelihood
from taut.surrogate.factor import cholesky
from taut.surrogate.kernels import matern52
from taut.surrogate.likelihood import Standardised, integrated, least_squares, plugged_in, ratio_values
from taut.surrogate.priors import penalty
from taut.surrogate.settings import ModelSettings, Prior


def standardised(n: int, seed: int = 0) -> Standardised:
    X = np.random.default_rng(seed).random((n, 2))
    y = np.sin(5.0 * X[:, 0]) + X.sum(axis=1) ** 2
    return Standardised(X, (y - y.mean()) / y.std() if n else y, 3.0)


@pytest.mark.parametrize("prior", ["robust", "gamma"])
@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("treatment", [integrated, plugged_in])
@pytest.mark.parametrize("n", [2, 3, 9])
def test_gradient_of_the_penalised_likelihood(n: int, treatment: object, learned: bool, prior: Prior) -> None:
    data, integrates = standardised(n), treatment is integrated
    centre = np.log([0.35, 0.35] + ([] if integrates else [1.0]) + ([1e-2] if learned else []))
    theta = np.array([centre, centre + np.linspace(-0.7, 0.4, len(centre))])
    of_prior = partial(penalty, d=2, integrates=integrates, learned=learned, settings=ModelSettings(prior))

    def at(rows: np.ndarray) -> list[tuple[float, np.ndarray, object]]:
        return [treatment(data, row, None if learned else 1e-4, of_prior) for row in rows]  # type: ignore[operator]

    expected = slope(lambda rows: np.array([value for value, *_ in at(rows)]), theta)
    assert np.array([gradient for _, gradient, _ in at(theta)]) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def free(theta: np.ndarray) -> tuple[float, np.ndarray]:
    return 0.0, np.zeros_like(theta)


def test_squared_differences_need_not_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    theta = np.log([0.3, 0.5])
    kept = integrated(standardised(7), theta, 1e-3, free)[1]
    assert standardised(7).squared is not None
    monkeypatch.setattr(likelihood, "SQUARES_KEPT", 10)
    assert standardised(7).squared is None and blocks.SQUARES_KEPT > 10
    assert integrated(standardised(7), theta, 1e-3, free)[1] == pytest.approx(kept, rel=1e-9)


def evidence(data: Standardised, l: np.ndarray, rho: float) -> float:
    """log of the likelihood integrated over the mean (flat) and the variance a (1/a, or nu0 values of variance 1)."""
    n = len(data.y)
    _, nu0 = data.freedom
    R = matern52(data.X, data.X, l) + rho * np.eye(n)
    w, vectors = np.linalg.eigh(R)
    turned, ones = vectors.T @ data.y, vectors.T @ np.ones(n)
    norm = -0.5 * np.log(w).sum() - 0.5 * n * np.log(2.0 * np.pi)

    def over_mean(log_a: float) -> float:
        a = np.exp(log_a)
        prior = -0.5 * nu0 * (log_a + 1.0 / a)

        def density(m: float) -> float:
            return float(np.exp(norm - 0.5 * n * log_a - 0.5 * np.sum((turned - m * ones) ** 2 / w) / a + prior))

        centre = float((turned * ones / w).sum() / (ones**2 / w).sum())
        width = np.sqrt(a / (ones**2 / w).sum())
        return integrate.quad(density, centre - 10.0 * width, centre + 10.0 * width, epsrel=1e-10)[0]

    total = integrate.quad(over_mean, -12.0, 18.0, epsrel=1e-9, points=[-2.0, 0.0, 2.0], limit=200)[0]
    return float(np.log(total))


@pytest.mark.parametrize("n", [3, 5])
def test_integrated_likelihood_is_the_integral_over_mean_and_variance(n: int) -> None:
    data = standardised(n, seed=3)
    first, second = np.array([0.2, 0.4]), np.array([0.9, 0.3])
    fast = integrated(data, np.log(first), 0.05, free)[0] - integrated(data, np.log(second), 0.01, free)[0]
    slow = evidence(data, second, 0.01) - evidence(data, first, 0.05)
    assert fast == pytest.approx(slow, abs=1e-6)


def test_integrated_mean_and_variance_are_generalised_least_squares() -> None:
    data = standardised(8)
    l, rho = np.array([0.3, 0.5]), 0.02
    inverse = np.linalg.inv(matern52(data.X, data.X, l) + rho * np.eye(8))
    ones = np.ones(8)
    m = ones @ inverse @ data.y / (ones @ inverse @ ones)
    for found in (integrated(data, np.log(l), rho, free)[2], least_squares(cholesky(data.X, l, rho)[0], data, rho)):
        assert found.m == pytest.approx(m, rel=1e-10)
        assert found.a == pytest.approx((data.y - m) @ inverse @ (data.y - m) / 7.0, rel=1e-10)
        assert found.nu == 7.0


def test_values_of_ratios_are_those_of_the_integrated_treatment() -> None:
    data, l = standardised(6), np.array([0.3, 0.5])
    ratios = np.array([1e-6, 0.02])
    slow = [integrated(data, np.log(l), ratio, free)[0] for ratio in ratios]
    assert ratio_values(data, l, ratios) == pytest.approx(slow, rel=1e-12)
    twice = Standardised(np.repeat(data.X, 2, axis=0), np.repeat(data.y, 2), 3.0)
    assert ratio_values(twice, l, np.array([-1e-3]))[0] == np.inf


def test_plugged_in_likelihood_is_the_normal_density() -> None:
    data = standardised(6)
    l, a, noise = np.array([0.3, 0.5]), 1.7, 0.02
    value, _, m = plugged_in(data, np.log([*l, a]), noise, free)
    K = a * matern52(data.X, data.X, l) + noise * np.eye(6)
    exact = stats.multivariate_normal(np.full(6, m), K).logpdf(data.y)
    assert -value - 3.0 * np.log(2.0 * np.pi) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("n, nu, nu0", [(0, 3.0, 3.0), (1, 3.0, 3.0), (2, 3.0, 2.0), (4, 3.0, 0.0), (9, 8.0, 0.0)])
def test_degrees_of_freedom(n: int, nu: float, nu0: float) -> None:
    assert Standardised(np.zeros((n, 2)), np.zeros(n), 3.0).freedom == (nu, nu0)


def test_a_matrix_whose_inverse_is_rounding_counts_as_indefinite() -> None:
    """It factors, but 1'R^-1 1 is negative: found among studies at the edge of floating point."""
    rng = np.random.default_rng(94)
    n = int(rng.integers(3, 7))
    X = 0.5 + 10.0 ** rng.uniform(-9, -6) * rng.random((n, 1))
    y = rng.standard_normal(n)
    free = lambda theta: (0.0, np.zeros_like(theta))  # noqa: E731
    with pytest.raises(np.linalg.LinAlgError):
        integrated(Standardised(X, (y - y.mean()) / y.std(), 3.0), np.zeros(1), 1e-300, free)
