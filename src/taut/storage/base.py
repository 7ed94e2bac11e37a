"""The contract of a storage: insert-only rows of one study."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from taut.base.errors import StorageError
from taut.data.rows import Observation, Suggestion

Result = TypeVar("Result")


class TakenError(StorageError):
    """Somebody else was first with this declaration, number or answer. Nothing was written; read again."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Who took on the evaluation of a function of a suggestion, and whether that one is still there."""

    holder: str
    living: bool


Claims = dict[tuple[int, str], Claim]
"""The last claim on each (suggestion, function)."""


@runtime_checkable
class Storage(Protocol):
    """Nine methods. Rows are never changed or removed; each call is atomic and may come from any thread.

    Several objects, in several processes, may work on the same rows if the storage outlives the process.
    """

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Write the declaration of the study, once. Both are JSON-able. TakenError if there is one."""

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """What create was given, equal to it and independent of it; None before create."""

    def add_suggestion(self, suggestion: Suggestion) -> None:
        """Append. TakenError, and nothing written, if its number is taken."""

    def add_observations(self, observations: Sequence[Observation]) -> None:
        """Append all of them. TakenError, and nothing written, if a suggestion already has a row for a function."""

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        """All suggestions by number and all observations in the order they came in, at one moment.

        What was read once is at the beginning of what is read later. The lists are the caller's own: changing
        them, or a point in them, does not change what is stored.
        """

    def asking(self) -> AbstractContextManager[None]:
        """Entered by one asker at a time, so that nobody computes a suggestion that somebody else is computing.

        It saves work and is not needed to be right: the place of a holder that died, or that was not heard of
        for long, is given to the next.
        """

    def claim(self, number: int, functions: Sequence[str], holder: str, most: int | None = None) -> tuple[str, ...]:
        """Take on those functions of a suggestion that have no row and no living claim; returns them, maybe none.

        Of several who claim the same, one gets it. most: takes nothing if so many other suggestions have one of these
        functions under way. The holder must have been renewed before.
        """

    def renew(self, holder: str, seconds: float) -> None:
        """The holder and all its claims live for so long from now; 0 ends them."""

    def claimed(self) -> Claims:
        """The last claim on each function of each suggestion that was ever claimed."""


def until_first(step: Callable[[], Result]) -> Result:
    """The result of a step that reads, computes and writes, repeated until nobody else was first to write."""
    while True:
        try:
            return step()
        except TakenError:
            continue
