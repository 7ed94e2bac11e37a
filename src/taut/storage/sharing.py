"""What every storage does when several are at work: who was first, what is free, and waiting for each other."""

import random
import time
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from taut.base.errors import StorageError
from taut.data.rows import Suggestion
from taut.storage.base import ConflictError, Leases

Result = TypeVar("Result")


class AwayError(StorageError):
    """The storage cannot be used at the moment; it may be tried again."""


def number_taken(suggestion: Suggestion) -> ConflictError:
    """Says that somebody else has stored a suggestion of this number."""
    return ConflictError(f"Suggestion {suggestion.number}: expected a new number, got a taken one; ask again.")


def retry_on_conflict(step: Callable[[], Result]) -> Result:
    """The result of a step that reads, computes and writes, repeated until nobody else was first to write."""
    while True:
        try:
            return step()
        except ConflictError:
            continue


def pause(seconds: float, longest: float) -> float:
    """Wait for others about so long, by chance, so as not to march in step with them; how long to wait next time."""
    time.sleep(seconds * random.uniform(0.5, 1.5))
    return min(2.0 * seconds, longest)


def free(
    number: int,
    functions: Sequence[str],
    owner: str,
    leases: Leases,
    answered: Collection[tuple[int, str]],
    most: int | None,
) -> tuple[str, ...]:
    """What Storage.lease may take, given all leases on these functions and all answers of what is leased."""
    busy = {key: lease.owner for key, lease in leases.items() if lease.living and key not in answered}
    others = {other for other, name in busy if name in functions and other != number}
    if most is not None and len(others) >= most:
        return ()
    return tuple(
        name for name in functions if busy.get((number, name), owner) == owner and (number, name) not in answered
    )
