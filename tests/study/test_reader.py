"""Only what is new is read."""

import pytest
import toy

import taut
from taut.data.rows import Observation, Suggestion
from taut.storage.base import START, Mark, News
from taut.storage.memory import MemoryStorage
from taut.study.reader import Reader

POINT = {"x1": 1.0, "x2": 1.0}


class Counting(MemoryStorage):
    """Knows how many rows were read from it."""

    read = 0

    def since(self, mark: Mark) -> News:
        news = super().since(mark)
        self.read += len(news[0]) + len(news[1])
        return news

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        raise AssertionError("all rows were read")


def test_ask_and_tell_and_run_read_each_row_once() -> None:
    storage = Counting()
    study = toy.study(initial=2, storage=storage)
    storage.add_observations([Observation("f", POINT, float(k)) for k in range(5000)])
    study.ask()
    assert storage.read == 5000
    for _ in range(5):
        asked = study.ask()
        study.tell(asked, {asked.functions[0]: 1.0})
    study.run(toy.FUNCTIONS, budget=10)
    rows = 5000 + study.history.moment().asked + len(study.history.answers)
    assert storage.read == rows
    assert study.spent == 10.0 and storage.read == rows


def test_what_others_wrote_is_seen(place: str) -> None:
    mine, other = toy.study(initial=0, storage=place), toy.study(initial=0, storage=place)
    for number in range(1, 5):
        asked = (mine if number % 2 else other).ask()
        (other if number % 2 else mine).tell(number, dict.fromkeys(asked.functions, float(number)))
    assert mine.counts == other.counts and mine.ask().number == 5


class Replaced(MemoryStorage):
    """Was replaced by another after the first time it was read."""

    def since(self, mark: Mark) -> News | None:  # type: ignore[override]
        return None if mark != START else super().since(mark)


def test_a_storage_that_was_replaced_is_read_from_the_beginning() -> None:
    storage = Replaced()
    reader = Reader(toy.problem(), storage)
    storage.add_observations([Observation("f", POINT, 1.0)] * 3)
    for _ in range(2):
        with reader as history:
            assert len(history.observations) == 3


@pytest.mark.parametrize(
    ("asked", "told", "message"),
    [
        (Suggestion(2, POINT, ("f",), 1.0), None, "expected suggestion 1"),
        (Suggestion(1, {"x1": 1.0}, ("f",), 1.0), None, "suggestion 1 of another"),
        (Suggestion(1, POINT, ("h",), 1.0), None, "suggestion 1 of another"),
        (None, Observation("h", POINT, 1.0), "a value of 'h' of another"),
        (None, Observation("f", {"y": 1.0}, 1.0), "a value of 'f' of another"),
    ],
)
def test_rows_of_another_study(asked: Suggestion | None, told: Observation | None, message: str) -> None:
    storage = MemoryStorage()
    if asked is not None:
        storage.add_suggestion(asked)
    storage.add_observations([told] if told is not None else [])
    reader = Reader(toy.problem(), storage)
    for _ in range(2):  # and the lock is free again
        with pytest.raises(taut.StorageError, match=message):
            reader.__enter__()
