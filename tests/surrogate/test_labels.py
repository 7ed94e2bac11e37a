"""EP of a process seen through labels, against quadrature and differences."""

import numpy as np
import pytest
from reference.slow_success import by_quadrature
from scipy.special import log_ndtr

from taut.surrogate.labels import Labels, propagate
from taut.surrogate.settings import SuccessSettings

TIGHT = SuccessSettings(converged=1e-11, sweeps=400)


def drawn(seed: int, n: int, d: int) -> Labels:
    """Random points; those beyond a slanted plane carry -1."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return Labels(X, np.where(X @ rng.normal(size=d) > 0.1, 1.0, -1.0))


@pytest.mark.parametrize("t", [1.0, -1.0])
@pytest.mark.parametrize("a, m", [(0.3, 1.0), (9.0, -0.5), (200.0, 0.2)])
def test_one_label_is_exact(t: float, a: float, m: float) -> None:
    found = propagate(Labels(np.array([[0.4, 0.5]]), np.array([t])), np.array([0.3, 0.6]), a, m, TIGHT)
    assert found.evidence == pytest.approx(log_ndtr(t * m / np.sqrt(1.0 + a)), abs=1e-9)


@pytest.mark.parametrize("a", [0.5, 4.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_that_of_quadrature(seed: int, a: float) -> None:
    labels = drawn(seed, 3, 2)
    expected, _ = by_quadrature(labels.X, labels.t, np.array([0.4, 0.7]), a, 0.6, labels.X)
    found = propagate(labels, np.array([0.4, 0.7]), a, 0.6, TIGHT)
    assert found.evidence == pytest.approx(np.log(expected), abs=0.02)
    assert (found.tau > 0.0).all()


@pytest.mark.parametrize("n, d, a", [(6, 1, 2.0), (25, 2, 16.0), (40, 3, 0.2)])
def test_the_gradient_of_the_evidence_is_that_of_differences(n: int, d: int, a: float) -> None:
    labels, theta = drawn(7, n, d), np.append(np.log(np.linspace(0.3, 0.8, d)), [np.log(a), 0.7])

    def evidence(at: np.ndarray) -> float:
        return propagate(labels, np.exp(at[:d]), float(np.exp(at[d])), float(at[d + 1]), TIGHT).evidence

    found = propagate(labels, np.exp(theta[:d]), a, 0.7, TIGHT)
    steps = 1e-5 * np.eye(d + 2)
    expected = [(evidence(theta + step) - evidence(theta - step)) / 2e-5 for step in steps]
    assert found.gradient == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_mirrored_labels_are_mirrored_sites() -> None:
    labels = drawn(3, 12, 2)
    one = propagate(labels, np.array([0.5, 0.5]), 4.0, 0.8, TIGHT)
    two = propagate(Labels(labels.X, -labels.t), np.array([0.5, 0.5]), 4.0, -0.8, TIGHT)
    assert two.evidence == pytest.approx(one.evidence, abs=1e-9)
    assert two.nu == pytest.approx(-one.nu, abs=1e-8) and two.tau == pytest.approx(one.tau, abs=1e-8)


def test_repeated_places_and_extreme_scales_stay_finite() -> None:
    X = np.vstack([np.full((5, 2), 0.5), np.random.default_rng(0).random((5, 2))])
    labels = Labels(X, np.array([1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0]))
    for a, l in ((1e-3, 0.01), (1e4, 0.01), (1e4, 20.0), (1e-3, 20.0)):
        found = propagate(labels, np.full(2, l), a, 3.0, SuccessSettings())
        assert np.isfinite([found.evidence, *found.gradient, *found.tau, *found.nu]).all()
        assert (found.tau >= 0.0).all()
