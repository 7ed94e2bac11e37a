"""Hyperparameters: degenerate data, warm starts, the schedule of refits, noise."""

import numpy as np
import pytest

from taut.acquisition.feasibility import Bounds, probability
from taut.surrogate import fit as fitting
from taut.surrogate.fit import Warm
from taut.surrogate.gp import GP
from taut.surrogate.priors import length_prior
from taut.surrogate.settings import ModelSettings
from taut.surrogate.task import More

PRIORS = ("robust", "gamma")


def wave(n: int, d: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.sin(5.0 * X[:, 0]) + X.sum(axis=1) ** 2


def fit(
    X: np.ndarray, y: np.ndarray, noise: object, settings: ModelSettings, warm: Warm | None
) -> tuple[GP, Warm, str]:
    found = fitting.fit(X, y, noise, settings, warm)  # type: ignore[arg-type]
    return found.gp, found.warm, found.note  # type: ignore[return-value]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("constant, certain", [(-100.0, True), (-0.05, False), (0.05, False)])
def test_constant_data(prior: str, constant: float, certain: bool) -> None:
    """Far from the threshold a constant constraint is certain; close to it not, away from the data."""
    X = 0.4 * wave(8)[0]
    gp, warm, note = fit(X, np.full(8, constant), None, ModelSettings(prior), None)  # type: ignore[arg-type]
    here = gp.posterior(np.array([[0.6, 1.0], [1.0, 0.7], X[0]]))
    p = probability(Bounds(-np.inf, 0.0), here.mean[0], np.sqrt(here.var))
    assert here.mean[0] == pytest.approx(constant, abs=1e-9)
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
    gp, warm, note = fit(X, y, None, ModelSettings(prior), None)  # type: ignore[arg-type]
    here = gp.posterior(np.array([[0.5, 0.5]]))
    assert (warm, note) == (None, "")
    assert gp.amplitude == 1.0 and 0.0 < here.var[0] <= 1.0
    if n:
        assert gp.posterior(X).mean[0] == pytest.approx(y)


@pytest.mark.parametrize("prior", PRIORS)
def test_two_values(prior: str) -> None:
    X, y = wave(2)
    gp, _, note = fit(X, y, None, ModelSettings(prior), None)  # type: ignore[arg-type]
    assert note == ""
    assert gp.posterior(X).mean[0] == pytest.approx(y, rel=1e-4)
    assert gp.hyper.nu == (3.0 if prior == "robust" else np.inf)


def test_values_of_any_size_give_the_same_belief() -> None:
    X, y = wave(10)
    x = np.array([[0.1, 0.9], [0.5, 0.5]])
    plain, large = (fit(X, values, None, ModelSettings(), None)[0].posterior(x) for values in (y, 1e7 - 1e4 * y))
    assert large.mean == pytest.approx(1e7 - 1e4 * plain.mean, rel=1e-9)
    assert large.var == pytest.approx(1e8 * plain.var, rel=1e-4)


def test_the_fit_depends_on_its_arguments_only() -> None:
    X, y = wave(9)
    first = fit(X, y, "learned", ModelSettings(), None)
    fit(*wave(12, seed=5), None, ModelSettings("gamma"), None)
    second = fit(X, y, "learned", ModelSettings(), None)
    assert first[1] == second[1]
    assert np.array_equal(first[0].alpha, second[0].alpha)


@pytest.mark.parametrize("prior, noise", [("robust", None), ("robust", "learned"), ("gamma", None), ("gamma", 0.05)])
def test_a_warm_start_is_never_worse(prior: str, noise: object) -> None:
    X, y = wave(30, seed=2)
    y = y + 0.05 * np.random.default_rng(3).standard_normal(30)
    settings = ModelSettings(prior, 1e-6)  # type: ignore[arg-type]
    warm = None
    for n in (8, 14, 22, 29):
        _, warm, _ = fit(X[:n], y[:n], noise, settings, warm)
    last, cold = (fitting.fit(X, y, noise, settings, start) for start in (warm, None))  # type: ignore[arg-type]
    assert last.evidence >= cold.evidence - 1e-3


@pytest.mark.parametrize(
    "n, fitted, due",
    [(6, 5, True), (6, 6, False), (64, 63, True), (65, 64, False), (66, 64, True), (201, 200, False), (206, 200, True)],
)
def test_schedule_of_refits(n: int, fitted: int, due: bool) -> None:
    assert Warm((), fitted, fitted, 1e-12).due(n, ModelSettings()) is due


def test_between_refits_the_parameters_are_kept_and_the_data_used() -> None:
    X, y = wave(66)
    _, warm, _ = fit(X[:64], y[:64], None, ModelSettings(rho=1e-8), None)
    gp, kept, _ = fit(X[:65], y[:65], None, ModelSettings(rho=1e-8), warm)
    assert kept == warm
    assert np.log(gp.hyper.l) == pytest.approx(np.array(warm.theta[:2]), rel=1e-14)  # type: ignore[union-attr]
    assert gp.posterior(X[64:65]).mean[0] == pytest.approx(y[64:65], abs=1e-4)


def test_a_warm_start_survives_json() -> None:
    _, warm, _ = fit(*wave(7), None, ModelSettings(), None)
    assert warm is not None and Warm.from_json(warm.to_json()) == warm
    assert Warm.from_json(None) is None


def test_a_warm_start_of_another_kind_is_ignored() -> None:
    X, y = wave(9)
    _, warm, _ = fit(X, y, None, ModelSettings(rough=False), None)
    assert fit(X, y, None, ModelSettings(), warm)[1] == fit(X, y, None, ModelSettings(), None)[1]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("sd", [0.05, 0.3])
def test_learned_noise(prior: str, sd: float) -> None:
    X, y = wave(40, d=1, seed=4)
    noisy = y + sd * np.random.default_rng(5).standard_normal(40)
    gp, _, _ = fit(X, noisy, "learned", ModelSettings(prior), None)  # type: ignore[arg-type]
    assert 0.7 * sd < np.sqrt(gp.noise) < 1.4 * sd


@pytest.mark.parametrize("prior", PRIORS)
def test_given_noise_is_taken_as_it_is(prior: str) -> None:
    X, y = wave(12)
    gp, _, _ = fit(X, 100.0 * y, 3.0, ModelSettings(prior), None)  # type: ignore[arg-type]
    assert np.sqrt(gp.noise) == pytest.approx(3.0, rel=1e-9)
    assert gp.hyper.nu == np.inf


def test_given_noise_is_kept_in_user_units_when_the_data_spread_out_between_refits() -> None:
    X, y = wave(66)
    y[64] = 1e3
    _, warm, _ = fit(X[:64], y[:64], 0.2, ModelSettings(), None)
    gp, kept, _ = fit(X[:65], y[:65], 0.2, ModelSettings(), warm)
    assert kept == warm  # no refit is due
    assert np.sqrt(gp.noise) == pytest.approx(0.2, rel=1e-6)


@pytest.mark.parametrize("size", [1e-4, 1e-2])
def test_roughness_of_a_deterministic_function_is_noticed(size: float) -> None:
    X, y = wave(40, d=1, seed=6)
    rough = y + size * np.random.default_rng(7).standard_normal(40)
    gp, _, note = fit(X, rough, None, ModelSettings(), None)
    assert 0.5 * size < np.sqrt(gp.amplitude * gp.hyper.rough) < 2.0 * size
    assert gp.noise == 0.0 and ("rough" in note) == (size > 1e-3)


def test_an_exact_function_is_exact_once_its_values_crowd() -> None:
    X, y = wave(40, d=1, seed=6)
    gp, _, note = fit(X, y, None, ModelSettings(), None)
    assert gp.hyper.rough == 0.0 and note == ""


def test_beside_crowded_exact_values_the_error_bar_is_as_small_as_the_error() -> None:
    """The noise that keeps a matrix positive is a floor of what can be promised at a boundary."""
    near = 0.5 + 1e-4 * np.random.default_rng(8).standard_normal((12, 1))
    X = np.concatenate([np.linspace(0.0, 1.0, 12)[:, None], near])
    honest = fitting.fit(X, np.sin(6.0 * X[:, 0]), None, ModelSettings(), None).honest
    places = 0.5 + 1e-4 * np.linspace(-1.0, 1.0, 9)[:, None]
    found = honest.posterior(places)
    errors = np.abs(found.mean[0] - np.sin(6.0 * places[:, 0]))
    sd = np.sqrt(found.var)
    assert (errors < 3.0 * sd).all() and sd.max() < 5e-8


def test_with_few_values_roughness_is_what_they_leave_open() -> None:
    """Decisions rest on the most likely ratio, what is told on all that is possible."""
    X, y = wave(60, d=2, seed=6)
    few, many = (fitting.fit(X[:n], y[:n], None, ModelSettings(), None) for n in (6, 60))
    assert few.honest.hyper.rho > 1e-5 and many.honest.hyper.rho < 1e-3 * few.honest.hyper.rho
    assert few.gp.hyper.rho < 1e-3 * few.honest.hyper.rho
    assert few.warm is not None and few.honest.hyper.rough == few.warm.rho


def test_rounding_is_a_floor_of_the_roughness() -> None:
    X, y = wave(12, d=2, seed=6)
    gp = fitting.fit(X, y, None, ModelSettings(), None, more=More(rounding=0.03**2)).gp
    assert np.sqrt(gp.amplitude * gp.hyper.rough) >= 0.03 * (1.0 - 1e-2)


def test_coarse_values_do_not_spoil_fine_ones() -> None:
    """Half of the values are printed to 1e-4, half to 0.1: with a share of each the error bars at fine places hold."""
    X, y = wave(40, d=1, seed=6)
    steps = np.where(X[:, 0] < 0.5, 1e-4, 0.1)
    printed = np.round(y / steps) * steps
    one, each = (
        fitting.fit(X, printed, None, ModelSettings(), None, more=More(rounding=1e-8 / 12.0, rounded=rounded))
        for rounded in (None, steps**2 / 12.0)
    )
    assert one.gp.share is None and each.gp.share is not None and each.honest.share is not None
    assert (each.gp.share[steps < 0.1] == 1.0).all() and (each.gp.share[steps == 0.1] > 10.0).all()


def test_a_function_is_not_rough_if_it_may_not_be() -> None:
    X, y = wave(24, d=1, seed=6)
    rough = y + 1e-2 * np.random.default_rng(7).standard_normal(24)
    gp, warm, _ = fit(X, rough, None, ModelSettings(rough=False), None)
    assert gp.hyper.rough == 0.0 and warm is not None and len(warm.theta) == 1


def test_a_failed_fit_keeps_the_start_and_says_so() -> None:
    """Equal points with different values and no noise to speak of: no factorisation anywhere in the box."""
    X = np.array([[0.4, 0.4], [0.4, 0.4]])
    gp, warm, note = fit(X, np.array([1.0, 2.0]), None, ModelSettings(rho=1e-18, rough=False), None)
    assert "failed" in note and warm is not None
    assert gp.hyper.l == pytest.approx(np.exp(length_prior(2, ModelSettings())[0]))
    assert np.isfinite(gp.posterior(X).mean).all()


def test_a_given_ratio_beyond_what_is_estimated_is_kept() -> None:
    X, y = wave(12)
    assert fit(X, y, None, ModelSettings(rho=0.1), None)[0].hyper.rho == pytest.approx(0.1)
