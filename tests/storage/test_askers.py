"""Several processes and machines at one study.

TAUT_PAIRS=125 makes the stress test one of 1,000 pairs.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import toy

import taut
from taut.storage import leases, open_storage

TESTS = Path(__file__).parent.parent
PROCESSES, PAIRS = 8, int(os.environ.get("TAUT_PAIRS", "25"))
KINDS = ["sqlite", "postgresql"]


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, new_place: Callable[[str], str]) -> str:
    return new_place(request.param)


def script(*arguments: object) -> list[str]:
    return [sys.executable, "-W", "error", *map(str, arguments)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the stress test forks")
def test_many_askers_and_tellers(place: str) -> None:
    run = subprocess.run(
        script(TESTS / "askers.py", place, PROCESSES, PAIRS), capture_output=True, text=True, timeout=1200
    )
    assert (run.returncode, run.stderr) == (0, "")
    study = taut.Study.open(place, toy.ToyPolicy())
    suggestions, observations = study.suggestions, study.observations
    assert [row.number for row in suggestions] == list(range(1, PROCESSES * PAIRS + 2))
    assert len(observations) == sum(len(row.functions) for row in suggestions)
    assert [study.replay(row.number) for row in suggestions] == list(suggestions)
    assert study.spent == pytest.approx(sum(row.cost for row in suggestions if not row.initial))


def test_the_same_suggestions_in_another_process(place: str) -> None:
    straight = toy.study(seed=5)
    toy.play(straight, 12)
    toy.play(toy.study(seed=5, storage=place), 7)
    code = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r}); import taut, toy\n"
        f"study = taut.Study.open({place!r}, toy.ToyPolicy())\n"
        "assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)\n"
        "toy.play(study, 5)"
    )
    run = subprocess.run(script("-c", code), capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    reopened = toy.study(seed=5, storage=place)
    assert (reopened.suggestions, reopened.observations) == (straight.suggestions, straight.observations)
    assert reopened.ask() == straight.ask()


def test_of_different_values_told_at_once_one_is_kept(place: str) -> None:
    asked = toy.study(initial=1, storage=place).ask()
    barrier, refused = threading.Barrier(4), []

    def tell(teller: int) -> None:
        study = toy.study(initial=1, storage=place)
        barrier.wait()
        try:
            study.tell(asked, {"f": float(teller), "c": 1.0, "g": 1.0})
        except taut.ValueRefusedError as error:
            assert "'f' already has the value" in str(error)
            refused.append(teller)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tell, range(4)))
    values = {row.function: row.value for row in toy.study(initial=1, storage=place).observations}
    assert len(refused) == 3
    assert values == {"f": ({0.0, 1.0, 2.0, 3.0} - set(refused)).pop(), "c": 1.0, "g": 1.0}


def test_the_same_value_told_at_once_is_harmless(place: str) -> None:
    asked = toy.study(initial=1, storage=place).ask()
    barrier = threading.Barrier(4)

    def tell(_: int) -> None:
        study = toy.study(initial=1, storage=place)
        barrier.wait()
        study.tell(asked, {"f": 1.5, "c": None})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tell, range(4)))
    assert [(row.function, row.value) for row in toy.study(initial=1, storage=place).observations] == [
        ("f", 1.5),
        ("c", None),
    ]


class Interrupted(toy.ToyPolicy):
    """While it thinks for the first time, something else happens."""

    def __init__(self, what: Callable[[], object]) -> None:
        super().__init__()
        self._what: Callable[[], object] | None = what

    def suggest(self, request, rng):  # type: ignore[no-untyped-def]
        proposal = super().suggest(request, rng)
        if self._what is not None:
            self._what, what = None, self._what
            what()
        return proposal


Interrupted.__name__ = "ToyPolicy"  # the same method as far as the storage knows


def test_who_loses_the_race_knows_of_the_winner(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped process is overtaken: its lease runs out, and its number is taken when it goes on."""
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.2)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 60.0)
    winner = toy.study(initial=0, storage=place)
    policy = Interrupted(winner.ask)
    loser = toy.study(initial=0, storage=place, method=policy)
    suggestion = loser.ask()
    assert suggestion.number == 2
    assert [sum(map(len, request.dataset.pending)) for request in policy.requests] == [0, 1]
    assert [loser.replay(row.number) for row in loser.suggestions] == list(loser.suggestions)


def test_a_slow_asker_is_waited_for(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.4)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    other, threads = toy.study(initial=0, storage=place), []

    def think() -> None:
        threads.append(threading.Thread(target=other.ask))
        threads[0].start()
        time.sleep(1.0)
        assert threads[0].is_alive()

    slow = toy.study(initial=0, storage=place, method=Interrupted(think))
    assert slow.ask().number == 1
    threads[0].join()
    assert other.suggestions[1].note == "turn 1, 1 pending"


def test_a_dead_asker_is_not_waited_for_long(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 1.0)
    study = toy.study(initial=1, storage=place)
    code = (
        "import sys, time; from taut.storage import leases, open_storage\n"
        "leases.LEASE_SECONDS = 1.0\n"
        f"with open_storage({place!r}).asking():\n    print('in', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(script("-c", code), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        process.send_signal(signal.SIGKILL)
    start = time.monotonic()
    assert study.ask().number == 1
    assert time.monotonic() - start < 10.0


def test_a_clock_that_was_put_back_does_not_lock_anybody_out(place: str) -> None:
    storage = open_storage(place)
    storage.create({}, {})
    far = storage._database.backend.now() + 1e6  # type: ignore[attr-defined]
    storage._database.write(  # type: ignore[attr-defined]
        lambda connection: connection.execute(leases.lease.update().values(holder="gone", until=far))
    )
    start = time.monotonic()
    with storage.asking():
        pass
    assert time.monotonic() - start < 5.0


def test_two_runs_share_a_budget(place: str) -> None:
    toy.study(storage=place)

    def run(_: int) -> None:
        taut.Study.open(place, toy.ToyPolicy()).run(toy.FUNCTIONS, budget=30)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))
    study = taut.Study.open(place, toy.ToyPolicy())
    assert 29.5 < study.spent <= 30
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
