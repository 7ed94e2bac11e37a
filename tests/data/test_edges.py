"""The limits that models see, where values that hold lie on the limit itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

from taut.data.dataset import FunctionView
from taut.data.edges import edges

AT_MOST = FunctionView("c", 1.0, -math.inf, 0.0, None, False)
BAND = replace(AT_MOST, lower=-1.0, upper=1.0)


@pytest.mark.parametrize(
    ("values", "upper"),
    [
        ([0.0, 0.0, 0.0, 1.0, 1.0], 0.5),  # a flag
        ([0.0, 0.0, 0.0, 1.0], 0.5),
        ([0.0, 0.0, 0.0, 3.0, 1.0, 1.0, 3.0], 0.5),  # a count
        ([0.0, 0.0, 0.0], 1.0),  # never violated
        ([0.0, 0.0, 0.0, 0.2, 0.7], 0.0),  # max(0, violation)
        ([0.0, 0.0, 1.0, 1.0], 0.0),  # too few to be no accident
        ([-0.1, 0.0, 0.0, 0.0, 1.0, 1.0], 0.0),  # one is inside
        ([-1.0, -0.5, 0.5], 0.0),
        ([], 0.0),
    ],
)
def test_a_limit_that_holds_lies_halfway_to_what_does_not(values: list[float], upper: float) -> None:
    assert edges(AT_MOST, np.array(values)).tolist() == [-math.inf, upper]


def test_either_side_of_a_band() -> None:
    assert edges(BAND, np.array([-1.0, -1.0, -1.0, -2.0, 3.0])).tolist() == [-1.5, 1.0]
    assert edges(BAND, np.array([1.0, 1.0, 1.0, -2.0, 3.0])).tolist() == [-1.0, 2.0]
    assert edges(BAND, np.array([1.0, 1.0, 1.0, 0.0, 3.0])).tolist() == [-1.0, 1.0]


def test_both_limits_of_a_band_without_width() -> None:
    flag = replace(AT_MOST, lower=0.0)
    assert edges(flag, np.array([0.0, 0.0, 0.0, -1.0, 1.0])).tolist() == [-0.5, 0.5]


def test_what_is_measured_keeps_its_side() -> None:
    values = np.array([0.0, 0.0, 0.0, 2.0, 2.0, 7.0, 7.0])
    assert ((values <= edges(AT_MOST, values)[1]) == (values <= 0.0)).all()


@pytest.mark.parametrize("noise", ["learned", 0.3])
def test_noisy_values_stay_as_they_are(noise: str | float) -> None:
    view = replace(AT_MOST, noise=noise)  # type: ignore[arg-type]
    assert edges(view, np.array([0.0, 0.0, 0.0, 1.0, 1.0]))[1] == 0.0
