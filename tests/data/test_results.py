"""What a study answers with cannot be changed."""

from dataclasses import FrozenInstanceError

import pytest

import taut
from taut.data.results import Error


@pytest.mark.parametrize(
    "found",
    [
        taut.Recommendation({}, (0.0, 1.0), 0.5, {}),
        taut.Prediction({}, (0.0, 1.0), 0.5, {}, {}),
        Error(1, (0.5,), 2.0, 3.0),
    ],
)
def test_results_cannot_be_changed(found: object) -> None:
    with pytest.raises(FrozenInstanceError):
        found.point = {}  # type: ignore[attr-defined]


def test_a_prediction_by_name() -> None:
    found = taut.Prediction({}, (0.0, 1.0), 0.5, {"c": (1.0, 2.0, 0.5)}, {"f": (0.0, 1.0, 1.0), "c": (1.0, 2.0, 0.5)})
    assert found["c"] == (1.0, 2.0, 0.5)
