"""What a study answers with cannot be changed, and shows itself in notebooks."""

import math
from dataclasses import FrozenInstanceError

import pytest
from shown import sound

import taut
from taut.data.results import Error, RelevanceRow, RelevanceRows


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


def test_a_notebook_is_told_of_no_certainty_and_no_infinity() -> None:
    best = taut.Recommendation({"x": 0.5}, (1.0, 0.1), 0.99999, {"c": (1.0, 0.1, 0.99999)})
    shown = sound(best._repr_html_()).text
    assert "probability > 0.99" in shown and shown.endswith("> 0.99")
    row = RelevanceRow("c", 0.9999, 0.001, "binding", 3, 60.0, 80.0, price=(2.0, 1.5, math.inf))
    shown = sound(RelevanceRows([row])._repr_html_()).text
    assert "> 0.99" in shown and "< 0.01" in shown and "2 (at least 1.5)" in shown
