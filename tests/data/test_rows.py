"""The rows of a study: they cannot be changed, and what they say when one leaves something out."""

from dataclasses import FrozenInstanceError

import pytest

import taut

SUGGESTION = taut.Suggestion(1, {"x": 0.5}, ("f",), 1.0, memory={"long": "state"})


def test_suggestions_can_be_keys() -> None:
    second = taut.Suggestion(2, {"x": 0.5}, ("f",), 1.0)
    waiting = {SUGGESTION: "a", second: "b"}
    assert waiting[taut.Suggestion(2, {"x": 0.5}, ("f",), 1.0)] == "b" and len({SUGGESTION, SUGGESTION, second}) == 2


def test_defaults() -> None:
    assert (SUGGESTION.seen, SUGGESTION.initial, SUGGESTION.remaining, SUGGESTION.note) == (0, False, None, "")
    assert taut.Observation("f", {"x": 0.5}, 1.0) == taut.Observation("f", {"x": 0.5}, 1.0, None, "")
    assert taut.Suggestion(1, {}, (), 0.0).memory is not taut.Suggestion(1, {}, (), 0.0).memory


def test_the_state_of_the_method_is_not_shown() -> None:
    assert "long" not in repr(SUGGESTION)


def test_rows_cannot_be_changed() -> None:
    for row in (SUGGESTION, taut.Observation("f", {}, None), taut.Recommendation({}, (0.0, 1.0), 0.5, {})):
        with pytest.raises(FrozenInstanceError):
            row.note = "another"  # type: ignore[misc]
