"""What a run is doing: how long it may still take, and when it is to stop."""

import time

import pytest
import toy

from taut.app.run.monitor import Monitor
from taut.app.studyfile.file import StudyOptions
from taut.study.programs import Outcome, PythonProgram
from taut.study.worker import Job

OPTIONS = StudyOptions("toy", 2, "memory", "ToyPolicy", budget=10.0)


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def monitor(workers: int = 1) -> Monitor:
    return Monitor("taut run", toy.study(initial=2), OPTIONS, 10.0, workers, started_at=time.monotonic())


def job(watched: Monitor) -> Job:
    return Job(watched.study.ask(), PythonProgram("all", ("f", "c", "g"), toy.square, True), ("f", "c", "g"))


def tell(watched: Monitor, done: Job) -> None:
    values = dict.fromkeys(done.functions, 1.0)
    watched.study.tell(done.suggestion, values)
    watched.ended(done, Outcome(dict(values)))


@pytest.mark.parametrize(("workers", "passed"), [(1, 11.0), (2, 10.0 * 11.0 / 19.0)])
def test_time_left(workers: int, passed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time, decisions take a second of eleven; of two workers, the second begins a second later."""
    clock, watched = Clock(monkeypatch), monitor(workers)
    assert watched.seconds_left(watched.state(watched.rows())) is None
    first = job(watched)
    clock.now = 1.0  # to decide
    watched.started(first)
    assert [since for _, since in watched.running.values()] == [1.0]
    if workers == 2:
        clock.now = 2.0
        watched.started(job(watched))
    clock.now = 11.0
    tell(watched, first)
    # Left: the budget of 10 and one of two initial points of 4.5, by what 4.5 took.
    assert watched.seconds_left(watched.state(watched.rows())) == pytest.approx(14.5 * passed / 4.5)
    assert watched.evaluations == 1 and len(watched.running) == workers - 1


def test_what_was_interrupted_is_not_counted() -> None:
    watched = monitor()
    first = job(watched)
    watched.started(first)
    watched.ended(first, Outcome(dict.fromkeys(first.functions), "ended on request", interrupted=True))
    assert watched.evaluations == 0 and watched.seconds_left(watched.state(watched.rows())) is None


def test_the_second_interrupt_ends_the_programs_once() -> None:
    watched, ends = monitor(), []
    watched.end = lambda: ends.append(1)
    assert not watched.stop()
    watched.interrupts = 1
    assert watched.stop() and ends == []
    watched.interrupts = 2
    assert watched.stop() and watched.stop() and ends == [1]
