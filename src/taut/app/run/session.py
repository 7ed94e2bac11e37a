"""Runs the study of a file with its programs, within its budget."""

import math
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from taut.app.look.answer import Answer, answer
from taut.app.look.status import Rows, Status
from taut.app.run import folders, pools, processes
from taut.app.run.commands import Command
from taut.app.run.monitor import END_AT, Monitor
from taut.app.run.points import SetupProgram
from taut.app.studyfile.file import ProgramEntry, StudyFile, argv, open_study, require_runnable
from taut.base.errors import StoppedError, StorageError, StudyError, StudyFileError
from taut.data.exhausted import ALL_KNOWN
from taut.storage.owner import new as new_owner
from taut.storage.sharing import AwayError
from taut.study.ending import needed
from taut.study.questions import stopped
from taut.study.worker import Plan, RunListener

PROBABLE = 0.5
"""A probability of feasibility from which on a budget is named that would have been enough for a verified answer."""
USED = "the budget is used"


@dataclass(frozen=True, slots=True)
class Session:
    """A run that is ready to begin."""

    file: StudyFile
    programs: tuple[Command, ...]
    pool: pools.Pool
    monitor: Monitor
    owner: str
    """Of the programs: see processes.end_all."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended."""

    finished: bool
    reason: str
    seconds: float
    state: Status
    answer: Answer | None
    """None if there is no value yet."""
    advice: str = ""
    """What a verified answer would take, if this one ended without."""

    def to_dict(self) -> dict[str, Any]:
        counts = {row.function: {"told": row.told, "failed": row.failed} for row in self.state.counts}
        return {
            "study": self.state.name,
            "finished": self.finished,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "spent": self.state.spent,
            "initial_cost": self.state.initial_cost,
            "budget": self.state.budget,
            "evaluations": counts,
            "pending": [{"suggestion": row.suggestion, "functions": list(row.functions)} for row in self.state.open],
            "advice": self.advice or None,
            "best": None if self.answer is None else self.answer.to_dict(),
        }


@contextmanager
def prepare(
    file: StudyFile, environment: Mapping[str, str], workers: int | None = None, dask: str | None = None
) -> Iterator[Session]:
    """Everything a run needs, checked before anything is started. environment: for programs on this machine."""
    require_posix(file)
    budget = require_runnable(file)
    owner = new_owner()
    programs = tuple(command(file, entry, owner, None if dask else environment) for entry in file.programs)
    study = open_study(file)
    study.require_writable()
    with pools.dask(dask, workers) if dask else pools.here(workers or file.run.workers) as pool:
        monitor = Monitor("taut run", study, file.study, budget, pool.workers, lambda: pool.end(owner))
        yield Session(file, programs, pool, monitor, owner)


def run(session: Session, watch: RunListener | None = None) -> Result:
    """Run to the end, or until something stops it; what stopped it is the reason in the result.

    watch: a view, to be told what happens in place of the monitor; it passes everything on.
    """
    file, pool, monitor = session.file, session.pool, session.monitor
    study = file.study
    plan = Plan(watch or monitor, file.run.failures, file.run.lease, patient=True, verify=study.verify, stop=study.stop)
    finished, reason = False, "stopped by the user"
    try:
        with _signals(session):
            finished = monitor.study.work(session.programs, monitor.budget, pool.executor, pool.workers, plan)
    except (StoppedError, StorageError) as error:
        reason = str(error)
    if finished:
        reason = ALL_KNOWN if monitor.study.finished else _end(monitor, study.stop) or USED
    for runs in {program.runs for program in session.programs}:
        folders.tidy(runs)
    try:
        return _patiently(lambda: _result(monitor, finished, reason), list(plan.pauses))
    except StorageError as error:
        raise StoppedError(str(error) if finished else reason) from error


def _patiently(work: Callable[[], Result], pauses: list[float]) -> Result:
    """The end of a run is worth as much patience as its steps."""
    while True:
        try:
            return work()
        except AwayError:
            if not pauses:
                raise
            time.sleep(pauses.pop(0))


def _result(monitor: Monitor, finished: bool, reason: str) -> Result:
    rows = monitor.rows()
    known = rows.history.valued or not monitor.study.problem.simulated
    found = answer(monitor.options.name, monitor.study, budget=monitor.budget) if known else None
    return Result(
        finished=finished,
        reason=reason,
        seconds=time.monotonic() - monitor.started_at,
        state=monitor.state(rows),
        answer=found,
        advice=_advice(monitor, rows, found) if finished and found is not None else "",
    )


def _advice(monitor: Monitor, rows: Rows, found: Answer) -> str:
    """See Result."""
    if found.best.verified or not monitor.options.verify:
        return ""
    if found.best.feasibility < PROBABLE:
        return "There is no verified answer, and no design is known that is probably feasible."
    total = rows.history.books.committed + needed(monitor.study.problem, found.best, rows.history)
    if total <= monitor.budget * (1.0 + 1e-9):
        return ""
    return f"The budget ended before a verified answer was there; budget = {_up(total)} pays for one."


def _up(value: float) -> str:
    """To four digits, and never less."""
    digits = 3 - math.floor(math.log10(value))
    return f"{math.ceil(value * 10.0**digits - 1e-6) / 10.0**digits:g}"


def _end(monitor: Monitor, stop: float | None) -> str:
    """Why a run ended before its budget did; nothing if it did not."""
    return "" if stop is None else stopped(monitor.study.outlook(monitor.budget), stop, monitor.study.problem)


def require_posix(file: StudyFile) -> None:
    if os.name != "posix":
        raise StudyError(
            f"{str(file.path)!r}: taut needs Linux or macOS to start and end programs, got {os.name!r}; use WSL, or "
            "work by hand with taut ask and taut tell."
        )


def command(file: StudyFile, entry: ProgramEntry, owner: str, environment: Mapping[str, str] | None) -> Command:
    """A program of the file, ready to be started. environment: None if that is on another machine."""
    words = argv(file, entry)
    if environment is not None:
        words[0] = _executable(file, entry, words[0], environment)
    return Command(
        argv=tuple(words),
        study=file.study.name,
        runs=folders.choose(file),
        study_storage=folders.owner_of(file),
        keep=file.run.keep,
        environment=None if environment is None else dict(environment),
        owner=owner,
        setups=tuple(
            _setup(file, each, environment) for each in file.setups if set(each.functions) & set(entry.functions)
        ),
        **{name: getattr(entry, name) for name in ("name", "functions", "timeout", "retries", "slots")},
    )


def _setup(file: StudyFile, entry: ProgramEntry, environment: Mapping[str, str] | None) -> SetupProgram:
    words = argv(file, entry) if entry.command else []
    if words and environment is not None:
        words[0] = _executable(file, entry, words[0], environment)
    return SetupProgram(entry.name, tuple(words), entry.timeout)


def _executable(file: StudyFile, entry: ProgramEntry, word: str, environment: Mapping[str, str]) -> str:
    found = shutil.which(word, path=environment.get("PATH", os.defpath))
    if found is None:
        where = "there" if "/" in word else "in the folders of PATH; write './...' for one beside the study file"
        raise StudyFileError(
            f"{str(file.path)!r}: {entry.table}: expected a command that can be started, got {entry.command[0]!r}, and "
            f"no such program is {where}. Install it, make it executable, or correct the command."
        )
    return os.path.abspath(found)


@contextmanager
def _signals(session: Session) -> Iterator[None]:
    """Interrupts go to the monitor: the first one lets the programs finish, the second ends them."""
    monitor = session.monitor

    def interrupt(number: int, frame: FrameType | None) -> None:
        monitor.interrupts += END_AT if number == signal.SIGTERM else 1
        if monitor.interrupts >= END_AT:
            processes.end_all(session.owner)  # at once, even in the middle of a decision
        if monitor.interrupts > END_AT and number == signal.SIGINT:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
