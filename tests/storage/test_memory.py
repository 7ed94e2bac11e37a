"""What is special about a study in memory; the rest is in the contract."""

from dataclasses import fields

import taut
from taut.storage import open_storage
from taut.storage.memory import MemoryStorage

SUGGESTION = taut.Suggestion(4, {"x": 0.5}, ("f", "c"), 1.5, "why", 3, True, 7.5, {"a": [1, {"b": (0.1,)}]})
OBSERVATION = taut.Observation("f", {"x": 0.5}, None, 4, "diverged")


def test_none_is_memory() -> None:
    assert isinstance(open_storage(None), MemoryStorage)
    assert str(open_storage(None)) == "memory"


def test_copies_leave_nothing_out() -> None:
    """They are made field by field; each field here differs from its default."""
    storage = MemoryStorage()
    storage.add_suggestion(SUGGESTION)
    storage.add_observations([OBSERVATION])
    for stored, given in zip((storage.rows()[0][0], storage.rows()[1][0]), (SUGGESTION, OBSERVATION), strict=True):
        assert stored is not given
        for each in fields(given):
            assert getattr(stored, each.name) == getattr(given, each.name), each.name
