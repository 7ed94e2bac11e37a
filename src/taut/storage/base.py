"""The contract of a storage: rows of one study, which are only ever added, and leases on what is to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from taut.base.errors import StorageError
from taut.data.rows import Observation, Suggestion
from taut.storage.owner import Turn


class ConflictError(StorageError):
    """Somebody else was first with this declaration, number or answer. Nothing was written; read again."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Who took on a function of a suggestion, and whether that one is still there."""

    owner: str
    living: bool
    left: float | None = field(default=None, compare=False)
    """Seconds for which its last sign of life still counts; None if it gave its leases back."""


Leases = dict[tuple[int, str], Lease]
"""The last lease on each (suggestion, function) that has no row yet."""

ALL = ""
"""In place of a function: the lease on a whole suggestion, which says that a run asked for it. Any run may take on its
functions; one that somebody asked for by hand is left to them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far somebody has read: the last suggestion and the last observation, by what the storage knows them."""

    suggestion: int = 0
    observation: int = 0
    checks: tuple[int, int] = (0, 0)
    """Checksums of these two rows, to tell whether they are still there."""


START = Mark()
"""Nothing is read yet."""

News = tuple[list[Suggestion], list[Observation], Mark]
"""Rows that came after a mark, and the mark after them."""


@runtime_checkable
class Storage(Protocol):
    """Nine methods. Rows are never changed or removed; each call is atomic and may come from any thread.

    Several objects, in several processes, may work on the same rows if the storage outlives the process.
    """

    turn: Turn
    """Of whoever computes the next suggestion with this object."""

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Write the declaration of the study, once. Both are JSON-able. ConflictError if there is one."""

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """What create was given, equal to it and independent of it; None before create."""

    def add_suggestion(self, suggestion: Suggestion, owner: str | None = None, seconds: float = 0.0) -> None:
        """Append. ConflictError, and nothing written, if its number is taken.

        owner: a run that asked for it; gets the lease on the whole of it (see ALL) with the same stroke, so that no
        death leaves a suggestion that nobody knows to be for runs. It lives for so many seconds from now. The lease of
        `turn`, if there is one, may be given back with it.
        """

    def add_observations(self, observations: Sequence[Observation]) -> None:
        """Append all of them. ConflictError, and nothing written, if a suggestion already has a row for a function.

        What has a row needs no lease, and a suggestion that has all of them needs none on the whole of it.
        """

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        """All suggestions by number and all observations in the order they came in, at one moment.

        What was read once is at the beginning of what is read later. The lists are the caller's own: changing
        them, or a point in them, does not change what is stored.
        """

    def since(self, mark: Mark) -> News | None:
        """The rows that came after a mark that this storage gave (or START), at one moment.

        None if what was read up to the mark is not there any more: the storage was replaced by another.
        """

    def lease(
        self, number: int, functions: Sequence[str], owner: str, seconds: float, most: int | None
    ) -> tuple[str, ...]:
        """Take on those functions of a suggestion that have no row and no living lease of another owner.

        Returns them, maybe none; an owner that has one already gets it again. Of several who try, one gets it. The
        owner and all its leases live for so many seconds from now, if it got one.
        most: takes nothing if so many other suggestions have one of these functions under way.
        """

    def renew(self, owner: str, seconds: float) -> None:
        """An owner and all its leases live for so many seconds from now; 0 ends them."""

    def leases(self) -> Leases:
        """The last lease on each function that was leased and has no row yet, and on each suggestion (ALL)."""
