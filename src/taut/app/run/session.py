"""Runs the study of a file with its programs, within its budget."""

import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from taut.app.look import answer, status
from taut.app.run import pools, processes
from taut.app.run.commands import Command
from taut.app.studyfile.file import ProgramEntry, StudyFile, argv, open_study, require_runnable
from taut.base.errors import StoppedError, StorageError, StudyError, StudyFileError
from taut.storage.owner import new as new_owner
from taut.study.loop import Job, RunListener
from taut.study.programs import Outcome
from taut.study.study import Study
from taut.study.worker import Plan

END_AT = 2
"""So many interrupts end the running programs; one more leaves at once."""


@dataclass(frozen=True, slots=True)
class Running:
    """One evaluation under way."""

    job: Job
    since: float
    """time.monotonic()"""


@dataclass
class Monitor(RunListener):
    """What a run is doing; views draw it. Also knows when the user wants it to stop."""

    file: StudyFile
    study: Study
    budget: float
    place: pools.Place
    owner: str
    seconds: float | None = 0.5
    started_at: float = field(default_factory=time.monotonic)
    running: dict[tuple[int, str], Running] = field(default_factory=dict)
    busy_seconds: float = 0.0
    busy_cost: float = 0.0
    evaluations: int = 0
    """Those that ended in this run."""
    interrupts: int = 0
    _ended: bool = False

    def started(self, job: Job) -> None:
        self.running[_key(job)] = Running(job, time.monotonic())

    def ended(self, job: Job, outcome: Outcome) -> None:
        one = self.running.pop(_key(job))
        if not outcome.interrupted:
            self.evaluations += 1
            self.busy_seconds += time.monotonic() - one.since
            self.busy_cost += self.study.problem.cost(job.functions)

    def stop(self) -> bool:
        if self.interrupts >= END_AT and not self._ended:
            self._ended = True
            self.place.end(self.owner)
        return self.interrupts > 0

    def state(self) -> status.Overview:
        """The study as it is now, with what others did for it."""
        return status.overview(self.file, status.Rows(list(self.study.suggestions), list(self.study.observations)))

    def seconds_left(self, state: status.Overview) -> float | None:
        """By the time that a unit of cost took in this run; None before anything has ended."""
        if not self.busy_cost:
            return None
        everything = self.study.problem.cost(self.study.problem.functions)
        initial = max(0, state.initial_size - state.initial_done) * everything
        left = max(0.0, self.budget - state.spent) + initial
        return left * self.busy_seconds / self.busy_cost / self.place.workers

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """As a signal handler: the first one lets the programs finish, the second ends them."""
        self.interrupts += END_AT if number == signal.SIGTERM else 1
        if self.interrupts >= END_AT:
            processes.end_all(self.owner)  # at once, even in the middle of a decision
        if self.interrupts > END_AT and number == signal.SIGINT:
            raise KeyboardInterrupt


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended."""

    finished: bool
    reason: str
    seconds: float
    state: status.Overview
    answer: answer.Best | None
    """None if there is no value yet."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        counts = {row.function: {"told": row.told, "failed": row.failed} for row in self.state.counts}
        return {
            "study": self.state.name,
            "finished": self.finished,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "spent": self.state.spent,
            "budget": self.state.budget,
            "evaluations": counts,
            "pending": [{"suggestion": row.suggestion, "functions": list(row.functions)} for row in self.state.open],
            "best": None if self.answer is None else self.answer.to_dict(),
        }


@contextmanager
def prepare(
    file: StudyFile, environment: Mapping[str, str], workers: int | None = None, dask: str | None = None
) -> Iterator[tuple[Monitor, tuple[Command, ...]]]:
    """Everything a run needs, checked before anything is started. environment: for programs on this machine."""
    if os.name != "posix":
        raise StudyError(
            f"{str(file.path)!r}: taut run needs Linux or macOS to start and end programs, got {os.name!r}; use WSL, "
            "or work by hand with taut ask and taut tell."
        )
    budget = require_runnable(file)
    owner = new_owner()
    programs = tuple(_command(file, entry, owner, None if dask else environment) for entry in file.programs)
    study = open_study(file)
    if dask:
        place = pools.dask(dask, workers)
    else:
        place = pools.here(workers or file.run.workers)
    with place as opened:
        yield Monitor(file, study, budget, opened, owner), programs


def run(monitor: Monitor, programs: tuple[Command, ...], watch: RunListener | None = None) -> Result:
    """Run to the end, or until something stops it; what stopped it is the reason in the result.

    watch: a view, to be told what happens in place of the monitor; it passes everything on.
    """
    file, study, place = monitor.file, monitor.study, monitor.place
    plan = Plan(watch or monitor, file.run.failures, file.run.lease, patient=True)
    finished, reason = False, "stopped by the user"
    try:
        with _signals(monitor):
            finished = study.work(programs, monitor.budget, place.executor, place.workers, plan)
    except (StoppedError, StorageError) as error:
        reason = str(error)
    if finished:
        reason = "the budget is used"
    with _quietly():
        os.rmdir(_runs(file))  # if nothing was to be kept
    try:
        return _result(monitor, finished, reason)
    except StorageError as error:
        raise StoppedError(str(error) if finished else reason) from error


def _result(monitor: Monitor, finished: bool, reason: str) -> Result:
    state = monitor.state()
    known = any(row.value is not None for row in monitor.study.observations)
    return Result(
        finished=finished,
        reason=reason,
        seconds=time.monotonic() - monitor.started_at,
        state=state,
        answer=answer.best(monitor.file) if known else None,
    )


def _command(file: StudyFile, entry: ProgramEntry, owner: str, environment: Mapping[str, str] | None) -> Command:
    words = argv(file, entry)
    if environment is not None:
        words[0] = _executable(file, entry, words[0], environment)
    return Command(
        name=entry.name,
        functions=entry.functions,
        argv=tuple(words),
        study=file.study.name,
        runs=_runs(file),
        keep=file.run.keep,
        timeout=entry.timeout,
        retries=entry.retries,
        slots=entry.slots,
        environment=None if environment is None else dict(environment),
        owner=owner,
    )


def _executable(file: StudyFile, entry: ProgramEntry, word: str, environment: Mapping[str, str]) -> str:
    found = shutil.which(word, path=environment.get("PATH", os.defpath))
    if found is None:
        where = "there" if "/" in word else "in the folders of PATH; write './...' for one beside the study file"
        raise StudyFileError(
            f"{str(file.path)!r}: {entry.table}: expected a command that can be started, got {entry.command[0]!r}, and "
            f"no such program is {where}. Install it, make it executable, or correct the command."
        )
    return os.path.abspath(found)


def _runs(file: StudyFile) -> str:
    return str(file.folder / f"{file.study.name}.runs")


def _key(job: Job) -> tuple[int, str]:
    return job.suggestion.number, job.program.name


@contextmanager
def _quietly() -> Iterator[None]:
    try:
        yield
    except OSError:
        pass


@contextmanager
def _signals(monitor: Monitor) -> Iterator[None]:
    """Interrupts go to the monitor."""
    before = {number: signal.signal(number, monitor.interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
