"""One suite for every storage: a new one is one more entry in STORAGES."""

import json
import threading
from collections.abc import Callable

import pytest
import toy
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.storage import open_storage
from taut.storage.base import Storage
from taut.storage.memory import MemoryStorage

STORAGES: dict[str, Callable[[], Storage]] = {"memory": MemoryStorage}

POINT = {"x1": 1.0, "x2": 0.1}
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(params=STORAGES)
def storage(request: pytest.FixtureRequest) -> Storage:
    return STORAGES[request.param]()


def suggestion(number: int) -> taut.Suggestion:
    return taut.Suggestion(number, dict(POINT), ("f", "c"), 1.5, "why", 3, True, 7.5, {"a": [1, {"b": 0.1}]})


def test_it_keeps_the_contract(storage: Storage) -> None:
    assert isinstance(storage, Storage)


def test_declaration_is_written_once(storage: Storage) -> None:
    assert storage.load() is None
    problem, settings = toy.problem().to_dict(), {"seed": 3, "options": {"a": [1.5]}}
    storage.create(problem, settings)
    loaded = storage.load()
    assert loaded == (problem, settings)
    assert taut.Problem.from_dict(loaded[0]) == toy.problem()
    with pytest.raises(taut.StorageError, match="holds a study"):
        storage.create(problem, {})
    assert storage.load() == (problem, settings)


def test_declaration_is_independent_of_the_callers(storage: Storage) -> None:
    settings = {"options": [1]}
    storage.create({}, settings)
    settings["options"].append(2)
    storage.load()[1]["options"].append(3)  # type: ignore[index]
    assert storage.load() == ({}, {"options": [1]})


def test_empty_rows(storage: Storage) -> None:
    assert storage.rows() == ([], [])


def test_rows_come_back_equal_and_in_order(storage: Storage) -> None:
    observations = [
        taut.Observation("f", dict(POINT), 0.1 + 0.2, 1),
        taut.Observation("f", dict(POINT), None, 2, "ValueError: no"),
        taut.Observation("c", dict(POINT), -1e-300),
        taut.Observation("c", dict(POINT), -1e-300),
    ]
    for row in observations[:2]:
        storage.add_observation(row)
    for number in (2, 1, 3):
        storage.add_suggestion(suggestion(number))
    for row in observations[2:]:
        storage.add_observation(row)
    assert storage.rows() == ([suggestion(1), suggestion(2), suggestion(3)], observations)


@pytest.mark.parametrize("make", STORAGES.values(), ids=STORAGES)
@given(number=st.integers(1, 2**31), numbers=st.lists(FLOATS, min_size=4, max_size=4), text=st.text())
def test_any_row_survives(make: Callable[[], Storage], number: int, numbers: list[float], text: str) -> None:
    storage = make()
    a, b, c, d = numbers
    asked = taut.Suggestion(number, {"x": a}, ("f",), b, text, 0, False, c, {"state": [d, text]})
    told = taut.Observation("f", {"x": a}, d, number, text)
    storage.add_suggestion(asked)
    storage.add_observation(told)
    assert storage.rows() == ([asked], [told])


def test_a_number_is_taken_once(storage: Storage) -> None:
    storage.add_suggestion(suggestion(1))
    with pytest.raises(taut.StorageError, match="Suggestion 1.*taken"):
        storage.add_suggestion(taut.Suggestion(1, dict(POINT), ("c",), 0.5))
    assert storage.rows()[0] == [suggestion(1)]


def test_one_row_per_suggestion_and_function(storage: Storage) -> None:
    first = taut.Observation("f", dict(POINT), 1.0, 1)
    storage.add_observation(first)
    for value in (1.0, 2.0, None):
        with pytest.raises(taut.StorageError, match="Suggestion 1.*'f'"):
            storage.add_observation(taut.Observation("f", dict(POINT), value, 1))
    storage.add_observation(taut.Observation("c", dict(POINT), 1.0, 1))
    storage.add_observation(taut.Observation("f", dict(POINT), 1.0, 2))
    assert len(storage.rows()[1]) == 3


def test_rows_are_independent_of_the_callers(storage: Storage) -> None:
    asked, told = suggestion(1), taut.Observation("f", dict(POINT), 1.0, 1)
    storage.add_suggestion(asked)
    storage.add_observation(told)
    before = json.dumps([row.point for rows in storage.rows() for row in rows])
    asked.point["x1"] = 9.0
    asked.memory["a"][1]["b"] = 9.0
    told.point["x1"] = 9.0
    suggestions, observations = storage.rows()
    suggestions[0].point["x1"] = 9.0
    suggestions[0].memory["a"].append(9.0)
    observations[0].point["x1"] = 9.0
    suggestions.clear()
    observations.clear()
    assert storage.rows()[0] == [suggestion(1)]
    assert json.dumps([row.point for rows in storage.rows() for row in rows]) == before


def test_of_two_writers_of_one_number_one_wins(storage: Storage) -> None:
    barrier, lost = threading.Barrier(4), []

    def write() -> None:
        barrier.wait()
        for number in range(1, 51):
            try:
                storage.add_suggestion(suggestion(number))
            except taut.StorageError:
                lost.append(number)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row.number for row in storage.rows()[0]] == list(range(1, 51))
    assert sorted(lost) == sorted(list(range(1, 51)) * 3)


def test_a_path_is_refused_for_now() -> None:
    with pytest.raises(taut.StorageError, match=r"'bracket\.db'.*in memory only"):
        toy.study(storage="bracket.db")
    for wrong in (3, MemoryStorage):
        with pytest.raises(taut.StorageError, match="storage must be None"):
            open_storage(wrong)  # type: ignore[arg-type]
