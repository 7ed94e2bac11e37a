"""Who is seen to have died, and what becomes of its evaluations."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import toy

import taut
from taut.storage import open_storage, owner
from taut.storage.base import Claim
from taut.study.loop import Watch
from taut.study.programs import PythonProgram
from taut.study.worker import Plan

KINDS = ["sqlite", "postgresql"]


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, new_place: Callable[[str], str]) -> str:
    return new_place(request.param)


# --- names of processes


def test_a_living_process_is_not_gone() -> None:
    assert not owner.gone(owner.new())
    assert owner.new() != owner.new()
    assert owner.shown(owner.new()) == f"process {os.getpid()} on {os.uname().nodename}"


def test_an_ended_process_is_gone() -> None:
    code = "from taut.storage import owner; print(owner.new())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert owner.gone(run.stdout.strip())


def test_a_process_that_took_over_the_number_is_another() -> None:
    parts = owner.new().split(" ")
    assert owner.gone(" ".join([*parts[:4], str(int(parts[4]) - 1)]))


def test_where_one_cannot_look_nobody_is_gone() -> None:
    host, process, name, world, start = owner.new().split(" ")
    for stranger in (
        f"{host} 999999999 {name} another-boot/pid:[1] {start}",  # another machine or container
        f"{host} 999999999 {name} - -",  # a system that does not tell
        f"{host} 999999999 {name}",  # as earlier versions wrote it
        f"{host} x {name} {world} {start}",
        "",
    ):
        assert not owner.gone(stranger)


# --- claims of the dead


def dead(place: str, work: str) -> None:
    """Run some work with a storage in a process that is then killed."""
    code = (
        "import time; from taut.storage import owner, open_storage\n"
        f"storage, me = open_storage({place!r}), owner.new()\n{work}\nprint('in', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "in\n"
        process.send_signal(signal.SIGKILL)


def test_the_claims_of_a_killed_process_are_free_at_once(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    asked = study.ask()
    dead(place, "storage.renew(me, 3600.0); storage.claim(1, ['f', 'c', 'g'], me)")
    assert [claim.living for claim in study.claimed().values()] == [False] * 3
    study.run(toy.FUNCTIONS, budget=1)
    assert {row.function for row in study.observations if row.suggestion == asked.number} == {"f", "c", "g"}


def test_a_killed_asker_is_replaced_at_once(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    dead(place, "entered = storage.asking(); entered.__enter__()")
    start = time.monotonic()
    assert study.ask().number == 1
    assert time.monotonic() - start < 5.0


def test_a_silent_worker_elsewhere_loses_its_claim_and_may_still_answer(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    asked, storage = study.ask(), open_storage(place)
    storage.renew("elsewhere", 1.0)
    assert storage.claim(1, ["f", "c", "g"], "elsewhere") == ("f", "c", "g")
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
        run = pool.submit(study.work, programs, 0.5, None, 1, Plan(lease=0.4))
        assert inside.wait(10)
        time.sleep(1.2)
        claims = open_storage(place).claimed()
        assert [claim.living for claim in claims.values()] == [True]
        go_on.set()
        run.result()
    assert not any(claim.living for claim in open_storage(place).claimed().values())  # released at the end


def test_a_clock_that_was_put_back_does_not_keep_a_claim_for_ever(place: str) -> None:
    storage = open_storage(place)
    storage.renew("a", 60.0)
    storage.claim(1, ["f"], "a")
    database = storage._database  # type: ignore[attr-defined]
    from taut.storage.schema import renewals

    far = database.backend.now() + 1e7
    database.write(lambda connection: connection.execute(renewals.insert().values(holder="a", until=far)))
    assert storage.claimed() == {(1, "f"): Claim("a", False)}


# --- several runs


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
    inside, most, lock = 0, 0, threading.Lock()

    def licensed(point: dict[str, float]) -> float:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.02)
        with lock:
            inside -= 1
        return point["x2"]

    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fc"]
    programs.append(PythonProgram("g", ("g",), licensed, False, slots=1))

    def run(_: int) -> bool:
        study = taut.Study.open(place, toy.ToyPolicy())
        with ThreadPoolExecutor(3) as pool:
            return study.work(programs, 12, pool, 3, Plan(patient=True))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, range(2))) == [True, True]
    assert most == 1
    study = taut.Study.open(place, toy.ToyPolicy())
    assert len(study.observations) == sum(len(row.functions) for row in study.suggestions)


def test_what_was_asked_for_by_hand_meanwhile_is_left_alone(place: str) -> None:
    study = toy.study(initial=0, storage=place)
    by_hand: list[taut.Suggestion] = []

    class Hand(Watch):
        def stop(self) -> bool:
            if not by_hand and study.suggestions:
                by_hand.append(toy.study(initial=0, storage=place).ask(budget=8.0))
            return False

    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]
    assert study.work(programs, 8, plan=Plan(watch=Hand(), patient=True))
    assert by_hand and all(row.suggestion != by_hand[0].number for row in study.observations)
    assert sum(row.cost for row in study.suggestions) <= 8.0
    study.run(toy.FUNCTIONS, budget=8)  # a new run takes what is pending when it begins
    assert any(row.suggestion == by_hand[0].number for row in study.observations)
