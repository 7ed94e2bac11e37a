"""What one of several runs takes on, and what becomes of it."""

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
from taut.base.errors import StorageError
from taut.storage import open_storage
from taut.storage.memory import MemoryStorage
from taut.study.programs import PythonProgram
from taut.study.worker import Plan, RunListener


def test_a_silent_worker_elsewhere_loses_its_lease_and_may_still_answer(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    asked, storage = study.ask(), open_storage(place)
    assert storage.lease(1, ["f", "c", "g"], "elsewhere", 1.0, None) == ("f", "c", "g")
    patient = Plan(patient=True)
    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]
    start = time.monotonic()
    study.work(programs, 0.5, plan=patient)
    assert time.monotonic() - start > 0.5  # it waited for the lease to end
    known = {row.function: row.value for row in study.observations if row.suggestion == 1}
    assert known == {name: toy.FUNCTIONS[name](asked.point) for name in "fcg"}
    study.tell(1, known)  # late, and the same: harmless
    with pytest.raises(taut.ValueRefusedError, match="already has the value"):
        study.tell(1, {"f": 123.0})


def test_a_late_result_counts_if_nobody_was_faster(place: str) -> None:
    """The loser of the race for the last word throws its own value away."""
    study = toy.study(initial=1, storage=place)
    study.ask()
    inside, go_on = threading.Event(), threading.Event()

    def slow(point: dict[str, float]) -> float:
        inside.set()
        assert go_on.wait(10)
        return 77.0

    functions = dict.fromkeys("fcg", slow)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(toy.study(initial=1, storage=place).run, functions, 0.5)
        assert inside.wait(10)
        taut.Study.open(place, toy.ToyPolicy()).tell(1, {"f": 1.0})
        go_on.set()
        run.result()
    assert {row.function: row.value for row in study.observations if row.suggestion == 1} == {
        "f": 1.0,
        "c": 77.0,
        "g": 77.0,
    }


def test_a_lease_is_renewed_while_its_run_lives(place: str) -> None:
    toy.study(initial=1, storage=place)
    inside, go_on = threading.Event(), threading.Event()

    def slow(task_point: dict[str, float]) -> float:
        inside.set()
        assert go_on.wait(10)
        return 1.0

    programs = [PythonProgram(name, (name,), slow, False) for name in "fcg"]
    study = toy.study(initial=1, storage=place)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(study.work, programs, 0.5, None, 1, Plan(lease=2.0))
        assert inside.wait(10)
        time.sleep(2.5)
        assert [lease.living for lease in study.leases().values()] == [True]
        go_on.set()
        run.result()
    assert not any(lease.living for lease in open_storage(place).leases().values())  # released at the end


def test_two_runs_never_evaluate_the_same(place: str) -> None:
    toy.study(initial=6, storage=place)
    calls: list[tuple[str, tuple[float, ...]]] = []

    def logged(name: str) -> Callable[[dict[str, float]], float]:
        def function(point: dict[str, float]) -> float:
            calls.append((name, tuple(point.values())))
            time.sleep(0.002)
            return toy.FUNCTIONS[name](point)

        return function

    def run(_: int) -> None:
        study = taut.Study.open(place, toy.ToyPolicy())
        with ThreadPoolExecutor(2) as pool:
            study.run({name: logged(name) for name in "fcg"}, budget=15, executor=pool)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))
    study = taut.Study.open(place, toy.ToyPolicy())
    assert len(calls) == len(set(calls)) == len(study.observations)
    assert study.spent == sum(row.cost for row in study.suggestions if not row.initial) <= 15.0
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


def test_slots_hold_across_runs(place: str) -> None:
    toy.study(initial=4, storage=place)
    licensed = toy.Gauge(0.02)
    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fc"]
    programs.append(PythonProgram("g", ("g",), licensed, False, slots=1))

    def run(_: int) -> bool:
        study = taut.Study.open(place, toy.ToyPolicy())
        with ThreadPoolExecutor(3) as pool:
            return study.work(programs, 12, pool, 3, Plan(patient=True))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, range(2))) == [True, True]
    assert licensed.most == 1
    study = taut.Study.open(place, toy.ToyPolicy())
    assert len(study.observations) == sum(len(row.functions) for row in study.suggestions)


def test_what_was_asked_for_by_hand_meanwhile_is_left_alone(place: str) -> None:
    study = toy.study(initial=0, storage=place)
    by_hand: list[taut.Suggestion] = []

    class Hand(RunListener):
        def stop(self) -> bool:
            if not by_hand and study.suggestions:
                by_hand.append(toy.study(initial=0, storage=place).ask(budget=8.0))
            return False

    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]
    assert study.work(programs, 8, plan=Plan(listener=Hand(), patient=True))
    assert by_hand and all(row.suggestion != by_hand[0].number for row in study.observations)
    assert sum(row.cost for row in study.suggestions) <= 8.0
    study.run(toy.FUNCTIONS, budget=8)  # a new run takes what is pending when it begins
    assert any(row.suggestion == by_hand[0].number for row in study.observations)


def test_two_runs_share_the_work() -> None:
    study = toy.study(initial=6)
    threads = [threading.Thread(target=study.run, args=(toy.FUNCTIONS, 10)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert study.spent == sum(row.cost for row in study.suggestions if not row.initial) == 10.0
    assert len(study.observations) == sum(len(each.functions) for each in study.suggestions)


def test_a_second_run_leaves_alone_what_the_first_is_evaluating() -> None:
    study = toy.study(initial=0)
    inside, go_on = threading.Event(), threading.Event()

    def slow(point: dict[str, float]) -> float:
        inside.set()
        assert go_on.wait(10)
        return 77.0

    first = threading.Thread(target=study.run, args=(dict.fromkeys("fcg", slow), 1))
    first.start()
    assert inside.wait(10)
    study.run(toy.FUNCTIONS, budget=8)
    assert 1 not in [row.suggestion for row in study.observations]
    assert study.spent == 8.0 - study.suggestions[0].cost
    go_on.set()
    first.join(10)
    assert [row.value for row in study.observations if row.suggestion == 1] == [77.0]


def test_pending_suggestions_are_evaluated_first() -> None:
    study = toy.study(initial=2)
    study.tell(study.ask(), {"f": 123.0})
    called = []

    def f(point: dict[str, float]) -> float:
        called.append(point)
        return 1.0

    study.run(toy.FUNCTIONS | {"f": f}, budget=0.5)
    assert study.observations[0].value == 123.0
    assert all(row.functions == ("f", "c", "g") for row in study.suggestions[:2])
    assert study.counts["c"] >= 2 and len(called) == 1  # the value told by hand was kept


def test_what_a_killed_run_had_asked_for_is_taken_over(place: str) -> None:
    """It dies with its suggestion stored and nothing of it begun; a run that was at work before takes it over."""
    toy.study(initial=0, storage=place)
    asked = threading.Event()

    class Late(RunListener):
        def started(self, job: object) -> None:
            if not asked.is_set():
                asked.set()
                run = subprocess.run([sys.executable, "-c", DYING, place, TESTS], capture_output=True, text=True)
                assert run.stdout.endswith("stored\n"), run.stderr

    study = taut.Study.open(place, toy.ToyPolicy())
    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]
    assert study.work(programs, 8, plan=Plan(listener=Late(), patient=True))
    assert len(study.observations) == sum(len(row.functions) for row in study.suggestions)
    assert study.spent == sum(row.cost for row in study.suggestions)


TESTS = str(Path(toy.__file__).parent)
DYING = """
import os, sys; sys.path.insert(0, sys.argv[2])
import taut, toy; from taut.storage.database import DatabaseStorage
add = DatabaseStorage.add_suggestion
def stored(self, *words):
    add(self, *words)
    print("stored", flush=True)
    os.kill(os.getpid(), 9)
DatabaseStorage.add_suggestion = stored
taut.Study.open(sys.argv[1], toy.ToyPolicy()).run(toy.FUNCTIONS, budget=8)
"""


class Unheard(MemoryStorage):
    """Does what it is told and says that it failed, each of some calls once."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.left = list(names)

    def _heard(self, name: str) -> None:
        if name in self.left:
            self.left.remove(name)
            raise StorageError(f"{name}: the answer was lost")

    def lease(self, *words):  # type: ignore[no-untyped-def]
        taken = super().lease(*words)
        self._heard("lease")
        return taken

    def add_suggestion(self, *words):  # type: ignore[no-untyped-def]
        super().add_suggestion(*words)
        self._heard("add_suggestion")

    def add_observations(self, *words):  # type: ignore[no-untyped-def]
        super().add_observations(*words)
        self._heard("add_observations")


@pytest.mark.parametrize("name", ["lease", "add_suggestion", "add_observations"])
def test_a_step_whose_answer_was_lost_is_neither_done_twice_nor_left_out(name: str) -> None:
    undisturbed, storage = toy.study(initial=2), Unheard()
    undisturbed.run(toy.FUNCTIONS, budget=8)
    study = toy.study(initial=2, storage=storage)
    begun: list[object] = []

    class Disturbing(RunListener):
        def started(self, job: object) -> None:
            storage.left = storage.left if begun else [name]
            begun.append(job)

    programs = [PythonProgram(each, (each,), toy.FUNCTIONS[each], False) for each in "fcg"]
    assert study.work(programs, 8, plan=Plan(listener=Disturbing(), patient=True, pauses=(0.0, 0.0)))
    assert not storage.left and len(begun) == len(study.observations)
    assert study.suggestions == undisturbed.suggestions and study.observations == undisturbed.observations


def test_whoever_is_waited_for_long_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.study.loop.SAY_SECONDS", 0.0)
    monkeypatch.setattr("taut.study.loop.POLL_SECONDS", 0.05)
    storage, said = MemoryStorage(), []
    study = toy.study(initial=1, storage=storage)
    study.ask()
    storage.lease(1, ["f"], "host 123 x", 0.5, None)

    class Heard(RunListener):
        def troubled(self, message: str) -> None:
            said.append(message)

    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]
    assert study.work(programs, 0.5, plan=Plan(patient=True, listener=Heard()))
    assert len(said) == 1 and "'f' of suggestion 1" in said[0] and "process 123 on host" in said[0]
    assert study.counts["f"] >= 1  # taken over in the end
