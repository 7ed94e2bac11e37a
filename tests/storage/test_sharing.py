"""What to do when somebody else was first."""

import taut
from taut.storage.base import ConflictError
from taut.storage.sharing import number_taken, retry_on_conflict


def test_retry_on_conflict() -> None:
    outcomes = iter([ConflictError("a"), ConflictError("b"), 3])

    def step() -> int:
        outcome = next(outcomes)
        if isinstance(outcome, ConflictError):
            raise outcome
        return outcome

    assert retry_on_conflict(step) == 3


def test_a_taken_number_is_named() -> None:
    assert "Suggestion 7: expected a new number" in str(number_taken(taut.Suggestion(7, {"x": 1.0}, ("f",), 1.0)))
