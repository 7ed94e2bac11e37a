"""Scalar maths against integrals that stay exact in the tails."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from taut.base.normal import (
    HIGHEST,
    LOWEST,
    NORMAL_FROM,
    cdf,
    interval_ratios,
    inverse_mills,
    log1mexp,
    log_cdf,
    log_h,
    log_h_with_gradient,
    log_interval,
    partial_expectation,
    student_cdf,
    student_density,
    student_pieces,
    student_quantile,
)

LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
TAIL = [-40.0, -1e3, -1e6, -1.5]
FREEDOM = [3.0, 5.0, 30.0, np.inf]


def tail_integral(z: float, power: int) -> float:
    """I = integral of u^power exp(-u - u^2/(2 z^2)) over u > 0, so that z < 0 gives
    Phi(z) = phi(z)/|z| I_0 and phi(z) + z Phi(z) = phi(z)/z^2 I_1."""
    return integrate.quad(lambda u: u**power * np.exp(-u - 0.5 * (u / z) ** 2), 0.0, 60.0, epsabs=0.0, epsrel=1e-13)[0]


def distribution(nu: float) -> object:
    return stats.norm if np.isinf(nu) else stats.t(nu)


@pytest.mark.parametrize("z", TAIL)
def test_left_tail(z: float) -> None:
    log_phi = -0.5 * z * z - LOG_SQRT_2PI
    at = np.array([z])
    assert log_cdf(at)[0] == pytest.approx(log_phi - np.log(-z) + np.log(tail_integral(z, 0)), rel=1e-13)
    assert log_h(at)[0] == pytest.approx(log_phi - 2.0 * np.log(-z) + np.log(tail_integral(z, 1)), rel=1e-13)
    assert inverse_mills(at)[0] == pytest.approx(-z / tail_integral(z, 0), rel=1e-12)


@pytest.mark.parametrize("z", TAIL)
def test_left_tail_beyond_the_leading_term(z: float) -> None:
    """log_h + z^2/2 keeps its digits: the leading term alone would hide an error in the rest."""
    rest = log_h(np.array([z]))[0] - (-0.5 * z * z)
    exact = -LOG_SQRT_2PI - 2.0 * np.log(-z) + np.log(tail_integral(z, 1))
    assert rest == pytest.approx(exact, abs=1e-9 + 1e-15 * z * z)


@pytest.mark.parametrize("z", [*TAIL, -1e7])
def test_slope_of_log_h_in_the_tail(z: float) -> None:
    """Phi/(phi + z Phi) = |z| I_0/I_1."""
    exact = -z * tail_integral(z, 0) / tail_integral(z, 1)
    assert log_h_with_gradient(np.array([z]))[1][0] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("z", [-0.999, -0.3, 0.0, 5.0, 40.0])
def test_centre_and_right_tail(z: float) -> None:
    at = np.array([z])
    plain = stats.norm.pdf(z) + z * stats.norm.cdf(z)
    assert log_cdf(at)[0] == pytest.approx(stats.norm.logcdf(z), rel=1e-12, abs=1e-300)
    assert log_h(at)[0] == pytest.approx(np.log(plain), rel=1e-12)
    assert inverse_mills(at)[0] == pytest.approx(stats.norm.pdf(z) / stats.norm.cdf(z), rel=1e-12)
    assert log_h_with_gradient(at)[1][0] == pytest.approx(stats.norm.cdf(z) / plain, rel=1e-12)


def test_pieces_of_log_h_meet() -> None:
    for seam in (-1.0, -1e3, -1e7):
        left, right = log_h(np.array([np.nextafter(seam, -np.inf), np.nextafter(seam, 0.0)]))
        assert left == pytest.approx(right, rel=1e-13)


@given(st.floats(-50.0, 8.0))
def test_slopes_are_derivatives(z: float) -> None:
    h = 1e-6 * max(1.0, abs(z))
    at = np.array([z - h, z, z + h])
    assert inverse_mills(at)[1] == pytest.approx((log_cdf(at)[2] - log_cdf(at)[0]) / (2.0 * h), rel=1e-5, abs=1e-8)
    assert log_h_with_gradient(at)[1][1] == pytest.approx((log_h(at)[2] - log_h(at)[0]) / (2.0 * h), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("a", [-1e-300, -1e-12, -0.5, -0.7, -30.0, -800.0])
def test_log_of_one_minus_exp(a: float) -> None:
    exact = np.log(-a) if a > -1e-9 else np.log1p(-np.exp(a)) if a < -0.5 else np.log(-np.expm1(a))
    assert log1mexp(np.array([a]))[0] == pytest.approx(exact, rel=1e-12)
    assert log1mexp(np.array([0.0]))[0] == -np.inf


@pytest.mark.parametrize(
    "a, b", [(-1.0, 2.0), (-3.0, -2.5), (40.0, 41.0), (-41.0, -40.0), (1e3, 1e3 + 0.1), (-1e6, -1e6 + 1.0), (9.0, 1e5)]
)
def test_log_interval(a: float, b: float) -> None:
    """log P(a < Z < b), by integrating phi relative to its largest value in the interval."""
    low, high = (a, b) if a > -b else (-b, -a)  # reflected: low is the end nearer to zero, on the right
    peak = max(low, 0.0)
    ends = sorted({low, peak, *(low + (high - low) * np.geomspace(1e-9, 1.0, 40))})
    pieces = [
        integrate.quad(lambda t: np.exp(0.5 * (peak - t) * (peak + t)), *pair)[0]
        for pair in zip(ends, ends[1:], strict=False)
    ]
    exact = -0.5 * peak**2 - LOG_SQRT_2PI + np.log(sum(pieces))
    assert log_interval(np.array([a]), np.array([b]))[0] == pytest.approx(exact, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("a, b", [(-1.0, 2.0), (-3.0, -2.5), (2.5, 3.0), (-8.0, 30.0)])
def test_interval_ratios(a: float, b: float) -> None:
    """phi(a)/P and phi(b)/P."""
    P = stats.norm.cdf(-a) - stats.norm.cdf(-b) if a > 0.0 else stats.norm.cdf(b) - stats.norm.cdf(a)
    down, up = interval_ratios(np.array([a]), np.array([b]))
    assert (down[0], up[0]) == pytest.approx((stats.norm.pdf(a) / P, stats.norm.pdf(b) / P), rel=1e-9)


@pytest.mark.parametrize("near, width", [(1e3, 5e-4), (1e7, 5e-8), (1e10, 1e-3)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_interval_ratios_far_in_a_tail(near: float, width: float, side: float) -> None:
    """phi(near)/P -> near/(1 - exp(-near width)) and phi(far)/P -> that times exp(-near width)."""
    a, b = sorted((side * near, side * (near + width)))
    down, up = interval_ratios(np.array([a]), np.array([b]))
    exact = (near + width - near) * near  # what rounding leaves of near * width
    first = near / -np.expm1(-exact)
    pair = (first, first * np.exp(-exact))
    assert (down[0], up[0]) == pytest.approx(pair if side > 0.0 else pair[::-1], rel=1e-5)


def test_narrow_and_empty_intervals_stay_finite() -> None:
    value = log_interval(np.array([2.0, 1.0]), np.array([2.0 + 1e-9, 1.0]))
    assert value[0] == pytest.approx(np.log(1e-9) + stats.norm.logpdf(2.0), abs=1e-5)
    assert np.isfinite(value[1]) and value[1] < -30.0


@pytest.mark.parametrize("nu", FREEDOM)
def test_student_distribution(nu: float) -> None:
    t = np.array([-50.0, -3.0, -0.2, 0.0, 1.0, 7.0])
    exact = distribution(nu)
    assert student_cdf(t, nu) == pytest.approx(exact.cdf(t), rel=1e-10)  # type: ignore[attr-defined]
    assert student_density(t, nu) == pytest.approx(exact.pdf(t), rel=1e-10)  # type: ignore[attr-defined]
    scores = np.array([-4.8, -1.0, 0.0, 0.4, 4.8])
    assert student_cdf(student_quantile(scores, nu), nu) == pytest.approx(stats.norm.cdf(scores), rel=1e-9)


@pytest.mark.parametrize("nu", FREEDOM)
@pytest.mark.parametrize("c", [-2.0, 0.0, 0.7, 4.0])
def test_partial_expectation(nu: float, c: float) -> None:
    pdf = distribution(nu).pdf  # type: ignore[attr-defined]
    exact = integrate.quad(lambda t: t * pdf(t), c, np.inf, epsabs=1e-13)[0]
    assert partial_expectation(np.array([c]), nu)[0] == pytest.approx(exact, rel=1e-8)


def test_many_degrees_of_freedom_are_normal() -> None:
    t = np.linspace(-4.0, 4.0, 9)
    assert np.array_equal(student_cdf(t, NORMAL_FROM + 1.0), student_cdf(t, np.inf))
    assert student_cdf(t, NORMAL_FROM) == pytest.approx(student_cdf(t, np.inf), abs=2e-3)


@pytest.mark.parametrize("count", [1, 999, 1000, 30_000])
def test_the_table_of_the_normal_distribution(count: int) -> None:
    """Small and large arrays: 1e-14 of 1, and 1e-9 of the value in the tail; kept between its ends."""
    z = np.linspace(-15.0, 10.0, count)
    exact = stats.norm.cdf(np.clip(z, LOWEST, HIGHEST))
    found = cdf(z.copy())
    assert found == pytest.approx(exact, rel=1e-9, abs=0.0) and np.abs(found - exact).max() < 3e-15
    assert found.min() > 0.0 and found.max() <= 1.0


def test_the_distribution_takes_the_place_of_its_argument() -> None:
    z = np.random.default_rng(0).normal(size=(7, 300, 2))
    kept = z.copy()
    assert cdf(z) is z and z == pytest.approx(stats.norm.cdf(kept), abs=1e-14)


@pytest.mark.parametrize("nu", [3.0, 8.0, 19.0, 99.0, NORMAL_FROM + 1.0])
@pytest.mark.parametrize("count", [5, 4000])
def test_pieces_of_a_student_distribution(nu: float, count: int) -> None:
    """Directly for few values, by a table for many: distribution to 5e-8, tails to 1e-4 of themselves, H exactly."""
    t = np.linspace(-9.0, 9.0, count)
    F, H = student_pieces(t, nu)
    exact = student_cdf(t, nu)
    assert np.abs(F - exact).max() < 5e-8
    tail = student_cdf(-np.abs(t), nu)
    assert (np.abs(F - exact) <= 1e-4 * tail + 1e-15).all()
    assert H == pytest.approx(partial_expectation(t, nu), rel=1e-12)


def test_pieces_beyond_the_table_are_direct() -> None:
    t = np.linspace(-40.0, 40.0, 500)
    assert np.array_equal(student_pieces(t, 12.0)[0], student_cdf(t, 12.0))
