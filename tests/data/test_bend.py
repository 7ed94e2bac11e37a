"""The objective's logarithmic scale: monotone, smooth, invertible, and the logarithm where it says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut.data.bend import Bend

BENDS = [Bend(), Bend(-3.0, 3.0), Bend(2.0, 0.1), Bend(0.5, 40.0, True)]
VALUES = st.floats(-1e6, 1e6).map(lambda y: y if abs(y) > 1e-6 else 0.0)


@pytest.mark.parametrize("bend", BENDS, ids=str)
@given(a=VALUES, b=VALUES)
def test_order_is_kept_and_there_is_a_way_back(bend: Bend, a: float, b: float) -> None:
    y = np.array([min(a, b), max(a, b)])
    w = bend.of(y)
    assert w[0] <= w[1]
    assert bend.back(w) == pytest.approx(y, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("bend", BENDS, ids=str)
def test_the_slope_is_the_derivative_on_both_sides_of_the_pivot(bend: Bend) -> None:
    y = bend.pivot + np.array([-70.0, -0.3, -1e-3, 1e-3, 0.3, 70.0])
    h = 1e-6
    numeric = (bend.of(y + h) - bend.of(y - h)) / (2.0 * h)
    assert bend.slope(y) == pytest.approx(numeric, rel=1e-6)
    assert bend.log_slope(y) == pytest.approx(np.log(bend.slope(y)))
    assert float(bend.slope(np.array([bend.pivot]))[0]) == pytest.approx(1.0 / (bend.size or 1.0))


def test_a_positive_function_that_is_minimised_is_on_the_scale_of_its_logarithm() -> None:
    f = np.array([3.0, 3.1, 50.0, 4e6])
    assert Bend(-3.0, 3.0).of(-f) == pytest.approx(-np.log(f / 3.0))
    assert Bend(3.0, 3.0, rising=True).of(f) == pytest.approx(np.log(f / 3.0))


def test_far_predictions_are_finite_and_units_change_nothing() -> None:
    bend = Bend(-3.0, 3.0)
    assert np.isfinite(bend.back(np.array([-1e6, 1e6]))).all()
    y = np.array([-50.0, -3.0, 7.0])
    assert bend.in_unit(8.0).of(8.0 * y) == pytest.approx(bend.of(y))
