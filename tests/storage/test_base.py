"""The contract of a storage; what keeps it is tested in contracts/test_storage.py."""

from taut.storage.base import ALL, START, ConflictError, Mark, Storage
from taut.storage.leases import NEXT
from taut.storage.memory import MemoryStorage


def test_nothing_is_read_at_the_start() -> None:
    assert Mark() == START and START != Mark(1) and START != Mark(0, 1)
    assert MemoryStorage().since(START) == ([], [], START)


def test_what_keeps_the_contract_is_a_storage() -> None:
    assert isinstance(MemoryStorage(), Storage) and not isinstance(object(), Storage)


def test_no_function_is_called_like_a_whole_suggestion_or_a_turn() -> None:
    """Names of functions are not empty; numbers of suggestions begin with 1."""
    assert ALL == "" and NEXT == (0, ALL)


def test_a_conflict_can_be_tried_again() -> None:
    from taut.base.errors import StorageError

    assert issubclass(ConflictError, StorageError)
