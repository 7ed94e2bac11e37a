"""Probability of feasibility against SciPy, its slopes against differences, far tails and two-sided intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from taut.acquisition.feasibility import Bounds, log_probability, log_probability_with_gradient, probability, truncated

ONE = Bounds(-np.inf, 0.3)
TWO = Bounds(-0.4, 0.7)
MEANS = np.array([-3.0, -0.4, 0.0, 0.3, 0.5, 2.0])
SDS = np.array([0.9, 1.0, 0.05, 0.7, 3.0, 0.5])


def exact(bounds: Bounds, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """A difference of tails on the side where they do not cancel."""
    low, high = (bounds.lower - mean) / sd, (bounds.upper - mean) / sd
    return np.where(low > 0.0, stats.norm.sf(low) - stats.norm.sf(high), stats.norm.cdf(high) - stats.norm.cdf(low))


@pytest.mark.parametrize("bounds", [ONE, TWO])
def test_probability(bounds: Bounds) -> None:
    expected = exact(bounds, MEANS, SDS)
    assert bounds.one_sided is (bounds is ONE)
    assert probability(bounds, MEANS, SDS) == pytest.approx(expected, rel=1e-9)
    assert log_probability(bounds, MEANS, SDS) == pytest.approx(np.log(expected), rel=1e-9)
    assert log_probability_with_gradient(bounds, MEANS, SDS)[0] == pytest.approx(np.log(expected), rel=1e-9)


@pytest.mark.parametrize("bounds", [ONE, TWO])
@given(mean=st.floats(-30.0, 30.0), sd=st.floats(0.1, 5.0))
def test_slopes(bounds: Bounds, mean: float, sd: float) -> None:
    h = 1e-6
    _, by_mean, by_sd = log_probability_with_gradient(bounds, np.array([mean]), np.array([sd]))

    def log_p(m: float, s: float) -> float:
        return float(log_probability(bounds, np.array([m]), np.array([s]))[0])

    size = 1e-7 * abs(log_p(mean, sd)) / sd + 1e-7
    assert by_mean[0] == pytest.approx((log_p(mean + h, sd) - log_p(mean - h, sd)) / (2 * h), rel=1e-5, abs=size)
    assert by_sd[0] == pytest.approx((log_p(mean, sd + h) - log_p(mean, sd - h)) / (2 * h), rel=1e-5, abs=size)


@pytest.mark.parametrize("bounds, side", [(ONE, 1.0), (TWO, 1.0), (TWO, -1.0)])
@pytest.mark.parametrize("distance", [20.0, 1e3, 1e6, 1e10])
def test_far_from_feasible_the_log_goes_on_falling(bounds: Bounds, side: float, distance: float) -> None:
    """log PF ~ -u^2/2 - log(u sqrt(2 pi)), slope -u, and nothing overflows or becomes NaN."""
    edge = bounds.upper if side > 0 else bounds.lower
    mean, sd = np.array([edge + side * distance]), np.ones(1)
    value, by_mean, by_sd = log_probability_with_gradient(bounds, mean, sd)
    tail = -0.5 * distance**2 - np.log(distance * np.sqrt(2 * np.pi))
    assert value[0] == pytest.approx(tail, rel=1e-4)
    assert by_mean[0] == pytest.approx(-side * distance, rel=1e-2)
    assert by_sd[0] == pytest.approx(distance**2, rel=1e-2)
    assert 0.0 < probability(bounds, mean, sd)[0] < 1e-37


@pytest.mark.parametrize("bounds", [ONE, TWO])
def test_certainty(bounds: Bounds) -> None:
    middle, sd = np.array([0.1]), np.array([1e-6])
    assert probability(bounds, middle, sd)[0] == 1.0
    assert log_probability_with_gradient(bounds, middle, sd) == (0.0, 0.0, 0.0)


def test_a_two_sided_interval_is_not_the_product_of_two_constraints() -> None:
    mean, sd = np.array([0.1]), np.array([2.0])
    product = probability(Bounds(-np.inf, 0.7), mean, sd) * probability(Bounds(-np.inf, 0.4), -mean, sd)
    assert probability(TWO, mean, sd)[0] < 0.7 * product[0]


def test_a_wide_interval_is_one_sided() -> None:
    wide = Bounds(-1e9, 0.3)
    for mean in (-5.0, 0.0, 4.0):
        at = np.array([mean]), np.array([0.8])
        assert log_probability(wide, *at) == pytest.approx(log_probability(ONE, *at), rel=1e-12)
        for two, one in zip(
            log_probability_with_gradient(wide, *at), log_probability_with_gradient(ONE, *at), strict=True
        ):
            assert two == pytest.approx(one, rel=1e-9, abs=1e-12)


def test_the_threshold_of_certainty_is_5_19934_standard_deviations() -> None:
    bounds, sd = Bounds(-np.inf, 0.0), np.ones(1)
    assert probability(bounds, np.array([-5.1993]), sd)[0] < 1.0 - 1e-7
    assert probability(bounds, np.array([-5.1994]), sd)[0] > 1.0 - 1e-7
    assert stats.norm.isf(1e-7) == pytest.approx(5.19934, abs=5e-6)


def test_many_improbable_constraints_stay_above_the_denormal_range() -> None:
    """The floor of one factor is 1e-38: a product of a few stays a normal number."""
    worst = probability(ONE, np.array([1e4]), np.ones(1))[0]
    assert worst**8 > 1e-307


@pytest.mark.parametrize("bounds", [ONE, TWO])
@given(mean=st.floats(-4.0, 4.0), s=st.floats(0.3, 3.0))
def test_scores_given_feasibility(bounds: Bounds, mean: float, s: float) -> None:
    """Z given lower <= mean + s Z <= upper: mean against SciPy, derivatives of mean and log probability numerically."""
    low, high = (bounds.lower - mean) / s, (bounds.upper - mean) / s
    found = truncated(bounds, np.array([mean]), np.array([s]))
    assert found.z[0] == pytest.approx(stats.truncnorm(low, high).mean(), rel=1e-6, abs=1e-7)
    assert found.log_p[0] == pytest.approx(
        np.log(exact(bounds, np.array([mean]), np.array([s]))[0]), rel=1e-6, abs=1e-9
    )
    h = 1e-6
    left, right = (truncated(bounds, np.array([mean + step]), np.array([s])) for step in (-h, h))
    assert found.z_by_mean[0] == pytest.approx((right.z[0] - left.z[0]) / (2 * h), rel=1e-4, abs=1e-6)
    assert found.p_by_mean[0] == pytest.approx((right.log_p[0] - left.log_p[0]) / (2 * h), rel=1e-4, abs=1e-6)
    left, right = (truncated(bounds, np.array([mean]), np.array([s + step])) for step in (-h, h))
    assert found.z_by_s[0] == pytest.approx((right.z[0] - left.z[0]) / (2 * h), rel=1e-4, abs=1e-6)
    assert found.p_by_s[0] == pytest.approx((right.log_p[0] - left.log_p[0]) / (2 * h), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("bounds", [ONE, TWO])
@pytest.mark.parametrize("mean", [-1e4, 1e4])
def test_scores_given_an_almost_impossible_event_stay_finite(bounds: Bounds, mean: float) -> None:
    found = truncated(bounds, np.array([mean]), np.array([1e-4]))
    for part in (found.z, found.log_p, found.z_by_mean, found.z_by_s, found.p_by_mean, found.p_by_s):
        assert np.isfinite(part).all()


@pytest.mark.parametrize("bounds", [ONE, TWO, Bounds(-1e60, 1e60), Bounds(-1e-300, 1e-300)])
@pytest.mark.parametrize("mean", [-1e30, 1e30, -1e-30])
@pytest.mark.parametrize("sd", [1e-130, 1e30])
def test_however_far_everything_stays_finite(bounds: Bounds, mean: float, sd: float) -> None:
    """Without a warning: squares of such scores are no floats."""
    at = np.array([mean]), np.array([sd])
    for part in (log_probability(bounds, *at), *log_probability_with_gradient(bounds, *at)):
        assert np.isfinite(part).all()
    found = truncated(bounds, *at)
    for part in (found.z, found.log_p, found.z_by_mean, found.z_by_s, found.p_by_mean, found.p_by_s):
        assert np.isfinite(part).all()
