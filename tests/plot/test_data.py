"""The public numbers: every one for a study with values and for one without."""

import pytest
from shown import bracket, formulas, known

import taut
from taut.plot import data

NAMES = ["convergence", "spending", "slices", "boundaries", "relevance", "decisions", "honesty"]


@pytest.mark.parametrize("name", NAMES)
def test_with_and_without_values(name: str) -> None:
    assert getattr(data, name)(bracket()) is not None
    assert getattr(taut.plot.data, name)(known()) is not None


def test_without_values_there_are_no_slices() -> None:
    assert data.slices(bracket()) == () == data.boundaries(bracket())
    assert data.relevance(bracket()) == [] == data.honesty(bracket())
    assert data.outlook(bracket()) is None


def test_of_formulas_everything_is_known() -> None:
    study = formulas()
    assert len(data.slices(study)) == 2 and len(data.boundaries(study)) == 1 and len(data.relevance(study)) == 1
    assert data.convergence(study).objective[-1] == pytest.approx(0.5) and data.outlook(study, 40.0) is not None


def test_what_is_known_by_formulas_has_shapes_and_prices_without_any_value() -> None:
    limit = taut.Constraint("c", at_least=1.0, formula="x + y")
    square = [taut.Real("x", 0.0, 2.0), taut.Real("y", 0.0, 2.0)]
    study = taut.Study(taut.Problem(square, taut.Objective("f", goal="minimize", formula="2 * x + y"), [limit]))
    assert len(data.slices(study)) == 2 and len(data.boundaries(study)) == 1
    (row,) = data.relevance(study)
    assert row.verdict == "binding" and row.price is not None and row.price[0] == pytest.approx(1.0, abs=1e-3)
