"""The numbers of the models: where they come from, and that they fit together."""

from itertools import pairwise

import pytest
from knobs import check_provenance

from taut.surrogate.settings import ModelSettings


@pytest.mark.parametrize("record", [ModelSettings])
def test_every_number_says_what_it_means_and_where_it_comes_from(record: type) -> None:
    check_provenance(record)


def test_starts_lie_inside_the_boxes_and_ratios_rise() -> None:
    settings = ModelSettings()
    assert settings.length_box[0] < settings.start_length < settings.length_box[1]
    assert settings.length_box[0] < settings.length_median < settings.length_box[1]
    assert settings.noise_box[0] < settings.noise_median < settings.noise_box[1]
    assert all(low < high for low, high in pairwise((settings.exact_rho, *settings.rough_grid)))
    assert settings.exact_rho < settings.rho
    assert settings.rho < settings.rough_from < settings.rough_start < settings.rough_box == settings.rough_grid[-1]
    assert settings.sample_size < settings.sample_from
