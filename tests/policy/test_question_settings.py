"""Settings of questions: each number says what it means and where it comes from."""

from dataclasses import fields

import pytest

from taut.policy import question_settings
from taut.policy.settings import Settings


@pytest.mark.parametrize("stage", ["relevance", "price", "outlook"])
def test_every_number_is_explained(stage: str) -> None:
    record = getattr(Settings(), stage)
    assert type(record).__module__ == question_settings.__name__
    for each in fields(record):
        assert each.metadata["meaning"] and each.metadata["source"], each.name
