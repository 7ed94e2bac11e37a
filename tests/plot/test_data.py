"""The public numbers: every one for a study with values and for one without."""

import pytest
from shown import bracket, known

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
