"""Fields that say where their value comes from."""

from dataclasses import dataclass, fields, replace

import pytest
from knobs import check_provenance

from taut.base.distinct import ApartSettings
from taut.base.knob import knob


@dataclass(frozen=True)
class Example:
    count: int = knob(3, "how many", source="judgement")


@dataclass(frozen=True)
class Silent:
    count: int = 3


def test_a_knob_is_a_field_with_a_default_and_its_provenance() -> None:
    (field,) = fields(Example)
    assert Example().count == 3 and replace(Example(), count=4).count == 4
    assert dict(field.metadata) == {"meaning": "how many", "source": "judgement"}


def test_a_number_without_provenance_is_noticed() -> None:
    check_provenance(Example)
    check_provenance(ApartSettings)
    with pytest.raises(AssertionError, match="count"):
        check_provenance(Silent)
