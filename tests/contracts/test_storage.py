"""One suite for every storage: a new one is one more entry in KINDS."""

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import toy
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import taut
from taut.storage import open_storage
from taut.storage.base import ALL, START, ConflictError, Lease, Storage
from taut.storage.leases import asking
from taut.storage.memory import MemoryStorage

KINDS = ["memory", "sqlite", "postgresql"]

POINT = {"x1": 1.0, "x2": 0.1}
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters())  # NUL and lone surrogates included: a program's last words may hold anything

Open = Callable[[], Storage]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opened(kind: str, new_place: Callable[[str], str]) -> Open:
    """Opens the same place again and again, as other processes would."""
    if kind == "memory":
        memory = MemoryStorage()
        return lambda: memory
    place = new_place(kind)
    return lambda: open_storage(place)


@pytest.fixture
def storage(opened: Open) -> Storage:
    return opened()


def suggestion(number: int) -> taut.Suggestion:
    return taut.Suggestion(number, dict(POINT), ("f", "c"), 1.5, "why", 3, True, 7.5, {"a": [1, {"b": 0.1}]})


def in_threads(count: int, work: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


def test_it_keeps_the_contract(storage: Storage) -> None:
    assert isinstance(storage, Storage)
    assert open_storage(storage) is storage


def test_declaration_is_written_once(storage: Storage) -> None:
    assert storage.load() is None
    problem, settings = toy.problem().to_dict(), {"seed": 3, "options": {"a": [1.5]}}
    storage.create(problem, settings)
    loaded = storage.load()
    assert loaded == (problem, settings)
    assert taut.Problem.from_dict(loaded[0]) == toy.problem()
    with pytest.raises(ConflictError, match="holds a study"):
        storage.create(problem, {})
    assert storage.load() == (problem, settings)


def test_declaration_is_independent_of_the_callers(storage: Storage) -> None:
    settings = {"options": [1]}
    storage.create({}, settings)
    settings["options"].append(2)
    storage.load()[1]["options"].append(3)  # type: ignore[index]
    assert storage.load() == ({}, {"options": [1]})


def test_empty_rows(storage: Storage) -> None:
    assert (storage.rows(), storage.leases()) == (([], []), {})
    storage.add_observations([])
    assert storage.rows() == ([], [])


def test_rows_come_back_equal_and_in_order(opened: Open) -> None:
    observations = [
        taut.Observation("f", dict(POINT), 0.1 + 0.2, 1),
        taut.Observation("f", dict(POINT), None, 2, "ValueError: no"),
        taut.Observation("c", dict(POINT), -1e-300),
        taut.Observation("c", dict(POINT), -1e-300),
    ]
    storage = opened()
    storage.add_observations(observations[:2])
    for number in (2, 1, 3):
        storage.add_suggestion(suggestion(number))
    for row in observations[2:]:
        storage.add_observations([row])
    for each in (storage, opened()):
        assert each.rows() == ([suggestion(1), suggestion(2), suggestion(3)], observations)
        assert each.load() is None  # rows do not make a declaration


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(numbers=[-0.0, 5e-324, 1.7976931348623157e308, 1.0], left=-0.0, text="\x00 \ud800 \U0001f4c8")
@given(numbers=st.lists(FLOATS, min_size=4, max_size=4), left=st.none() | FLOATS, text=TEXT)
def test_any_row_survives(storage: Storage, numbers: list[float], left: float | None, text: str) -> None:
    a, b, c, d = numbers
    number = 2**40 + len(storage.rows()[0])
    asked = taut.Suggestion(number, {"x": a, "y": b}, ("f",), c, text, 2**40, False, left, {"state": [d, text]})
    told = taut.Observation("f", {"x": a, "y": b}, d, number, text)
    storage.add_suggestion(asked)
    storage.add_observations([told])
    suggestions, observations = storage.rows()
    # repr: unlike ==, it tells -0.0 from 0.0, 1 from 1.0, and the order of a dict.
    assert repr(suggestions[-1]) + repr(suggestions[-1].memory) == repr(asked) + repr(asked.memory)
    assert repr(observations[-1]) == repr(told)


def test_times_are_kept_to_the_last_bit(opened: Open) -> None:
    storage = opened()
    storage.add_suggestion(suggestion(1))
    rows = [
        taut.Observation("f", dict(POINT), 1.0, 1, seconds=0.1 + 0.2, setup=1e-300),
        taut.Observation("c", dict(POINT), None, 1, "broke", seconds=12.0),
        taut.Observation("f", dict(POINT), 2.0),
    ]
    storage.add_observations(rows)
    found = opened().rows()[1] if str(storage) != "memory" else storage.rows()[1]
    assert [(row.seconds, row.setup) for row in found] == [(0.1 + 0.2, 1e-300), (12.0, None), (None, None)]


def test_a_number_is_taken_once(opened: Open) -> None:
    opened().add_suggestion(suggestion(1))
    with pytest.raises(ConflictError, match="Suggestion 1.*taken"):
        opened().add_suggestion(taut.Suggestion(1, dict(POINT), ("c",), 0.5))
    assert opened().rows()[0] == [suggestion(1)]


def test_one_row_per_suggestion_and_function(storage: Storage) -> None:
    first = taut.Observation("f", dict(POINT), 1.0, 1)
    storage.add_observations([first])
    for value in (1.0, 2.0, None):
        with pytest.raises(ConflictError, match="Suggestion 1.*'f'"):
            storage.add_observations([taut.Observation("f", dict(POINT), value, 1)])
    storage.add_observations([taut.Observation("c", dict(POINT), 1.0, 1)])
    storage.add_observations([taut.Observation("f", dict(POINT), 1.0, 2)])
    assert len(storage.rows()[1]) == 3


def test_observations_are_written_together_or_not_at_all(storage: Storage) -> None:
    known = taut.Observation("c", dict(POINT), 1.0, 1)
    storage.add_observations([known])
    new = [taut.Observation(name, dict(POINT), 2.0, 1) for name in ("f", "g")]
    for batch in ([*new, known], [known, *new], [new[0], new[0]]):
        with pytest.raises(ConflictError, match="Suggestion 1"):
            storage.add_observations(batch)
        assert storage.rows()[1] == [known]
    storage.add_observations(new)
    assert storage.rows()[1] == [known, *new]


def test_rows_since_a_mark_are_those_that_came_after_it(opened: Open) -> None:
    reader, asked, told, mark = opened(), [], [], START
    for number in range(1, 8):
        for _ in range(number % 3):
            opened().add_observations([taut.Observation("f", dict(POINT), float(number))] * 2)
        if number % 2:
            opened().add_suggestion(suggestion(number))
        news = reader.since(mark)
        assert news is not None
        asked, told, mark = asked + news[0], told + news[1], news[2]
        assert (asked, told) == opened().rows()
    assert reader.since(mark) == ([], [], mark)


def test_rows_are_independent_of_the_callers(storage: Storage) -> None:
    asked, told = suggestion(1), taut.Observation("f", dict(POINT), 1.0, 1)
    storage.add_suggestion(asked)
    storage.add_observations([told])
    asked.point["x1"] = 9.0
    asked.memory["a"][1]["b"] = 9.0
    told.point["x1"] = 9.0
    suggestions, observations = storage.rows()
    suggestions[0].point["x1"] = 9.0
    suggestions[0].memory["a"].append(9.0)
    observations[0].point["x1"] = 9.0
    suggestions.clear()
    observations.clear()
    assert storage.rows() == ([suggestion(1)], [taut.Observation("f", POINT, 1.0, 1)])


def test_of_several_writers_of_one_number_one_wins(opened: Open) -> None:
    barrier, lost = threading.Barrier(4), []

    def write(_: int) -> None:
        storage = opened()
        barrier.wait()
        for number in range(1, 26):
            try:
                storage.add_suggestion(suggestion(number))
            except ConflictError:
                lost.append(number)

    in_threads(4, write)
    assert [row.number for row in opened().rows()[0]] == list(range(1, 26))
    assert sorted(lost) == sorted(list(range(1, 26)) * 3)


def test_of_several_declarations_one_wins(opened: Open) -> None:
    barrier, lost = threading.Barrier(4), []

    def declare(seed: int) -> None:
        storage = opened()
        barrier.wait()
        try:
            storage.create({}, {"seed": seed})
        except ConflictError:
            lost.append(seed)

    in_threads(4, declare)
    loaded = opened().load()
    assert loaded is not None
    assert sorted([*lost, loaded[1]["seed"]]) == [0, 1, 2, 3]


def test_what_was_read_is_the_beginning_of_what_is_read_later(opened: Open) -> None:
    """Otherwise "the first 17 rows" would not be those that a suggestion was made from."""
    opened().create({}, {})
    writing, reads = threading.Event(), []
    writing.set()

    def write(writer: int) -> None:
        storage = opened()
        for number in range(25):
            storage.add_observations([taut.Observation("f", {"x": float(writer)}, float(number))] * 2)

    def read() -> None:
        storage = opened()
        while writing.is_set():
            reads.append(storage.rows()[1])

    reader = threading.Thread(target=read)
    reader.start()
    in_threads(4, write)
    writing.clear()
    reader.join()
    reads.append(opened().rows()[1])
    assert len(reads[-1]) == 200
    for earlier, later in itertools.pairwise(reads):
        assert later[: len(earlier)] == earlier
    assert reads[-1][::2] == reads[-1][1::2]  # what was written together stays together


def test_rows_are_those_of_one_moment(opened: Open) -> None:
    opened().create({}, {})
    reads, writing = [], threading.Event()
    writing.set()

    def read(_: int) -> None:
        storage = opened()
        while writing.is_set():
            reads.append(storage.rows())

    with ThreadPoolExecutor(3) as pool:
        reading = [pool.submit(read, reader) for reader in range(3)]
        storage = opened()
        for number in range(1, 101):
            storage.add_suggestion(suggestion(number))
            storage.add_observations([taut.Observation("f", dict(POINT), 1.0, number)])
        writing.clear()
        assert [each.result() for each in reading] == [None] * 3
    reads.append(opened().rows())
    assert len(reads[-1][1]) == 100
    for asked, told in reads:
        assert len(asked) - len(told) in (0, 1)


def test_one_asker_at_a_time(opened: Open) -> None:
    inside, most, storages = [], [], [opened(), opened()]

    def ask(asker: int) -> None:
        for _ in range(5):
            with asking(storages[asker % 2]):
                inside.append(asker)
                most.append(len(inside))
                opened().rows()  # others may read
                inside.remove(asker)

    in_threads(4, ask)
    assert most == [1] * 20


def test_an_asker_that_fails_makes_room(opened: Open) -> None:
    with pytest.raises(ZeroDivisionError), asking(opened()):
        _ = 1 / 0
    with asking(opened(), seconds=60.0):
        pass


# --- who evaluates what


def test_a_lease_is_had_by_one(opened: Open) -> None:
    opened().add_suggestion(suggestion(1))
    assert opened().lease(1, ["f"], "a", 60.0, None) == ("f",)
    assert opened().lease(1, ["f", "c"], "b", 60.0, None) == ("c",)
    assert opened().lease(1, ["f", "c"], "a", 60.0, None) == ("f",)  # its own, whose answer it may not have heard
    assert opened().leases() == {(1, "f"): Lease("a", True), (1, "c"): Lease("b", True)}
    assert all(each.left is not None and 0.0 < each.left <= 60.0 for each in opened().leases().values())


def test_a_lease_lives_as_long_as_its_owner(opened: Open) -> None:
    storage = opened()
    assert storage.lease(1, ["f"], "a", 0.3, None) == ("f",)
    storage.renew("a", 60.0)
    time.sleep(0.4)
    assert opened().lease(1, ["f"], "b", 60.0, None) == ()
    storage.renew("a", 0.0)
    assert opened().leases() == {(1, "f"): Lease("a", False)}
    assert opened().lease(1, ["f"], "b", 0.05, None) == ("f",)
    time.sleep(0.1)
    assert opened().lease(1, ["f"], "c", 60.0, None) == ("f",)
    assert opened().leases() == {(1, "f"): Lease("c", True)}


def test_every_lease_renews_the_others_of_its_owner(opened: Open) -> None:
    assert opened().lease(1, ["f"], "a", 0.3, None) == ("f",)
    assert opened().lease(2, ["f"], "a", 60.0, None) == ("f",)
    time.sleep(0.4)
    assert opened().leases() == {(1, "f"): Lease("a", True), (2, "f"): Lease("a", True)}


def test_an_owner_comes_back_to_what_nobody_took_over(opened: Open) -> None:
    assert opened().lease(1, ["f", "c"], "a", 0.05, None) == ("f", "c")
    time.sleep(0.1)
    assert opened().lease(1, ["c"], "b", 60.0, None) == ("c",)
    opened().renew("a", 60.0)
    assert opened().leases() == {(1, "f"): Lease("a", True), (1, "c"): Lease("b", True)}


def test_renewing_leases_nothing(opened: Open) -> None:
    opened().renew("a", 60.0)
    opened().renew("a", 0.0)
    assert opened().leases() == {}


def test_what_is_answered_cannot_be_leased(opened: Open) -> None:
    opened().add_observations([taut.Observation("f", dict(POINT), None, 1), taut.Observation("c", dict(POINT), 1.0)])
    assert opened().lease(1, ["f", "c"], "a", 60.0, None) == ("c",)
    opened().add_observations([taut.Observation("c", dict(POINT), 2.0, 1)])  # also by others, or late
    assert opened().lease(1, ["f", "c"], "a", 60.0, None) == ()


def test_what_is_answered_has_no_lease_any_more(opened: Open) -> None:
    opened().add_suggestion(suggestion(1), "a", 60.0)
    opened().lease(1, ["f", "c"], "a", 60.0, None)
    opened().add_suggestion(suggestion(2), "a", 60.0)
    assert opened().leases().keys() == {(1, ALL), (1, "f"), (1, "c"), (2, ALL)}
    opened().add_observations([taut.Observation("f", dict(POINT), 1.0, 1), taut.Observation("c", dict(POINT), 1.0)])
    assert opened().leases().keys() == {(1, ALL), (1, "c"), (2, ALL)}
    opened().add_observations([taut.Observation("c", dict(POINT), None, 1)])
    assert opened().leases() == {(2, ALL): Lease("a", True)}


def test_a_run_has_its_suggestion_with_the_same_stroke(opened: Open) -> None:
    opened().add_suggestion(suggestion(1))
    opened().add_suggestion(suggestion(2), "a", 60.0)
    assert opened().leases() == {(2, ALL): Lease("a", True)}
    with pytest.raises(ConflictError):
        opened().add_suggestion(suggestion(2), "b", 60.0)
    assert opened().leases() == {(2, ALL): Lease("a", True)}
    assert opened().lease(2, ["f"], "b", 60.0, 1) == ("f",)  # it takes no slot, and others may help
    opened().renew("a", 0.0)
    assert opened().leases()[2, ALL] == Lease("a", False)


def test_slots_are_shared_by_all(opened: Open) -> None:
    def lease(number: int, functions: list[str], owner: str, most: int) -> tuple[str, ...]:
        return opened().lease(number, functions, owner, 60.0, most)

    assert lease(1, ["f", "g"], "a", 2) == ("f", "g")
    assert lease(2, ["f"], "b", 2) == ("f",)
    assert lease(3, ["g"], "b", 1) == ()
    assert lease(3, ["f", "g"], "a", 2) == ()
    assert lease(3, ["c"], "a", 1) == ("c",)
    opened().add_observations([taut.Observation("f", dict(POINT), 1.0, 2)])
    assert lease(3, ["f"], "b", 2) == ("f",)


def test_of_several_owners_one_wins(opened: Open) -> None:
    opened().create({}, {})
    barrier, won = threading.Barrier(4), []

    def take(owner: int) -> None:
        storage = opened()
        barrier.wait()
        for number in range(1, 21):
            won.extend((number, name) for name in storage.lease(number, ["f", "c"], str(owner), 60.0, None))

    in_threads(4, take)
    assert sorted(won) == sorted(itertools.product(range(1, 21), ("f", "c")))
    assert {key for key, lease in opened().leases().items() if lease.living} == set(won)


def test_what_is_no_storage() -> None:
    for wrong in (3, MemoryStorage, object()):
        with pytest.raises(taut.StorageError, match="storage must be None"):
            open_storage(wrong)  # type: ignore[arg-type]
