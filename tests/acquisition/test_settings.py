"""The numbers of the criteria: where they come from, and that they fit together."""

from dataclasses import replace
from itertools import pairwise

import pytest
from knobs import check_provenance

from taut.acquisition.settings import (
    SCENARIOS,
    ConfidenceSettings,
    EPSettings,
    ImprovementSettings,
    MaxValueSettings,
    ScenarioOptions,
    UtilitySettings,
)

RECORDS = [ScenarioOptions, UtilitySettings, ImprovementSettings, MaxValueSettings, EPSettings, ConfidenceSettings]


@pytest.mark.parametrize("record", RECORDS)
def test_every_number_says_what_it_means_and_where_it_comes_from(record: type) -> None:
    check_provenance(record)


def test_the_resolution_chooses_cells_and_look_up_points() -> None:
    coarse, usual, fine = (replace(SCENARIOS, resolution=name) for name in ("coarse", "usual", "fine"))
    assert len(coarse.cells) < len(usual.cells) < len(fine.cells)
    assert len(coarse.look_up_scores) < len(usual.look_up_scores) == len(fine.look_up_scores)


@pytest.mark.parametrize(
    "name", ["coarse_cells", "usual_cells", "fine_cells", "pair_cells", "envelope", "coarse_envelope"]
)
def test_edges_and_scores_rise_from_the_middle(name: str) -> None:
    edges = getattr(SCENARIOS, name)
    assert edges[0] >= 0.0 and all(low < high for low, high in pairwise(edges))
    assert "envelope" not in name or edges[0] == 0.0
