"""Who works on what, and what becomes of it if that one dies."""

import math
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import toy

import taut
from taut.base.errors import StorageError
from taut.storage import leases, open_storage
from taut.storage.base import Lease, Storage
from taut.storage.leases import NEXT, Owner, asking
from taut.storage.memory import MemoryStorage
from taut.storage.sharing import free

# --- what is free

NEXT_WORK = (NEXT[0], [NEXT[1]])


def test_what_is_free() -> None:
    found = {(1, "f"): Lease("a", True), (1, "c"): Lease("b", False), (2, "f"): Lease("a", True)}
    assert free(1, ["f", "c", "g"], "me", found, set(), None) == ("c", "g")
    assert free(1, ["f", "c", "g"], "a", found, set(), None) == ("f", "c", "g")  # its own is free for it
    assert free(1, ["c", "g"], "me", found, {(1, "g")}, None) == ("c",)
    assert free(3, ["f"], "me", found, set(), 2) == ()
    assert free(3, ["f"], "me", found, {(2, "f")}, 2) == ("f",)  # what is answered takes no slot
    assert free(2, ["f", "g"], "me", found, set(), 2) == ("g",)  # nor does the suggestion itself


# --- owners


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease of a minute is renewed every 0.05 s: none runs out while a test is slow."""
    monkeypatch.setattr(leases, "_RENEWALS", 1200)


def renewed(storage: Storage, key: tuple[int, str]) -> bool:
    """Does a lease come to have more time left than it had? That takes a renewal; 20 seconds are waited for one."""
    deadline, least = time.monotonic() + 20.0, math.inf
    while time.monotonic() < deadline:
        left = storage.leases()[key].left
        assert left is not None
        if left > least:
            return True
        least = left
        time.sleep(0.01)
    return False


@pytest.mark.usefixtures("often")
def test_an_owner_renews_its_leases_and_gives_them_back() -> None:
    storage = MemoryStorage()
    with Owner(storage, 60.0) as owner:
        assert owner.lease(1, ["f"]) == ("f",)
        assert owner.lease(2, ["f"], most=1) == ()
        assert renewed(storage, (1, "f"))
        assert storage.leases()[1, "f"].living
        with Owner(storage, 60.0) as other:
            assert other.lease(1, ["f", "c"]) == ("c",)
    assert [lease.living for lease in storage.leases().values()] == [False, False]


@pytest.mark.usefixtures("often")
def test_renewals_bear_with_a_storage_that_fails() -> None:
    class Fickle(MemoryStorage):
        fails = 1

        def renew(self, owner: str, seconds: float) -> None:
            if self.fails:
                self.fails -= 1
                raise StorageError("away")
            super().renew(owner, seconds)

    storage = Fickle()
    with Owner(storage, 60.0) as owner:
        owner.lease(1, ["f"])
        assert renewed(storage, (1, "f")) and not storage.fails


def test_a_lease_that_could_not_be_given_back_is_given_back_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process lives on, so that nobody else takes it for dead."""
    monkeypatch.setattr(leases, "pause", lambda seconds, longest: time.sleep(0.05) or seconds)

    class Full(MemoryStorage):
        fails = 3

        def renew(self, owner: str, seconds: float) -> None:
            if self.fails:
                self.fails -= 1
                raise StorageError("the disk is full")
            super().renew(owner, seconds)

    storage = Full()
    with Owner(storage, 3600.0) as owner:
        assert owner.lease(1, ["f"]) == ("f",)
    assert storage.leases()[1, "f"].living
    deadline = time.monotonic() + 10
    while storage.leases()[1, "f"].living:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_asker_does_not_wait_for_itself(place: str) -> None:
    """Its last lease could not be given back: the disk was full."""
    storage = open_storage(place)
    with storage.turn as me:
        assert storage.lease(*NEXT_WORK, me, 3600.0, None) == ("",)
    start = time.monotonic()
    with asking(storage):
        pass
    assert time.monotonic() - start < 5.0


def test_a_lease_that_cannot_be_given_back_runs_out() -> None:
    class Stuck(MemoryStorage):
        def renew(self, owner: str, seconds: float) -> None:
            raise StorageError("the disk is full")

    storage, start = Stuck(), time.monotonic()
    with Owner(storage, 0.5) as owner:
        assert owner.lease(*NEXT_WORK) == ("",)
    with Owner(storage, 20.0) as other:
        while not other.lease(*NEXT_WORK):
            time.sleep(0.01)
    assert 0.4 < time.monotonic() - start < 5.0


def test_in_memory_one_thread_asks_at_a_time_and_needs_no_lease() -> None:
    storage, order = MemoryStorage(), []
    inside, go_on = threading.Event(), threading.Event()

    def first() -> None:
        with asking(storage):
            inside.set()
            assert go_on.wait(10)
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(10)
    threading.Timer(0.1, go_on.set).start()
    with asking(storage):
        order.append("second")
    thread.join(10)
    assert order == ["first", "second"] and storage.leases() == {}


def test_no_lease_is_longer_than_a_day() -> None:
    lengths = []

    class Noted(MemoryStorage):
        def lease(self, number, functions, owner, seconds, most):  # type: ignore[no-untyped-def]
            lengths.append(seconds)
            return super().lease(number, functions, owner, seconds, most)

    with Owner(Noted(), 1e9) as owner:
        owner.lease(1, ["f"])
    assert lengths == [leases.LONGEST_SECONDS] == [86400.0]


# --- the dead


def dead(place: str, work: str) -> None:
    """Run some work with a storage in a process that is then killed."""
    code = (
        "import time; from taut.storage import leases, owner, open_storage\n"
        f"storage, me = open_storage({place!r}), owner.new()\n{work}\nprint('in', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "in\n"
        process.send_signal(signal.SIGKILL)


def test_the_leases_of_a_killed_process_are_free_at_once(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    asked = study.ask()
    dead(place, "storage.lease(1, ['f', 'c', 'g'], me, 3600.0, None)")
    assert [lease.living for lease in study.leases().values()] == [False] * 3
    study.run(toy.FUNCTIONS, budget=1)
    assert {row.function for row in study.observations if row.suggestion == asked.number} == {"f", "c", "g"}


def test_a_killed_asker_is_replaced_at_once(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    dead(place, "entered = leases.asking(storage); entered.__enter__()")
    start = time.monotonic()
    assert study.ask().number == 1
    assert time.monotonic() - start < 5.0


def test_a_silent_asker_elsewhere_is_not_waited_for_long(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    number, function = NEXT
    assert open_storage(place).lease(number, [function], "elsewhere", 1.0, None) == (function,)
    start = time.monotonic()
    assert study.ask().number == 1
    assert 0.5 < time.monotonic() - start < 5.0
    assert study.leases() == {}  # says who evaluates, not who asks


@pytest.mark.usefixtures("often")
def test_a_slow_asker_is_waited_for(place: str) -> None:
    study, storage = toy.study(initial=1, storage=place), open_storage(place)
    waiting = threading.Thread(target=study.ask)
    with asking(storage, seconds=60.0):
        waiting.start()
        time.sleep(0.5)
        assert renewed(storage, NEXT)
        assert waiting.is_alive() and study.suggestions == ()
    waiting.join(20)
    assert len(study.suggestions) == 1


@pytest.mark.parametrize(("waited", "first"), [(0.0, 0.02), (1.0, 0.25), (60.0, 0.5)])
def test_who_waited_long_looks_less_often(
    path: Path, waited: float, first: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.study(storage=path)
    one, another = open_storage(path), open_storage(path)
    another.turn.waited = waited
    pauses: list[float] = []

    def pause(seconds: float, longest: float) -> float:
        pauses.append(seconds)
        one.renew("one", 0.0)
        return longest

    monkeypatch.setattr(leases, "pause", pause)
    one.lease(*NEXT_WORK, "one", 60.0, None)
    with asking(another):
        assert pauses == [first] and 0.0 < another.turn.waited < 10.0


class Interrupted(toy.ToyPolicy):
    """While it thinks for the first time, its lease ends, as that of a stopped process, and others go on."""

    def __init__(self, place: str, others: taut.Study) -> None:
        super().__init__()
        self._storage, self._others = open_storage(place), others

    def suggest(self, request, rng):  # type: ignore[no-untyped-def]
        proposal = super().suggest(request, rng)
        if len(self.requests) == 1:
            self._storage.renew(self._storage.leases()[NEXT].owner, 0.0)
            self._others.ask()
        return proposal


Interrupted.__name__ = "ToyPolicy"  # the same method as far as the storage knows


def test_who_loses_the_race_knows_of_the_winner(place: str) -> None:
    policy = Interrupted(place, toy.study(initial=0, storage=place))
    loser = toy.study(initial=0, storage=place, method=policy)
    assert loser.ask().number == 2
    assert [sum(map(len, request.dataset.pending)) for request in policy.requests] == [0, 1]
    assert [loser.replay(row.number) for row in loser.suggestions] == list(loser.suggestions)
