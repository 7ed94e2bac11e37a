"""The loop: what it does when storages, executors and programs fail."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
import toy

import taut
from taut.base.errors import StoppedError, StorageError
from taut.storage.memory import MemoryStorage
from taut.study import loop
from taut.study.loop import Job, Watch
from taut.study.programs import Outcome, PythonProgram, Task
from taut.study.worker import Plan

PROGRAMS = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]


class Fickle(MemoryStorage):
    """Cannot be written to for a while."""

    def __init__(self, fails: int) -> None:
        super().__init__()
        self.fails = fails
        self.on = False

    def add_observations(self, observations):  # type: ignore[no-untyped-def]
        if self.on and self.fails:
            self.fails -= 1
            raise StorageError("Storage 'x': the server is away.")
        super().add_observations(observations)


class Noted(Watch):
    def __init__(self) -> None:
        self.messages: list[str] = []
        self.ends: list[tuple[int, str]] = []

    def troubled(self, message: str) -> None:
        self.messages.append(message)

    def ended(self, job: Job, outcome: Outcome) -> None:
        self.ends.append((job.suggestion.number, job.program.name))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "PAUSES", (0.01, 0.02, 0.03))


@pytest.mark.parametrize("executor", [None, 2])
def test_a_storage_may_be_away_for_a_while(executor: int | None) -> None:
    storage, watch = Fickle(fails=3), Noted()
    study = toy.study(storage=storage)
    storage.on = True
    pool = ThreadPoolExecutor(executor) if executor else None
    assert study.work(PROGRAMS, 4, pool, executor or 1, Plan(watch=watch))
    if pool:
        pool.shutdown()
    assert len(watch.messages) == 3 and watch.messages[0].endswith("Trying again in 0.01 s.")
    assert len(study.observations) == len(set(watch.ends)) == len(watch.ends)
    assert study.spent == 4.0


def test_what_a_storage_cannot_take_in_the_end_is_named() -> None:
    storage = Fickle(fails=1000)
    study = toy.study(initial=1, storage=storage)
    storage.on = True
    barrier = threading.Barrier(3)

    def together(point: dict[str, float]) -> float:
        barrier.wait(10)
        return 1.5

    programs = [PythonProgram(name, (name,), together, False) for name in "fcg"]
    with ThreadPoolExecutor(3) as pool, pytest.raises(StorageError) as caught:
        study.work(programs, 4, pool, 3)
    for name in "fcg":
        assert f"Suggestion 1: {name}=1.5 could not be stored" in str(caught.value)
    assert study.observations == () and len(study.suggestions) == 1
    storage.fails = 0
    assert study.run(toy.FUNCTIONS, budget=4)  # and goes on


def test_a_storage_that_never_worked_is_not_waited_for() -> None:
    class Closed(MemoryStorage):
        def renew(self, holder: str, seconds: float) -> None:
            raise StorageError("Storage 'x': read-only.")

    watch = Noted()
    with pytest.raises(StorageError, match="read-only"):
        toy.study(storage=Closed()).work(PROGRAMS, 4, plan=Plan(watch=watch))
    assert watch.messages == []


def test_a_program_that_cannot_start_stops_the_run_after_the_others() -> None:
    started, release = threading.Event(), threading.Event()

    class Missing:
        name, functions, slots = "c", ("c",), None

        def evaluate(self, task: Task) -> Outcome:
            assert started.wait(10)
            threading.Timer(0.2, release.set).start()
            raise StoppedError("Function 'c': 'solver' could not be started.")

    def slow(point: dict[str, float]) -> float:
        started.set()
        assert release.wait(10)
        return 1.0

    study = toy.study(initial=1)
    programs = [PythonProgram("f", ("f",), slow, False), Missing(), PROGRAMS[2]]
    with ThreadPoolExecutor(2) as pool, pytest.raises(StoppedError, match="'solver' could not be started"):
        study.work(programs, 4, pool, 2)
    assert [row.function for row in study.observations] == ["f"]  # it was waited for


def test_an_executor_that_breaks_later() -> None:
    class Breaking(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            future: Future[Outcome] = Future()
            future.set_exception(RuntimeError("worker is gone"))
            return future

    with Breaking(1) as pool, pytest.raises(taut.StudyError, match="could not run it .RuntimeError: worker is gone"):
        toy.study().work(PROGRAMS, 4, pool)


def test_failures_in_a_row_stop_the_run_after_the_others() -> None:
    """And what is still under way is waited for without turning in circles."""
    release, turns = threading.Event(), []

    class Counting(Watch):
        seconds = 0.1

        def stop(self) -> bool:
            turns.append(1)
            return False

    def broken(point: dict[str, float]) -> float:
        raise ValueError("no mesh")

    def slow(point: dict[str, float]) -> float:
        assert release.wait(10)
        return 1.0

    threading.Timer(1.0, release.set).start()
    study = toy.study(initial=3)
    programs = [
        PythonProgram("f", ("f",), slow, False),
        PythonProgram("c", ("c",), broken, False, slots=1),
        PROGRAMS[2],
    ]
    with ThreadPoolExecutor(4) as pool, pytest.raises(StoppedError, match="'c': stopped after 2 failed"):
        study.work(programs, 4, pool, 4, Plan(watch=Counting(), failures=2))
    assert "f" in {row.function for row in study.observations}
    assert len(turns) < 60
