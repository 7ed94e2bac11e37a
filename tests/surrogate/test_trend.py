"""The polynomial part of a process: identities against slow twins, and when a fit believes in one."""

import numpy as np
import pytest
from processes import process, random_process, slope
from reference.dense_gp import DenseGP

from taut.surrogate import fit as fitting
from taut.surrogate.drift import polynomials
from taut.surrogate.factor import cholesky, factor
from taut.surrogate.fit import Fitted, Warm
from taut.surrogate.kernels import matern52
from taut.surrogate.likelihood import Standardised, integrated, least_squares, ratio_values
from taut.surrogate.paths import draw, fourier_features
from taut.surrogate.posterior import CrossCovariance
from taut.surrogate.sceptic import sceptical
from taut.surrogate.settings import ModelSettings
from taut.surrogate.trend import Trend

LINEAR, CURVED = Trend(40.0), Trend(40.0, 25.0)
TRENDS = (LINEAR, CURVED)
SLOPES = np.array([3.0, -1.0, 0.5])


def points(seed: int, n: int, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).random((n, d))


def line(X: np.ndarray) -> np.ndarray:
    return 7.0 + X @ SLOPES[: X.shape[1]]


def fit(X: np.ndarray, y: np.ndarray, warm: Warm | None = None, noise: object = None, **settings: object) -> Fitted:
    return fitting.fit(X, y, noise, ModelSettings(**settings), warm)  # type: ignore[arg-type]


@pytest.mark.parametrize("trend", TRENDS)
@pytest.mark.parametrize("J", [1, 3])
def test_the_posterior_is_that_of_a_sum_of_a_polynomial_and_a_smooth_function(J: int, trend: Trend) -> None:
    gp = random_process(1, 9, 3, J, trend=trend)
    slow, x = DenseGP.like(gp), points(2, 6)
    here = gp.posterior(x)
    assert here.mean == pytest.approx(slow.mean(x), rel=1e-9)
    assert here.var == pytest.approx(slow.variance(x), rel=1e-6)
    assert gp.covariance(here, here) == pytest.approx(slow.covariance(x, x), abs=1e-9 * gp.size)
    assert gp.approximate_posterior(x)[1] == pytest.approx(here.var, rel=1e-6)


@pytest.mark.parametrize("trend", TRENDS)
def test_before_any_value_the_variance_grows_away_from_the_middle(trend: Trend) -> None:
    gp = process(np.empty((0, 2)), np.empty(0), trend=trend)
    middle, corner = gp.posterior(np.array([[0.5, 0.5], [1.0, 0.0]])).var / gp.amplitude
    assert (middle, corner) == (pytest.approx(1.0), pytest.approx(1.0 + 0.5 * trend.tilt + 0.25 * trend.bow))
    everywhere = gp.posterior(points(3, 100_000, 2)).var.mean()
    assert gp.size == pytest.approx(everywhere, rel=0.01)


@pytest.mark.parametrize("trend", TRENDS)
def test_gradients_are_slopes(trend: Trend) -> None:
    gp, x = random_process(4, 8, 3, trend=trend), points(5, 5)
    here, other = gp.posterior_with_gradient(x), gp.posterior(points(6, 2))
    g_mean, g_var, weight = points(7, 1, 5), points(8, 1, 5)[0], points(9, 5, 2)
    covariance, D = here.cross(other)
    assert covariance == pytest.approx(gp.covariance(here.posterior, other), abs=1e-12 * gp.size)

    def total(u: np.ndarray) -> np.ndarray:
        at = gp.posterior(u)
        found: np.ndarray = g_mean[0] * at.mean[0] + g_var * at.var + (weight * gp.covariance(at, other)).sum(axis=1)
        return found

    found = here.gradient(g_mean, g_var, CrossCovariance(slice(None), other, D, weight))
    assert found == pytest.approx(slope(total, x), rel=1e-5, abs=1e-5 * gp.size)
    assert gp.mean_with_gradient(x)[1] == pytest.approx(slope(lambda u: gp.mean(u)[0], x), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("trend", TRENDS)
def test_a_value_can_be_appended(trend: Trend) -> None:
    gp, new = random_process(10, 8, 3, trend=trend), points(11, 2)
    outcome = np.array([[1.0], [-2.0]])
    fast, slow = gp.observed(new, outcome).posterior(points(12, 5)), DenseGP.like(gp).given(new, outcome)
    assert fast.mean == pytest.approx(slow.mean(points(12, 5)), rel=1e-7)
    assert fast.var == pytest.approx(slow.variance(points(12, 5)), rel=1e-4, abs=1e-9 * gp.size)


def test_a_factor_grows_from_one_of_the_same_trend_only() -> None:
    X, l = points(13, 20), np.full(3, 0.5)
    known = factor(X[:15], l, 1e-8, 12, None, None, LINEAR)
    assert known.leads(X, l, 1e-8, 12, LINEAR) and not known.leads(X, l, 1e-8, 12, None)
    assert np.array_equal(factor(X, l, 1e-8, 12, known, None, LINEAR).L, factor(X, l, 1e-8, 12, None, None, LINEAR).L)


@pytest.mark.parametrize("trend", TRENDS)
def test_paths_have_the_mean_and_the_covariance(trend: Trend) -> None:
    gp, rng = random_process(14, 5, 2, trend=trend), np.random.default_rng(15)
    x = np.vstack([points(16, 6, 2), gp.X[:2]])
    sets = [fourier_features(gp.hyper.l, 500, rng, gp.trend) for _ in range(40)]
    values = np.vstack([draw(gp, each, 100, rng).values(x) for each in sets])
    here = gp.posterior(x)
    assert values.mean(axis=0) == pytest.approx(here.mean[0], abs=0.08 * np.sqrt(here.var.max()))
    assert np.cov(values.T) == pytest.approx(gp.covariance(here, here), abs=0.1 * here.var.max())
    paths, rows = draw(gp, sets[0], 4, rng), np.array([0, 3, 1, 1])
    value, gradient = paths.values_with_gradient(x[:4], rows)
    assert value == pytest.approx(paths.values(x[:4])[rows, np.arange(4)], rel=1e-9)
    expected = slope(lambda u: paths.values(u)[rows, np.arange(4)], x[:4])
    assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("trend", TRENDS)
def test_the_likelihood_and_its_gradient(trend: Trend) -> None:
    """Against the formula in words, with an explicit inverse."""
    X, theta = points(17, 10), np.concatenate([np.log([0.5, 0.7, 1.2]), trend.logs, [np.log(1e-3)]])
    y = np.sin(4.0 * X.sum(axis=1)) + line(X)
    data = Standardised(X, (y - y.mean()) / y.std(), 3.0)

    def free(t: np.ndarray) -> tuple[float, np.ndarray]:
        return 0.0, np.zeros_like(t)

    value, gradient, found = integrated(data, theta, None, free, len(trend.logs))
    t = (X - 0.5) @ (X - 0.5).T
    R = matern52(X, X, np.exp(theta[:3])) + trend.tilt * t + trend.bow * t**2 + 1e-3 * np.eye(10)
    inverse, one = np.linalg.inv(R), np.ones(10)
    rest = data.y - (one @ inverse @ data.y) / (one @ inverse @ one)
    S = rest @ inverse @ rest
    slow = 0.5 * np.linalg.slogdet(R)[1] + 0.5 * np.log(one @ inverse @ one) + 4.5 * np.log(S)
    assert (value, found.a) == (pytest.approx(slow, rel=1e-9), pytest.approx(S / 9.0, rel=1e-9))
    assert least_squares(cholesky(X, np.exp(theta[:3]), 1e-3, None, trend)[0], data, 1e-3).a == pytest.approx(found.a)
    ratios = np.array([1e-3, 1e-2])
    assert ratio_values(data, np.exp(theta[:3]), ratios, trend)[0] == pytest.approx(value, rel=1e-9)
    steps = 1e-6 * np.eye(len(theta))
    sides = [[integrated(data, theta + s * e, None, free, len(trend.logs))[0] for s in (1.0, -1.0)] for e in steps]
    assert gradient == pytest.approx([(up - down) / 2e-6 for up, down in sides], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("n", [7, 12, 40])
def test_a_linear_function_is_known_everywhere_from_a_few_values(n: int) -> None:
    X, far = points(18, n), points(19, 200)
    found = fit(X, line(X))
    here, plain = found.gp.posterior(far), fit(X, line(X), trend=False).gp.posterior(far)
    error = np.abs(here.mean[0] - line(far))
    assert found.gp.trend is not None and found.warm is not None and found.warm.order == 1
    assert error.max() < 1e-4 and (error < 4.0 * np.sqrt(here.var)).all()
    assert np.median(here.var) < 1e-4 * np.median(plain.var)


def test_six_values_do_not_show_a_line() -> None:
    assert fit(points(18, 6), line(points(18, 6))).gp.trend is None


def test_a_wave_is_not_taken_for_a_line_and_a_line_with_a_wave_is_both() -> None:
    X, far = points(20, 30, 2), points(21, 300, 2)
    wave = fit(X, np.sin(9.0 * X).sum(axis=1))
    assert wave.gp.trend is None and wave.warm is not None and wave.warm.order == 0

    def both(x: np.ndarray) -> np.ndarray:
        bent: np.ndarray = line(x) + 0.05 * np.sin(6.0 * x).sum(axis=1)
        return bent

    here = fit(X, both(X)).gp.posterior(far)
    plain = fit(X, both(X), trend=False).gp.posterior(far)
    error, before = (np.abs(each.mean[0] - both(far)) for each in (here, plain))
    assert np.sqrt(np.mean(error**2)) < 0.8 * np.sqrt(np.mean(before**2))
    assert (error > 4.0 * np.sqrt(here.var)).mean() < 0.01


def test_a_line_that_ends_is_given_up_when_values_show_it() -> None:
    """A linear function that is cut off: believed while nothing else was seen, then not any more."""
    X = points(22, 12, 2)
    X[:, 0] *= 0.5
    known = fit(X, line(X)).warm
    assert known is not None and known.order == 1
    more = np.vstack([X, points(23, 12, 2)])
    found = fit(more, np.minimum(line(more), 8.0), known)
    assert np.median(np.sqrt(found.gp.posterior(points(24, 100, 2)).var)) > 1e-3
    assert found.gp.posterior(more).mean[0] == pytest.approx(np.minimum(line(more), 8.0), abs=1e-3)


def test_memory_keeps_the_trend() -> None:
    X = points(25, 14)
    first = fit(X[:13], line(X[:13]))
    warm = Warm.from_json(first.warm.to_json()) if first.warm else None
    assert warm == first.warm
    again = fit(X, line(X), warm)
    assert again.gp.trend is not None and again.warm is not None and len(again.warm.theta) == 5
    assert again.gp.alpha == pytest.approx(fit(X, line(X), warm).gp.alpha, rel=1e-14)


def test_noisy_values_may_have_one_too_and_given_noise_and_the_published_prior_not() -> None:
    X = points(26, 30, 2)
    y = 20.0 * line(X) + 0.1 * np.random.default_rng(27).standard_normal(30)
    assert fit(X, y, noise="learned").gp.trend is not None
    assert fit(X, y, noise=0.1).gp.trend is None
    assert fit(X, line(X), prior="gamma").gp.trend is None


def test_the_sceptical_twin_keeps_it() -> None:
    X = points(28, 20, 2)
    gp = fit(X, line(X)).gp
    twin = sceptical(gp, None, ModelSettings())
    assert twin.trend == gp.trend and twin.hyper.l.max() < gp.hyper.l.max()
    assert twin.mean(points(29, 9, 2))[0] == pytest.approx(line(points(29, 9, 2)), abs=1e-3)


def test_what_is_told_rests_on_the_same_trend() -> None:
    X = points(30, 25)
    found = fit(X, line(X) + 1e-3 * np.sin(40.0 * X).sum(axis=1))
    assert found.honest.trend == found.gp.trend is not None


def test_values_that_crowd_do_not_spoil_a_line() -> None:
    """Where values crowd, a matrix with a steep linear part has less left than its rounding errors."""
    X = np.vstack([points(31, 10), 0.4 + 1e-6 * points(32, 8)])
    warm = None
    for n in range(10, 19):
        found = fit(X[:n], line(X[:n]), warm)
        warm = found.warm
    far = points(33, 100)
    assert (
        found.gp.trend is not None
        and found.gp.trend.tilt > 1e6
        and np.abs(found.gp.mean(far)[0] - line(far)).max() < 1e-5
    )


def quadratic(X: np.ndarray) -> np.ndarray:
    d = X.shape[1]
    return line(X) + np.einsum("ni,ij,nj->n", X, np.arange(d * d).reshape(d, d) - 3.0, X)  # type: ignore[no-any-return]


def test_features_and_their_slopes() -> None:
    x, w = points(34, 4), points(35, 4, CURVED.count(3))
    assert CURVED.features(x) @ CURVED.features(x).T == pytest.approx(CURVED.between(x, x), rel=1e-12)
    assert CURVED.feature_slope(x, w) == pytest.approx(slope(lambda u: np.vecdot(CURVED.features(u), w), x), rel=1e-6)
    assert polynomials(x, 2).shape == (4, 10) and polynomials(x, 1).shape == (4, 4)
    assert Trend.from_logs(CURVED.logs) == pytest.approx(CURVED) and Trend.from_logs(np.empty(0)) is None


def test_the_mean_of_the_variance_over_the_cube() -> None:
    x = points(36, 200_000)
    assert CURVED.mean(3) == pytest.approx(CURVED.of(np.square(x - 0.5).sum(axis=1)).mean(), rel=0.01)


@pytest.mark.parametrize("n, d", [(9, 2), (13, 3), (30, 3)])
def test_a_quadratic_function_is_known_everywhere_as_soon_as_its_coefficients_are_seen(n: int, d: int) -> None:
    X, far = points(37, n, d), points(38, 200, d)
    found = fit(X, quadratic(X))
    error = np.abs(found.gp.mean(far)[0] - quadratic(far))
    assert found.gp.trend is not None and found.gp.trend.bow > 0.0
    assert error.max() < 1e-3 and (error < 4.0 * np.sqrt(found.gp.posterior(far).var)).all()
    early = fit(X[: n - 3], quadratic(X[: n - 3])).gp.trend
    assert early is None or not early.bow or n == 30


def test_a_function_that_is_only_nearly_quadratic_is_not_taken_for_one() -> None:
    X = points(39, 30, 2)
    found = fit(X, quadratic(X) + np.sin(7.0 * X).sum(axis=1))
    assert found.gp.trend is None or not found.gp.trend.bow
