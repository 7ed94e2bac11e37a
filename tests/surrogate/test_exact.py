"""Functions that are exactly linear or quadratic."""

import numpy as np
import pytest
from processes import dataset, slope

from taut.surrogate.exact import exactly
from taut.surrogate.fit import Fitted
from taut.surrogate.model import fit_surrogate
from taut.surrogate.paths import draw, fourier_features
from taut.surrogate.sceptic import sceptical
from taut.surrogate.settings import ModelSettings

SLOPES = np.array([3.0, -1.0, 0.5])
SETTINGS = ModelSettings()


def points(seed: int, n: int, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).random((n, d))


def line(X: np.ndarray) -> np.ndarray:
    return 7.0 + X @ SLOPES[: X.shape[1]]


def bowl(X: np.ndarray) -> np.ndarray:
    d = X.shape[1]
    steep = 10.0 ** (6.0 * np.arange(d) / (d - 1.0))
    return line(X) + np.square(X - 0.3) @ steep + 5.0 * X[:, 0] * X[:, 1]


def found(X: np.ndarray, y: np.ndarray) -> Fitted:
    fitted = exactly(X, y, SETTINGS)
    assert fitted is not None and fitted.gp.drift is not None
    return fitted


@pytest.mark.parametrize("function, n, d, order", [(line, 7, 3, 1), (line, 6, 2, 1), (bowl, 13, 3, 2), (bowl, 9, 2, 2)])
def test_a_polynomial_is_known_to_its_last_digits(function: object, n: int, d: int, order: int) -> None:
    X, far = points(1, n, d), points(2, 200, d)
    gp = found(X, function(X)).gp  # type: ignore[operator]
    truth = function(far)  # type: ignore[operator]
    assert gp.drift is not None and gp.drift.order == order
    assert np.abs(gp.mean(far)[0] - truth).max() < 1e-12 * np.abs(truth).max()
    assert exactly(X[:-1], function(X[:-1]), SETTINGS) is None or d == 2 and order == 1  # type: ignore[operator]
    assert gp.posterior(X).mean[0] == pytest.approx(function(X), rel=1e-12)  # type: ignore[operator]


def test_what_is_told_of_it_leaves_open_that_it_is_something_else_elsewhere() -> None:
    X, far = 0.3 * points(3, 9, 2), np.array([[0.9, 0.9]])
    fitted = found(X, line(X))
    decided, told = (np.sqrt(gp.posterior(far).var[0]) / gp.scale for gp in (fitted.gp, fitted.honest))
    assert decided == pytest.approx(SETTINGS.exact_doubt, rel=0.2)
    assert told == pytest.approx(np.sqrt(SETTINGS.constant_amplitude), rel=0.2)
    assert np.sqrt(fitted.honest.posterior(X).var.max()) < 1e-6 * fitted.gp.scale


@pytest.mark.parametrize(
    "y",
    [
        lambda X: line(X) + 1e-6 * np.sin(9.0 * X[:, 0]),
        lambda X: np.minimum(line(X), 8.5),
        lambda X: np.round(bowl(X), 3),
        lambda X: np.full(len(X), 3.0),
    ],
    ids=["wave", "cut off", "rounded", "constant"],
)
def test_what_is_nearly_a_polynomial_is_none(y: object) -> None:
    X = points(4, 30, 2)
    assert exactly(X, y(X), SETTINGS) is None  # type: ignore[operator]


def test_a_parameter_that_was_never_varied_leaves_its_coefficient_open() -> None:
    X = points(5, 20)
    X[:, 2] = 0.4
    assert exactly(X, line(X), SETTINGS) is None


@pytest.mark.parametrize("settings", [ModelSettings("gamma"), ModelSettings(trend=False)])
def test_not_with_the_published_model_and_not_if_it_is_switched_off(settings: ModelSettings) -> None:
    assert exactly(points(6, 20), line(points(6, 20)), settings) is None


def test_the_next_value_may_refute_it() -> None:
    X = points(7, 13, 2)
    X[:12, 0] *= 0.5
    X[12] = 0.9, 0.1
    y = np.minimum(line(X), 8.6)
    assert (y < line(X)).tolist() == [False] * 12 + [True]
    first = fit_surrogate(dataset([X[:12], X[:12]], [y[:12], np.sin(9.0 * y[:12])]), SETTINGS, {}, {})
    assert first.processes[0].drift is not None and first.processes[1].drift is None
    assert "f" not in first.memory and "c1" in first.memory
    after = fit_surrogate(dataset([X, X], [y, np.sin(9.0 * y)]), SETTINGS, first.memory, {})
    cold = fit_surrogate(dataset([X, X], [y, np.sin(9.0 * y)]), SETTINGS, {}, {})
    assert after.processes[0].drift is None
    assert np.array_equal(after.processes[0].alpha, cold.processes[0].alpha)


def test_gradients_fantasies_and_paths_go_with_the_polynomial() -> None:
    X, x = points(8, 14), points(9, 5)
    gp = found(X, bowl(X)).gp
    size = float(np.abs(bowl(x)).max())
    expected = slope(lambda u: gp.mean(u)[0], x)
    assert gp.mean_with_gradient(x)[1] == pytest.approx(expected, rel=1e-6, abs=1e-7 * size)
    here, g_mean = gp.posterior_with_gradient(x), points(10, 1, 5)
    total = slope(lambda u: g_mean[0] * gp.posterior(u).mean[0], x)
    assert here.gradient(g_mean, None) == pytest.approx(total, rel=1e-6, abs=1e-7 * size)
    seen = gp.observed(x[:1], gp.posterior(x[:1]).mean + 1.0)
    assert seen.posterior(x[:1]).mean[0, 0] == pytest.approx(gp.posterior(x[:1]).mean[0, 0] + 1.0, rel=1e-9)
    rng = np.random.default_rng(11)
    paths, rows = draw(gp, fourier_features(gp.hyper.l, 100, rng, gp.trend), 4, rng), np.array([0, 1, 2, 3, 0])
    value, gradient = paths.values_with_gradient(x, rows)
    assert value == pytest.approx(paths.values(x)[rows, np.arange(5)], rel=1e-12)
    assert np.abs(value - bowl(x)).max() < 5.0 * SETTINGS.exact_doubt * gp.scale
    by = slope(lambda u: paths.values(u)[rows, np.arange(5)], x)
    assert gradient == pytest.approx(by, rel=1e-5, abs=1e-6 * size)
    assert sceptical(gp, None, SETTINGS) is gp
