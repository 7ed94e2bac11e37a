"""Every number of looks, finishing and coming home says what it means."""

import pytest
from knobs import check_provenance

from taut.policy.look_settings import FinishSettings, LookSettings


@pytest.mark.parametrize("record", [LookSettings, FinishSettings])
def test_provenance(record: type) -> None:
    check_provenance(record)


def test_fewer_gains_more_looks() -> None:
    gains, looks = zip(*LookSettings().nothing_left, strict=True)
    assert list(gains) == sorted(gains) and list(looks) == sorted(looks, reverse=True)
