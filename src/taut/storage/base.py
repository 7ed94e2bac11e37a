"""The contract of a storage: insert-only rows of one study."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from taut.data import Observation, Suggestion


@runtime_checkable
class Storage(Protocol):
    """Five methods. Rows are never changed or removed; each call is atomic and may come from any thread."""

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Write the declaration of the study, once. Both are JSON-able. StorageError if there is one."""

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """What create was given, equal to it and independent of it; None before create."""

    def add_suggestion(self, suggestion: Suggestion) -> None:
        """Append. StorageError, and nothing written, if its number is taken."""

    def add_observation(self, observation: Observation) -> None:
        """Append. StorageError, and nothing written, if its suggestion already has a row for its function."""

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        """All suggestions by number and all observations in the order they came in, at one moment.

        The lists are the caller's own: changing them, or a point in them, does not change what is stored.
        """
