"""Polynomials in a mean: values by hand, slopes by differences."""

import numpy as np
import pytest
from processes import slope

from taut.surrogate.drift import Drift, polynomials


def test_values_and_slopes_of_a_drift() -> None:
    u = np.random.default_rng(12).random((6, 3)) - 0.5
    drift = Drift(2, tuple(float(k) for k in range(10)))
    by_hand = [
        0.0 + a + 2.0 * b + 3.0 * c + 4.0 * a * a + 5.0 * a * b + 6.0 * a * c + 7.0 * b * b + 8.0 * b * c + 9.0 * c * c
        for a, b, c in u
    ]
    assert drift.at(u) == pytest.approx(by_hand)
    assert drift.slope(u) == pytest.approx(slope(drift.at, u), rel=1e-6)
    assert polynomials(u, 1).shape == (6, 4)
