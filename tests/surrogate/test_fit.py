"""Hyperparameters: likelihoods against quadrature and differences, priors, degenerate data, schedule, noise."""

import numpy as np
import pytest
from processes import slope
from scipy import integrate, stats

from taut.acquisition.feasibility import Bounds, probability
from taut.surrogate import fit as fitting
from taut.surrogate.fit import FitOptions, Warm, length_prior
from taut.surrogate.gp import GP
from taut.surrogate.kernels import matern52
from taut.surrogate.likelihood import Standardised, freedom, integrated, plugged_in

PRIORS = ("robust", "gamma", "map", "ml2")


def wave(n: int, d: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.sin(5.0 * X[:, 0]) + X.sum(axis=1) ** 2


def fit(X: np.ndarray, y: np.ndarray, noise: object, options: FitOptions, warm: Warm | None) -> tuple[GP, Warm, str]:
    found = fitting.fit(X, y, noise, options, warm)  # type: ignore[arg-type]
    return found.gp, found.warm, found.note  # type: ignore[return-value]


def standardised(n: int, d: int = 2, seed: int = 0) -> Standardised:
    X, y = wave(n, d, seed)
    return Standardised(X, (y - y.mean()) / y.std())


def task(n: int, prior: str = "robust", noise: object = None, rho: float = 1e-6) -> fitting._Task:
    data = standardised(n)
    return fitting._Task(data.X, data.y, noise, 1.0, FitOptions(prior, rho))  # type: ignore[arg-type]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("noise", [None, "learned", 0.1])
@pytest.mark.parametrize("n", [2, 3, 9])
def test_gradient_of_the_penalised_likelihood(prior: str, noise: object, n: int) -> None:
    each = task(n, prior, noise, rho=1e-4)
    theta = np.array([each.start() + shift for shift in (0.0, np.linspace(-0.7, 0.4, len(each.box)))])
    expected = slope(lambda rows: np.array([each.objective(row)[0] for row in rows]), theta)
    found = np.array([each.objective(row)[1] for row in theta])
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def free(theta: np.ndarray) -> tuple[float, np.ndarray]:
    return 0.0, np.zeros_like(theta)


def evidence(data: Standardised, l: np.ndarray, rho: float) -> float:
    """log of the likelihood integrated over the mean (flat) and the variance a (1/a, or nu0 values of variance 1)."""
    n = len(data.y)
    _, nu0 = freedom(n)
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
    found = integrated(data, np.log(l), rho, free)[2]
    inverse = np.linalg.inv(matern52(data.X, data.X, l) + rho * np.eye(8))
    ones = np.ones(8)
    m = ones @ inverse @ data.y / (ones @ inverse @ ones)
    assert found.m == pytest.approx(m, rel=1e-10)
    assert found.a == pytest.approx((data.y - m) @ inverse @ (data.y - m) / 7.0, rel=1e-10)
    assert found.nu == 7.0


def test_plugged_in_likelihood_is_the_normal_density() -> None:
    data = standardised(6)
    l, a, noise = np.array([0.3, 0.5]), 1.7, 0.02
    value, _, m = plugged_in(data, np.log([*l, a]), noise, free)
    K = a * matern52(data.X, data.X, l) + noise * np.eye(6)
    exact = stats.multivariate_normal(np.full(6, m), K).logpdf(data.y)
    assert -value - 3.0 * np.log(2.0 * np.pi) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("n, nu, nu0", [(0, 3.0, 3.0), (1, 3.0, 3.0), (2, 3.0, 2.0), (4, 3.0, 0.0), (9, 8.0, 0.0)])
def test_degrees_of_freedom(n: int, nu: float, nu0: float) -> None:
    assert freedom(n) == (nu, nu0)


@pytest.mark.parametrize(
    "prior, density",
    [
        ("robust", lambda l: l * stats.lognorm(0.5, scale=0.35 * np.sqrt(1.5)).pdf(l)),  # density of log l
        ("gamma", stats.gamma(3.0, scale=1.0 / 6.0).pdf),
        ("map", stats.lognorm(np.sqrt(3.0), scale=np.exp(np.sqrt(2.0)) * np.sqrt(3.0)).pdf),
        ("ml2", lambda l: 1.0),
    ],
)
def test_prior_of_the_length_scales(prior: str, density: object) -> None:
    def penalty(l: float) -> float:
        return fitting._length_penalty(prior, np.log([l, 0.4, 0.4]), np.empty(3))  # type: ignore[arg-type]

    expected = np.log(density(0.7)) - np.log(density(0.2))  # type: ignore[operator]
    assert penalty(0.2) - penalty(0.7) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("prior", ["gamma", "map"])
def test_prior_of_the_signal_variance(prior: str) -> None:
    each = task(5, prior)
    low, high = (each.penalty(np.append(each.start()[:2], np.log(a)))[0] for a in (0.5, 2.0))
    expected = stats.gamma(2.0, scale=1.0 / 0.15)
    assert low - high == pytest.approx(expected.logpdf(2.0) - expected.logpdf(0.5), abs=1e-10)


def test_median_length_scale_grows_with_the_diagonal_of_the_cube() -> None:
    assert np.exp(length_prior(2)[0]) == pytest.approx(0.35)
    assert np.exp(length_prior(8)[0]) == pytest.approx(0.7)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("constant, certain", [(-100.0, True), (-0.05, False), (0.05, False)])
def test_constant_data(prior: str, constant: float, certain: bool) -> None:
    """Far from the threshold a constant constraint is certain; close to it some doubt is left away from the data."""
    X = 0.4 * wave(8)[0]
    gp, warm, note = fit(X, np.full(8, constant), None, FitOptions(prior), None)  # type: ignore[arg-type]
    table = gp.posterior(np.array([[0.6, 1.0], [1.0, 0.7], X[0]]))
    p = probability(Bounds(-np.inf, 0.0), table.mean[0], np.sqrt(table.var))
    assert table.mean[0] == pytest.approx(constant, abs=1e-9)
    assert (warm, note) == (None, "")
    if certain:
        assert (p == 1.0).all()
    else:
        assert (p[:2] > 1e-3).all() and (p[:2] < 1.0 - 1e-3).all()
        assert p[2] == pytest.approx(float(constant < 0.0), abs=1e-9)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("prior", PRIORS)
def test_no_or_one_value(n: int, prior: str) -> None:
    X, y = wave(n)
    gp, warm, note = fit(X, y, None, FitOptions(prior), None)  # type: ignore[arg-type]
    table = gp.posterior(np.array([[0.5, 0.5]]))
    assert (warm, note) == (None, "")
    assert gp.amplitude == 1.0 and 0.0 < table.var[0] <= 1.0
    if n:
        assert gp.posterior(X).mean[0] == pytest.approx(y)


@pytest.mark.parametrize("prior", PRIORS)
def test_two_values(prior: str) -> None:
    X, y = wave(2)
    gp, _, note = fit(X, y, None, FitOptions(prior), None)  # type: ignore[arg-type]
    assert note == ""
    assert gp.posterior(X).mean[0] == pytest.approx(y, rel=1e-4)
    assert gp.hyper.nu == (3.0 if prior == "robust" else np.inf)


def test_values_of_any_size_give_the_same_belief() -> None:
    X, y = wave(10)
    x = np.array([[0.1, 0.9], [0.5, 0.5]])
    plain, large = (fit(X, values, None, FitOptions(), None)[0].posterior(x) for values in (y, 1e7 - 1e4 * y))
    assert large.mean == pytest.approx(1e7 - 1e4 * plain.mean, rel=1e-9)
    assert large.var == pytest.approx(1e8 * plain.var, rel=1e-4)


def test_the_fit_depends_on_its_arguments_only() -> None:
    X, y = wave(9)
    first = fit(X, y, "learned", FitOptions(), None)
    fit(*wave(12, seed=5), None, FitOptions("map"), None)
    second = fit(X, y, "learned", FitOptions(), None)
    assert first[1] == second[1]
    assert np.array_equal(first[0].alpha, second[0].alpha)


@pytest.mark.parametrize("prior, noise", [("robust", None), ("robust", "learned"), ("gamma", None), ("map", 0.05)])
def test_a_warm_start_is_never_worse(prior: str, noise: object) -> None:
    X, y = wave(30, seed=2)
    y = y + 0.05 * np.random.default_rng(3).standard_normal(30)
    options = FitOptions(prior, 1e-6)  # type: ignore[arg-type]
    warm = None
    for n in (8, 14, 22, 29, 30):
        _, warm, _ = fit(X[:n], y[:n], noise, options, warm)  # type: ignore[arg-type]
    _, cold, _ = fit(X, y, noise, options, None)  # type: ignore[arg-type]
    assert warm is not None and cold is not None
    offset, scale = y.mean(), y.std()
    each = fitting._Task(X, (y - offset) / scale, noise, scale, options)  # type: ignore[arg-type]
    each.rho = max(warm.rho, cold.rho)
    assert each.objective(np.array(warm.theta))[0] <= each.objective(np.array(cold.theta))[0] + 1e-3


@pytest.mark.parametrize(
    "n, fitted, due",
    [(6, 5, True), (6, 6, False), (64, 63, True), (65, 64, False), (66, 64, True), (201, 200, False), (206, 200, True)],
)
def test_schedule_of_refits(n: int, fitted: int, due: bool) -> None:
    assert fitting._due(n, fitted) is due


def test_between_refits_the_parameters_are_kept_and_the_data_used() -> None:
    X, y = wave(66)
    _, warm, _ = fit(X[:64], y[:64], None, FitOptions(rho=1e-8), None)
    gp, kept, _ = fit(X[:65], y[:65], None, FitOptions(rho=1e-8), warm)
    assert kept == warm
    assert np.log(gp.hyper.l) == pytest.approx(np.array(warm.theta), rel=1e-14)  # type: ignore[union-attr]
    assert gp.posterior(X[64:65]).mean[0] == pytest.approx(y[64:65], abs=1e-4)


def test_a_warm_start_survives_json() -> None:
    _, warm, _ = fit(*wave(7), None, FitOptions(), None)
    assert warm is not None and Warm.from_json(warm.to_json()) == warm
    assert Warm.from_json(None) is None


def test_a_warm_start_of_another_kind_is_ignored() -> None:
    X, y = wave(9)
    _, warm, _ = fit(X, y, "learned", FitOptions(), None)
    assert fit(X, y, None, FitOptions(), warm)[1] == fit(X, y, None, FitOptions(), None)[1]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("sd", [0.05, 0.3])
def test_learned_noise(prior: str, sd: float) -> None:
    X, y = wave(40, d=1, seed=4)
    noisy = y + sd * np.random.default_rng(5).standard_normal(40)
    gp, _, _ = fit(X, noisy, "learned", FitOptions(prior), None)  # type: ignore[arg-type]
    assert 0.7 * sd < np.sqrt(gp.noise) < 1.4 * sd


@pytest.mark.parametrize("prior", PRIORS)
def test_given_noise_is_taken_as_it_is(prior: str) -> None:
    X, y = wave(12)
    gp, _, _ = fit(X, 100.0 * y, 3.0, FitOptions(prior), None)  # type: ignore[arg-type]
    assert np.sqrt(gp.noise) == pytest.approx(3.0, rel=1e-9)
    assert gp.hyper.nu == np.inf


def test_given_noise_is_kept_in_user_units_when_the_data_spread_out_between_refits() -> None:
    X, y = wave(66)
    y[64] = 1e3
    _, warm, _ = fit(X[:64], y[:64], 0.2, FitOptions(), None)
    gp, kept, _ = fit(X[:65], y[:65], 0.2, FitOptions(), warm)
    assert kept == warm  # no refit is due
    assert np.sqrt(gp.noise) == pytest.approx(0.2, rel=1e-6)


def test_solver_noise_of_a_deterministic_function_is_noticed() -> None:
    X, y = wave(24, d=1, seed=6)
    rough = y + 1e-3 * np.random.default_rng(7).standard_normal(24)
    gp, _, note = fit(X, rough, None, FitOptions(), None)
    assert 1e-4 < np.sqrt(gp.noise) < 1e-1 and "scatter" in note
    assert fit(X, y, None, FitOptions(), None)[2] == ""


def test_a_failed_fit_keeps_the_start_and_says_so() -> None:
    """Equal places with different values and no noise to speak of: no factorisation anywhere in the box."""
    X = np.array([[0.4, 0.4], [0.4, 0.4]])
    gp, warm, note = fit(X, np.array([1.0, 2.0]), None, FitOptions(rho=1e-18), None)
    assert "failed" in note and warm is not None
    assert gp.hyper.l == pytest.approx(np.exp(length_prior(2)[0]))
    assert np.isfinite(gp.posterior(X).mean).all()
