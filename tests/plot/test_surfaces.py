"""Slices and planes: grids of admissible values, and what is shown with them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from shown import known, known_beliefs

from taut.plot import surfaces
from taut.plot.surfaces import ALONG, Located


def test_a_slice_says_what_a_prediction_says() -> None:
    study, best = known(), known_beliefs().best
    found = known_beliefs().slices[0]
    assert found.parameter == "width" and found.at == best.point["width"] in found.values
    assert len(found.values) in (ALONG, ALONG + 1) and list(found.values) == sorted(found.values)
    for i in (0, 20, -1):
        there = study.predict(best.point | {"width": found.values[i]})
        assert found.survey.mean[i] == pytest.approx([there[name][0] for name in study.problem.functions], rel=1e-6)
        assert found.survey.feasibility[i] == pytest.approx(there.feasibility, abs=1e-6)


def test_a_plane_says_what_a_prediction_says() -> None:
    study, best = known(), known_beliefs().best
    (found,) = known_beliefs().planes
    assert (found.first, found.second) == ("width", "height")
    there = study.predict({"width": found.across[5], "height": found.up[9]})
    assert found.grid(found.survey.mean[:, 1])[9, 5] == pytest.approx(there["stress"][0], rel=1e-6)
    assert found.at == (best.point["width"], best.point["height"])
    assert len(found.points) == len({tuple(row.point.values()) for row in study.observations})
    held = {(x, y): ok for x, y, ok in found.points}
    assert held[8.0, 20.0] is False, "a failure"


def test_values_close_to_a_slice() -> None:
    study = known()
    row = study.observations[0]
    known_rows = Located.of(study.problem, study.history)
    found = surfaces.near(study.problem, known_rows, "width", row.point)
    assert (row.point["width"], row.value) in found[row.function]
    far = {"width": 1.0, "height": 10.0 if row.point["height"] > 55.0 else 100.0}
    assert (row.point["width"], row.value) not in surfaces.near(study.problem, known_rows, "width", far)[row.function]


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        (SimpleNamespace(options=("steel", "<b>")), ["steel", "<b>"]),
        (SimpleNamespace(values=(0.1, 0.3, 0.9)), [0.1, 0.3, 0.9]),
    ],
)
def test_values_of_parameters_of_other_kinds(parameter: Any, values: list[Any]) -> None:
    assert surfaces.values_of(parameter, 49) == values
    assert surfaces.is_numeric(parameter) is not hasattr(parameter, "options")


def test_pairs_that_matter_come_first() -> None:
    problem = known().problem
    assert surfaces.pairs(problem, {"width": 1.0, "height": 1.0}) == [("width", "height")]
    sizes = surfaces.effects(problem, known_beliefs().slices)
    assert set(sizes) == {"width", "height"} and all(0.0 < size <= 1.0 for size in sizes.values())
    assert np.isfinite(list(sizes.values())).all()
