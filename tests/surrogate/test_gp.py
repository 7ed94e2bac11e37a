"""The posterior against dense linear algebra, its gradients against differences, the look-ahead against refitting."""

from dataclasses import replace

import numpy as np
import pytest
from processes import process, random_process, slope
from reference.dense_gp import DenseGP
from reference.dense_gp import matern52 as slow_matern52

from taut.surrogate.gp import GP, VARIANCE_FLOOR, condition
from taut.surrogate.kernels import matern52
from taut.surrogate.posterior import CrossCovariance

SHAPES = [(0, 1, 1), (1, 2, 1), (2, 2, 1), (2, 1, 3), (9, 3, 1), (9, 2, 4)]  # n, d, J


def points(seed: int, q: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).random((q, d))


@pytest.mark.parametrize("n, d, J", SHAPES)
def test_posterior_is_dense_linear_algebra(n: int, d: int, J: int) -> None:
    gp = random_process(n + d, n, d, J)
    slow = DenseGP.like(gp)
    x, other = points(1, 6, d), points(2, 4, d)
    here = gp.posterior(x)
    assert here.mean.shape == (J, 6)
    assert here.mean == pytest.approx(slow.mean(x), abs=1e-8)
    assert here.var == pytest.approx(slow.variance(x), abs=1e-8)
    assert gp.covariance(here, gp.posterior(other)) == pytest.approx(slow.covariance(x, other), abs=1e-8)
    steep = gp.posterior_with_gradient(x)
    assert steep.mean == pytest.approx(here.mean, abs=1e-12)
    assert steep.var == pytest.approx(here.var, abs=1e-12)
    assert steep.cross(gp.posterior(other))[0] == pytest.approx(slow.covariance(x, other), abs=1e-8)


def test_units_of_the_answer() -> None:
    """y -> c + s y shifts and scales means, scales variances and noise by s^2, and changes nothing else."""
    X, y, x = points(3, 7, 2), points(4, 7, 1)[:, 0], points(5, 5, 2)
    plain, moved = process(X, y).posterior(x), process(X, 50.0 - 1e3 * y, m=-0.2).posterior(x)
    assert moved.mean == pytest.approx(50.0 - 1e3 * plain.mean, rel=1e-9)
    assert moved.var == pytest.approx(1e6 * plain.var, rel=1e-9)
    assert process(X, 1e3 * y).noise == pytest.approx(1e6 * process(X, y).noise)


def test_without_data_the_prior_is_returned() -> None:
    gp = process(np.empty((0, 2)), np.empty(0))
    here = gp.posterior(points(6, 3, 2))
    assert here.mean == pytest.approx(0.7 + 2.5 * 0.2)
    assert here.var == pytest.approx(2.5**2 * 1.3)
    assert np.array_equal(
        gp.posterior_with_gradient(points(6, 3, 2)).gradient(np.ones((1, 3)), np.ones(3)), np.zeros((3, 2))
    )


def test_data_are_reproduced_and_the_variance_stays_positive_there() -> None:
    gp = random_process(7, 8, 2, rho=1e-12)
    here = gp.posterior(gp.X)
    assert here.mean[0] == pytest.approx(gp.y[:, 0], abs=1e-8)
    assert (here.var > 0.0).all() and (here.var <= 1e-10 * gp.amplitude).all()
    assert gp.amplitude * VARIANCE_FLOOR == pytest.approx(here.var.min(), rel=1e3)


@pytest.mark.parametrize("n, d, J", SHAPES)
def test_gradients_of_mean_and_variance(n: int, d: int, J: int) -> None:
    gp = random_process(n + d, n, d, J)
    rng = np.random.default_rng(8)
    x, g_mean, g_var = rng.random((6, d)), rng.normal(size=(J, 6)), rng.normal(size=6)

    def weighted(u: np.ndarray) -> np.ndarray:
        here = gp.posterior(u)
        return np.einsum("jq,jq->q", g_mean, here.mean) + g_var * here.var

    size = np.abs(slope(weighted, x)).max() + 1e-12
    assert gp.posterior_with_gradient(x).gradient(g_mean, g_var) == pytest.approx(
        slope(weighted, x), rel=1e-5, abs=1e-6 * size
    )
    only_mean = slope(lambda u: np.einsum("jq,jq->q", g_mean, gp.posterior(u).mean), x)
    assert gp.posterior_with_gradient(x).gradient(g_mean, None) == pytest.approx(only_mean, rel=1e-5, abs=1e-6 * size)


@pytest.mark.parametrize("n, d, J", SHAPES)
def test_gradient_of_the_covariance_with_other_points(n: int, d: int, J: int) -> None:
    gp = random_process(n + d, n, d, J)
    rng = np.random.default_rng(9)
    x, other, g = rng.random((5, d)), gp.posterior(rng.random((4, d))), rng.normal(size=(5, 4))
    steep = gp.posterior_with_gradient(x)
    expected = slope(lambda u: np.einsum("qp,qp->q", g, gp.covariance(gp.posterior(u), other)), x)
    slopes = steep.cross(other)[1]
    found = steep.gradient(None, None, CrossCovariance(slice(None), other, slopes, g))
    size = np.abs(expected).max()
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6 * size)
    some = np.array([3, 1])
    alone = steep.gradient(None, np.ones(5), None)
    found = steep.gradient(None, np.ones(5), CrossCovariance(some, other, slopes[some], g[some])) - alone
    assert found[some] == pytest.approx(expected[some], rel=1e-5, abs=1e-6 * size)
    assert found[[0, 2, 4]] == pytest.approx(np.zeros((3, d)), abs=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 8])
def test_observed_is_conditioning_from_scratch(n: int) -> None:
    gp = random_process(10 + n, n, 2)
    rng = np.random.default_rng(11)
    new, y, x = rng.random((3, 2)), rng.normal(size=(3, 4)), rng.random((5, 2))
    after, slow = gp.observed(new, y), DenseGP.like(gp).given(new, y)
    assert (after.offset, after.scale, after.hyper.m) == (gp.offset, gp.scale, gp.hyper.m)
    assert after.posterior(x).mean == pytest.approx(slow.mean(x), abs=1e-8)
    assert after.posterior(x).var == pytest.approx(slow.variance(x), abs=1e-8)


def test_repeated_fantasies_are_copies() -> None:
    gp = random_process(12, 5, 2)
    x = points(13, 4, 2)
    assert gp.repeated(3).posterior(x).mean == pytest.approx(np.repeat(gp.posterior(x).mean, 3, axis=0), abs=1e-14)


@pytest.mark.parametrize("rho", [1e-8, 1e-4, 0.1])
@pytest.mark.parametrize("Z", [-2.0, 0.3])
def test_closed_form_look_ahead_is_the_refit(rho: float, Z: float) -> None:
    """mu+ = mu + s Z and v+ = v - s^2 with s = cov/sqrt(v + r), for an observation mu + sqrt(v + r) Z."""
    gp = random_process(14, 7, 2, rho=rho)
    x, inner = points(15, 1, 2), points(16, 9, 2)
    own, before = gp.posterior(x), gp.posterior(inner)
    root = np.sqrt(own.var[0] + gp.noise)
    s = gp.covariance(before, own)[:, 0] / root
    after = gp.observed(x, np.array([[own.mean[0, 0] + root * Z]])).posterior(inner)
    assert after.mean[0] == pytest.approx(before.mean[0] + s * Z, abs=1e-8)
    assert after.var == pytest.approx(before.var - s**2, abs=1e-8)


def test_duplicates_are_averaged_not_fatal() -> None:
    X = np.array([[0.3, 0.4], [0.3, 0.4], [0.8, 0.1]])
    gp = process(X, np.array([1.0, 2.0, -3.0]), rho=1e-12)
    here = gp.posterior(X)
    assert np.isfinite(here.mean).all() and np.isfinite(here.var).all()
    assert here.mean[0, :2] == pytest.approx(1.5, abs=1e-3)
    assert here.mean[0, 2] == pytest.approx(-3.0, abs=1e-3)


def test_the_raised_noise_is_the_noise_of_the_process() -> None:
    X = np.repeat(points(19, 3, 1), 6, axis=0)
    gp = process(X, np.arange(18.0), length=3.0, rho=1e-18)
    again = condition(gp.X, gp.y, gp.hyper, gp.offset, gp.scale)
    assert gp.hyper.rho > 1e-18 and again.hyper.rho == gp.hyper.rho
    assert gp.noise == pytest.approx(gp.amplitude * gp.hyper.rho)


def test_mean_alone_and_its_gradient() -> None:
    gp = process(points(27, 8, 3), np.sin(np.arange(8.0)))
    x = points(28, 5, 3)
    mean, slopes = gp.mean_with_gradient(x)
    assert np.array_equal(gp.mean(x), gp.posterior(x).mean)
    assert mean == pytest.approx(gp.posterior(x).mean[0], rel=1e-14)
    assert slopes == pytest.approx(gp.posterior_with_gradient(x).gradient(np.ones((1, 5)), None), rel=1e-12)


@pytest.mark.parametrize("n", [1, 30, 310])
def test_the_way_back_to_weights(n: int) -> None:
    """R^-1 C from V by the inverse of a small factor, and by a solve with a large one."""
    gp = random_process(20, n, 2, rho=1e-4)
    x = points(21, 5, 2)
    R = matern52(gp.X, gp.X, gp.hyper.l) + gp.hyper.rho * np.eye(n)
    expected = np.linalg.solve(R, matern52(gp.X, x, gp.hyper.l)).T
    V = gp.posterior(x).V
    assert gp.unwhitened(V.T.copy()) == pytest.approx(expected, rel=1e-6, abs=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("n", [0, 12, 320])
def test_the_approximate_posterior_is_the_posterior_to_nine_digits(n: int, capfd: pytest.CaptureFixture[str]) -> None:
    gp = random_process(5, n, 2, rho=1e-10)
    x = np.random.default_rng(6).random((40, 2))
    mean, var = gp.approximate_posterior(x)
    here = gp.posterior(x)
    assert mean == pytest.approx(here.mean, rel=1e-9, abs=1e-9 * gp.scale)
    assert np.abs(var - here.var).max() <= 1e-9 * gp.amplitude and (var > 0.0).all()
    assert capfd.readouterr() == ("", "")  # LAPACK complains aloud about a matrix without rows


def rough(n: int = 6, ratio: float = 0.01) -> GP:
    gp = random_process(5, n, 2, rho=ratio)
    return replace(gp, hyper=replace(gp.hyper, rough=gp.hyper.rho))


def test_a_rough_function_is_the_sum_of_two_processes() -> None:
    """Against one dense process with the kernel a (C + rough 1{x = x'}) and no noise."""
    gp = rough()
    x = np.vstack([points(8, 4, 2), gp.X[2:4]])
    everything = np.vstack([gp.X, x])
    same = (np.abs(everything[:, None] - everything[None]).max(axis=2) == 0.0).astype(float)
    K = gp.amplitude * (slow_matern52(everything, everything, gp.hyper.l) + gp.hyper.rough * same)
    n = len(gp.X)
    weights = K[n:, :n] @ np.linalg.inv(K[:n, :n])
    mean = gp.offset + gp.scale * gp.hyper.m
    here = gp.posterior(x)
    assert here.mean[0] == pytest.approx(mean + weights @ (gp.y[:, 0] - mean), rel=1e-9)
    assert here.var == pytest.approx(np.diag(K[n:, n:] - weights @ K[:n, n:]), abs=1e-10 * gp.amplitude)
    approximate = gp.approximate_posterior(x)
    assert approximate[0] == pytest.approx(here.mean) and approximate[1] == pytest.approx(here.var, abs=1e-9)
    assert gp.posterior_with_gradient(x).var == pytest.approx(here.var, abs=1e-12)
    assert gp.mean(x) == pytest.approx(here.mean) and gp.mean_with_gradient(x)[0] == pytest.approx(here.mean[0])


def test_what_is_known_of_a_rough_function_is_exact_and_a_step_away_is_not() -> None:
    gp = rough()
    known, beside = gp.posterior(gp.X), gp.posterior(gp.X + 1e-5)
    assert known.mean[0] == pytest.approx(gp.y[:, 0], rel=1e-10)
    assert (known.var <= 1e-13 * gp.amplitude).all()
    assert (beside.var >= gp.hyper.rough * gp.amplitude).all()


def test_coarse_values_of_a_rough_function_are_smoothed_more_and_known_all_the_same() -> None:
    """Against one dense process whose rough part is share_i times as large at the i-th known place."""
    plain = rough()
    share = np.array([1.0, 100.0, 1.0, 30.0, 1.0, 4.0])
    gp = condition(plain.X, plain.y, plain.hyper, plain.offset, plain.scale, None, share)
    C = slow_matern52(gp.X, gp.X, gp.hyper.l) + gp.hyper.rho * np.diag(share)
    x = points(8, 4, 2)
    c = slow_matern52(x, gp.X, gp.hyper.l)
    mean = gp.offset + gp.scale * gp.hyper.m
    here, known = gp.posterior(x), gp.posterior(gp.X)
    assert here.mean[0] == pytest.approx(mean + c @ np.linalg.solve(C, gp.y[:, 0] - mean), rel=1e-9)
    left = 1.0 + gp.hyper.rough - np.einsum("qn,nq->q", c, np.linalg.solve(C, c.T))
    assert here.var == pytest.approx(gp.amplitude * left, rel=1e-8)
    assert known.mean[0] == pytest.approx(gp.y[:, 0], rel=1e-10) and (known.var <= 1e-13 * gp.amplitude).all()


def test_nothing_is_learnt_of_a_rough_function_by_noise() -> None:
    assert rough().noise == 0.0


def test_gradients_of_a_rough_function() -> None:
    gp, x = rough(), points(9, 3, 2)
    weight_mean, weight_var = np.array([[0.3, -1.0, 2.0]]), np.array([1.0, 0.5, -0.7])

    def total(x: np.ndarray) -> np.ndarray:
        here = gp.posterior(x)
        return weight_mean[0] * here.mean[0] + weight_var * here.var

    assert gp.posterior_with_gradient(x).gradient(weight_mean, weight_var) == pytest.approx(slope(total, x), rel=1e-4)


def test_along_a_parameter_that_does_not_matter_places_are_still_different() -> None:
    """Their correlation is 1 to the last digit, and yet only one of them is known."""
    gp = rough()
    gp = replace(gp, hyper=replace(gp.hyper, l=np.array([0.4, 20.0])))
    gp = condition(gp.X, gp.y, gp.hyper, gp.offset, gp.scale)
    step = np.array([0.0, 1e-6])
    known, beside = gp.posterior(gp.X), gp.posterior(np.clip(gp.X - step, 0.0, 1.0))
    assert (known.var <= 1e-12 * gp.amplitude).all()
    assert (beside.var >= 0.5 * gp.hyper.rough * gp.amplitude).all()
    assert gp.posterior_with_gradient(gp.X - step).var == pytest.approx(beside.var, rel=1e-6)


def test_two_places_a_tenth_of_a_millionth_apart_are_both_exact() -> None:
    gp = rough()
    X = np.vstack([gp.X, gp.X[:1] + 1e-7])
    y = np.append(gp.y[:, 0], gp.y[0, 0] + 0.5 * np.sqrt(gp.amplitude * gp.hyper.rough))[:, None]
    both = condition(X, y, gp.hyper, gp.offset, gp.scale)
    there = both.posterior(X)
    assert there.mean[0] == pytest.approx(y[:, 0], rel=1e-9) and (there.var <= 1e-12 * gp.amplitude).all()
