"""Every method decides as it did when the record was made, to the last digit.

The default plays every scene, the others half of them; python tests/golden/decisions.py compares everything.
"""

import json

import pytest
from golden.decisions import METHODS, PRESETS, RECORD, differences, fingerprint, in_child, steps_of


@pytest.fixture(scope="module")
def record() -> dict[str, object]:
    return dict(json.loads(RECORD.read_text()))


@pytest.mark.parametrize("method", METHODS + PRESETS)
def test_decisions(method: str, record: dict[str, dict[str, object]]) -> None:
    if record["made with"] != fingerprint():
        pytest.skip(f"recorded with {record['made with']}, here is {fingerprint()}")
    assert differences(method, in_child(method, some=True), record["methods"][method]) == []


def test_the_record_is_large_enough(record: dict[str, dict[str, dict[str, dict[str, list[object]]]]]) -> None:
    for method in METHODS:
        scenes = record["methods"][method]
        assert len([name for name in scenes if len(scenes[name]["steps"]) == steps_of(method)]) >= 6, method
