"""The loop: what it does when storages, executors and programs fail."""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
import toy

import taut
from taut.base.errors import StoppedError, StorageError
from taut.storage.memory import MemoryStorage
from taut.study import loop
from taut.study.programs import Outcome, PythonProgram, Task
from taut.study.worker import Job, Plan, RunListener

PAUSES = (0.01, 0.02, 0.03)
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


class Noted(RunListener):
    def __init__(self) -> None:
        self.messages: list[str] = []
        self.ends: list[tuple[int, str]] = []
        self.stored: list[bool] = []

    def troubled(self, message: str) -> None:
        self.messages.append(message)

    def ended(self, job: Job, outcome: Outcome) -> None:
        self.ends.append((job.suggestion.number, job.program.name))
        self.stored.append(outcome.stored)


@pytest.mark.parametrize("executor", [None, 2])
def test_a_storage_may_be_away_for_a_while(executor: int | None) -> None:
    storage, listener = Fickle(fails=3), Noted()
    study = toy.study(storage=storage)
    storage.on = True
    pool = ThreadPoolExecutor(executor) if executor else None
    assert study.work(PROGRAMS, 4, pool, executor or 1, Plan(listener, pauses=PAUSES))
    if pool:
        pool.shutdown()
    assert len(listener.messages) == 3 and listener.messages[0].endswith("Trying again in 0.01 s.")
    assert len(study.observations) == len(set(listener.ends)) == len(listener.ends)
    assert all(listener.stored)
    assert study.spent == 4.0


def test_what_a_storage_cannot_take_in_the_end_is_named() -> None:
    storage, listener = Fickle(fails=1000), Noted()
    study = toy.study(initial=1, storage=storage)
    storage.on = True
    barrier = threading.Barrier(3)

    def together(point: dict[str, float]) -> float:
        barrier.wait(10)
        return 1.5

    programs = [PythonProgram(name, (name,), together, False) for name in "fcg"]
    with ThreadPoolExecutor(3) as pool, pytest.raises(StorageError) as caught:
        study.work(programs, 4, pool, 3, Plan(listener, pauses=PAUSES))
    assert listener.stored == [False] * 3  # nobody is told that they were
    for name in "fcg":
        assert f"Suggestion 1: {name}=1.5 could not be stored" in str(caught.value)
    assert study.observations == () and len(study.suggestions) == 1
    storage.fails = 0
    assert study.run(toy.FUNCTIONS, budget=4)  # and goes on


def test_a_storage_that_never_worked_is_not_waited_for() -> None:
    class Closed(MemoryStorage):
        def renew(self, owner: str, seconds: float) -> None:
            raise StorageError("Storage 'x': read-only.")

    listener = Noted()
    with pytest.raises(StorageError, match="read-only"):
        toy.study(storage=Closed()).work(PROGRAMS, 4, plan=Plan(listener, pauses=PAUSES))
    assert listener.messages == []


def test_a_storage_that_fails_at_the_first_step_is_waited_for() -> None:
    class Away(MemoryStorage):
        fails = 2

        def lease(self, *words):  # type: ignore[no-untyped-def]
            if self.fails:
                self.fails -= 1
                raise StorageError("Storage 'x': away.")
            return super().lease(*words)

    listener = Noted()
    assert toy.study(initial=1, storage=Away()).work(PROGRAMS, 4, plan=Plan(listener, pauses=PAUSES))
    assert len(listener.messages) == 2


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

    class Counting(RunListener):
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
        study.work(programs, 4, pool, 4, Plan(Counting(), failures=2))
    assert "f" in {row.function for row in study.observations}
    assert len(turns) < 60


# --- failures in a row


def test_ten_failures_in_a_row_stop_the_run() -> None:
    calls = []

    def f(point: dict[str, float]) -> float:
        calls.append(point)
        raise RuntimeError("licence expired")

    study = toy.study(initial=12)
    with pytest.raises(
        taut.StudyError, match=r"'f'.*10 failed evaluations in a row.*RuntimeError: licence expired.*run again"
    ):
        study.run(toy.FUNCTIONS | {"f": f}, budget=100)  # although c and g succeed in between
    assert len(calls) == study.counts["f"] == 10
    study.run(toy.FUNCTIONS, budget=100)  # and it can go on
    assert study.spent > 90.0


def test_what_a_failure_says_is_printable(caplog: pytest.LogCaptureFixture) -> None:
    def f(point: dict[str, float]) -> float:
        raise RuntimeError("\x1b]0;OWNED\x07")

    study = toy.study(initial=2)
    with pytest.raises(taut.StudyError) as caught:
        study.work([PythonProgram("f", ("f",), f, False), *PROGRAMS[1:]], 4, plan=Plan(failures=2))
    assert "\\x1b]0;OWNED" in str(caught.value) and "\\x1b]0;OWNED" in caplog.text
    assert "\x1b" not in str(caught.value) + caplog.text
    assert study.observations[0].note == "RuntimeError: \x1b]0;OWNED\x07"  # kept as it is


def test_failures_of_a_group_are_counted_by_group() -> None:
    def broken(point: dict[str, float]) -> dict[str, float]:
        raise RuntimeError("no mesh")

    study = toy.study(initial=12, groups=True)
    with pytest.raises(taut.StudyError, match="'fg': stopped after 10 failed evaluations.*no mesh"):
        study.run({"fg": broken, "c": toy.FUNCTIONS["c"]}, budget=9)
    assert study.counts == {"f": 10, "g": 10, "c": 9}


def test_failures_of_different_functions_are_not_added_up() -> None:
    def broken(point: dict[str, float]) -> float:
        raise RuntimeError("no")

    study = toy.study(initial=0)
    study.add({"x1": 1.0, "x2": 1.0}, {"f": 1.0})  # else all of them have failed from the beginning
    study.run(dict.fromkeys("fcg", broken), budget=20)
    assert len(study.observations) > 10


# --- everything fails


def broken(point: dict[str, float]) -> float:
    raise RuntimeError("no licence")


def test_a_first_point_at_which_all_fail_stops_the_run() -> None:
    study = toy.study(initial=4)
    words = r"Suggestion 1: .*every function has failed.*'f': RuntimeError: no licence; 'c': .*study.retry.*run again"
    with pytest.raises(StoppedError, match=words):
        study.run(dict.fromkeys("fcg", broken), budget=20)
    assert study.counts == dict.fromkeys("fcg", 1)
    with pytest.raises(StoppedError, match="Suggestion 2"):  # corrected in vain
        study.run(dict.fromkeys("fcg", broken), budget=20)
    assert len(study.retry()) == 6
    study.run(toy.FUNCTIONS, budget=20)
    assert study.spent > 15.0 and all(row.value is not None for row in study.history.answers.values())


def test_what_has_a_formula_is_no_reason_to_go_on() -> None:
    known = taut.Constraint("k", at_most=0.9, formula="x")
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.0), known])
    study = taut.Study(problem, initial=3)
    with pytest.raises(StoppedError, match="Suggestion 1: .*every function has failed"):
        study.run(dict.fromkeys("fc", broken), budget=20)
    assert study.counts == {"f": 1, "c": 1, "k": 0}


def test_what_is_known_does_not_hide_that_everything_else_fails() -> None:
    """A formula never fails, and a broken program would be paid for until the budget is gone."""
    known = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("mass", goal="minimize", formula="x"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("g", at_most=0.0)],
    )
    study = taut.Study(known, method="cei+", initial=3)
    with pytest.raises(
        StoppedError, match=r"every function has failed.*'c': RuntimeError: no licence; 'g': .*study.retry"
    ):
        study.run(dict.fromkeys("cg", broken), budget=50)
    assert study.counts == {"mass": 0, "c": 1, "g": 1}


def test_one_value_anywhere_is_reason_to_go_on() -> None:
    only_f = toy.study(initial=3)
    only_f.run(dict.fromkeys("cg", broken) | {"f": toy.FUNCTIONS["f"]}, budget=4)
    assert only_f.counts["f"] >= 3
    added = toy.study(initial=3)
    added.add({"x1": 1.0, "x2": 1.0}, {"c": 1.0})
    added.run(dict.fromkeys("fcg", broken), budget=4)
    assert added.counts["f"] >= 3


def test_functions_asked_for_one_by_one_all_get_their_chance() -> None:
    study = toy.study(initial=2, initial_design="independent")
    with pytest.raises(StoppedError, match="Suggestion 3: .*'f': .*'c': .*'g': "):
        study.run(dict.fromkeys("fcg", broken), budget=20)
    assert study.counts == dict.fromkeys("fcg", 1)


def test_what_is_under_way_decides() -> None:
    """No more is started, and a value that still comes in is reason to go on."""
    both, release = threading.Event(), threading.Event()
    calls: list[int] = []

    def f(point: dict[str, float]) -> float:
        calls.append(1)
        if len(calls) == 1:
            assert both.wait(10)
            raise RuntimeError("no licence")
        both.set()
        assert release.wait(10)
        return 1.0

    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    study = taut.Study(problem, method="random", initial=3)
    seen: list[int] = []

    class Releasing(RunListener):
        seconds = 0.05

        def stop(self) -> bool:
            if study.history.answers:
                seen.append(len(calls))
            if len(seen) > 8:
                release.set()
            return False

    with ThreadPoolExecutor(2) as pool:
        assert study.work([PythonProgram("f", ("f",), f, False)], 2, pool, 2, Plan(Releasing()))
    assert seen[8] == 2  # nothing was started while it was not clear
    assert study.counts == {"f": 5}


def test_nine_failures_in_a_row_do_not() -> None:
    count = iter(range(1000))

    def sometimes(point: dict[str, float]) -> float:
        if next(count) % 10:
            raise RuntimeError("no")
        return 1.0

    study = toy.study(initial=0)
    study.run(toy.FUNCTIONS | {"f": sometimes}, budget=60)
    assert study.spent > 55.0 and study.counts["f"] > 10


# --- executors


def test_an_executor_keeps_its_workers_busy() -> None:
    gauge = toy.Gauge(0.01)
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=4)
    with ThreadPoolExecutor(3) as pool:
        study.run({"f": gauge}, budget=12, executor=pool)
    assert gauge.most == 3
    assert study.counts == {"f": 16} and study.spent == 12.0
    for suggestion in study.suggestions:
        assert study.replay(suggestion.number) == suggestion


def test_a_slow_evaluation_does_not_hold_up_the_others() -> None:
    release, lock = threading.Event(), threading.Lock()
    done: list[int] = []
    calls: list[float] = []

    def f(point: dict[str, float]) -> float:
        with lock:
            calls.append(point["x"])
            first = len(calls) == 1
        if first:
            assert release.wait(10)
        return point["x"]

    def callback(study: taut.Study, suggestion: taut.Suggestion) -> None:
        done.append(suggestion.number)
        if len(done) == 5:
            release.set()

    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=0)
    with ThreadPoolExecutor(2) as pool:
        study.run({"f": f}, budget=8, executor=pool, callback=callback)
    assert sorted(done) == list(range(1, 9))
    stuck = next(each.number for each in study.suggestions if each.point["x"] == calls[0])
    assert done.index(stuck) >= 5  # five others came and went in the meantime


def test_workers_limit_the_suggestions_in_flight() -> None:
    policy = toy.ToyPolicy()
    study = toy.study(initial=0, method=policy)
    with ThreadPoolExecutor(3) as pool:
        study.run(toy.FUNCTIONS, budget=9, executor=pool, workers=1)
    assert all(sum(len(p) for p in request.dataset.pending) == 0 for request in policy.requests)


def test_a_process_pool() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", goal="minimize"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=2)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        study.run({"f": toy.square}, budget=2, executor=pool)
        assert [row.value for row in study.observations] == [row.point["x"] ** 2 for row in study.observations]
        with pytest.raises(taut.StudyError, match="'f': the executor could not run it"):
            study.run({"f": lambda point: 1.0}, budget=4, executor=pool)
    assert study.counts == {"f": 4} and len(study.suggestions) == 5  # nothing was recorded as failed


def test_a_closed_executor() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    study = toy.study()
    with pytest.raises(taut.StudyError, match="the executor could not run it"):
        study.run(toy.FUNCTIONS, budget=4, executor=pool)
    assert study.observations == ()
    study.run(toy.FUNCTIONS, budget=4)
    assert study.counts["g"] >= 2


@pytest.mark.parametrize(
    ("submit", "words"), [(lambda *args: 3, "returned 3"), (lambda call: None, "takes 1 positional argument")]
)
def test_an_executor_of_another_kind(submit: Callable[..., object], words: str) -> None:
    class Other:
        pass

    other, study = Other(), toy.study()
    other.submit = submit  # type: ignore[attr-defined]
    with pytest.raises(taut.StudyError, match=f"the executor could not run it .*{words}"):
        study.run(toy.FUNCTIONS, budget=4, executor=other)  # type: ignore[arg-type]
    assert study.observations == ()


class Late:
    """A worker for whom the last value of another run comes in just after a look that found nothing to start."""

    def __init__(self) -> None:
        self.looks, self.deferred = 0, False

    def next_job(self, running: int, workers: int) -> None:
        self.looks += 1
        self.deferred = self.looks == 1

    def waits(self) -> dict[tuple[int, str], object]:
        return {}


def test_what_came_in_between_two_looks_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ended, with money left, if the others were killed right after that value."""
    monkeypatch.setattr(loop, "POLL_SECONDS", 0.0)
    worker = Late()
    assert loop.drive(worker, None, 1, Plan())  # type: ignore[arg-type]
    assert worker.looks == 2
