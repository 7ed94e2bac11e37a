"""Penalties of the hyperparameters against the densities they stand for, and against differences."""

import numpy as np
import pytest
from processes import slope
from scipy import stats

from taut.surrogate.priors import amplitude_penalty, length_penalty, length_prior, noise_penalty, penalty
from taut.surrogate.settings import ModelSettings, Prior

ROBUST, GAMMA = ModelSettings(), ModelSettings("gamma")


@pytest.mark.parametrize(
    "settings, density",
    [
        (ROBUST, lambda l: l * stats.lognorm(0.5, scale=0.35 * np.sqrt(1.5)).pdf(l)),  # density of log l
        (GAMMA, stats.gamma(3.0, scale=1.0 / 6.0).pdf),
    ],
)
def test_prior_of_the_length_scales(settings: ModelSettings, density: object) -> None:
    low, high = (length_penalty(np.log([l, 0.4, 0.4]), settings)[0] for l in (0.2, 0.7))
    expected = np.log(density(0.7)) - np.log(density(0.2))  # type: ignore[operator]
    assert low - high == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("settings", [ROBUST, GAMMA])
def test_prior_of_the_signal_variance(settings: ModelSettings) -> None:
    low, high = (amplitude_penalty(float(np.log(a)), settings)[0] for a in (0.5, 2.0))
    expected = stats.gamma(2.0, scale=1.0 / 0.15)
    assert low - high == pytest.approx(expected.logpdf(2.0) - expected.logpdf(0.5), abs=1e-10)


def test_prior_of_a_learned_noise() -> None:
    """Normal in the logarithm, two of its units wide around 1e-2; the other preset leaves it flat."""
    low, high = (noise_penalty(float(np.log(r)), ROBUST)[0] for r in (1e-3, 0.5))
    expected = stats.norm(np.log(1e-2), 2.0)
    assert low - high == pytest.approx(expected.logpdf(np.log(0.5)) - expected.logpdf(np.log(1e-3)), abs=1e-10)
    assert noise_penalty(-3.0, GAMMA) == (0.0, 0.0)


def test_median_length_scale_grows_with_the_diagonal_of_the_cube() -> None:
    assert np.exp(length_prior(2, ROBUST)[0]) == pytest.approx(0.35)
    assert np.exp(length_prior(8, ROBUST)[0]) == pytest.approx(0.7)


@pytest.mark.parametrize("prior", ["robust", "gamma"])
@pytest.mark.parametrize("integrates", [True, False])
@pytest.mark.parametrize("learned", [True, False])
def test_gradient(prior: Prior, integrates: bool, learned: bool) -> None:
    theta = np.random.default_rng(1).normal(size=(4, 3 + (not integrates) + learned))

    def at(rows: np.ndarray) -> list[tuple[float, np.ndarray]]:
        return [penalty(row, 3, integrates, learned, ModelSettings(prior)) for row in rows]

    expected = slope(lambda rows: np.array([value for value, _ in at(rows)]), theta)
    assert np.array([gradient for _, gradient in at(theta)]) == pytest.approx(expected, rel=1e-6, abs=1e-7)
