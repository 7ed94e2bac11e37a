"""Runs the user's functions at suggested points, one by one or in any concurrent.futures executor."""

import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Any

from taut.data import Suggestion
from taut.errors import StudyError, UnknownNameError, listed
from taut.numeric import LARGEST, as_float, fits, shown
from taut.problem import Problem

Function = Callable[[dict[str, float]], Any]
"""Takes a point; returns a number, or for a group a dict of numbers by function name."""

FAILURES_IN_A_ROW = 10

_log = logging.getLogger("taut")


@dataclass(frozen=True, slots=True)
class Program:
    """One callable of the user and the functions it gives values of."""

    name: str
    functions: tuple[str, ...]
    call: Function
    returns_dict: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call gave: per function a finite value, or None for a failure; and why it failed."""

    values: dict[str, float | None]
    note: str = ""

    @property
    def failed(self) -> bool:
        return all(value is None for value in self.values.values())


@dataclass(frozen=True, slots=True)
class Job:
    """One program to run for one suggestion."""

    suggestion: Suggestion
    program: Program


def programs(problem: Problem, functions: Mapping[str, Function]) -> tuple[Program, ...]:
    """Match the user's callables with the problem: one per function, or one under a group's name."""
    if not isinstance(functions, Mapping):
        raise StudyError(
            f"functions must be a dict of callables by name, got {shown(functions)}; write {{name: function, ...}}."
        )
    groups = {group.name for group in problem.groups}
    for name, call in functions.items():
        if name not in problem.functions and name not in groups:
            known = listed([*problem.functions, *sorted(groups)])
            raise UnknownNameError(f"Function {name!r} is unknown; this problem has {known}.")
        if not callable(call):
            raise StudyError(f"Function {name!r}: expected something to call with a point, got {call!r}.")
    found: list[Program] = []
    for unit in problem.units:
        together = unit.name in groups and unit.name in functions
        separate = [name for name in unit.functions if name in functions and name != unit.name]
        if together and separate:
            raise StudyError(
                f"Group {unit.name!r}: expected one callable for the group or one for each function, "
                f"got both; drop {unit.name!r} or {listed(separate)}."
            )
        if together:
            found.append(Program(unit.name, unit.functions, functions[unit.name], True))
            continue
        lacking = [name for name in unit.functions if name not in functions]
        if lacking:
            raise UnknownNameError(
                f"No callable for {listed(lacking)}; expected {listed(problem.functions)}, got {listed(functions)}."
            )
        found.extend(Program(name, (name,), functions[name], False) for name in unit.functions)
    return tuple(found)


def call(program: Program, point: dict[str, float]) -> Outcome:
    """Run one program. Whatever goes wrong in it is a failure of its functions, never an exception here."""
    try:
        result = program.call(dict(point))
    except (Exception, SystemExit) as error:  # sys.exit() in a function ends that evaluation, not the run
        return Outcome(dict.fromkeys(program.functions), _text(error))
    if not program.returns_dict:
        result = {program.name: result}
    elif not isinstance(result, Mapping):
        note = f"returned {shown(result)} instead of a dict with {listed(program.functions)}"
        return Outcome(dict.fromkeys(program.functions), note)
    found = {name: as_float(result.get(name)) for name in program.functions}
    values = {name: number if fits(number) else None for name, number in found.items()}
    wanted = f"a finite number of at most {LARGEST:g} in size"
    bad = [name for name, value in values.items() if value is None]
    note = "; ".join(f"{name} returned {shown(result.get(name))} instead of {wanted}" for name in bad)
    return Outcome(values, note)


class Inline(Executor):
    """Runs each call at once, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the loop asks its owner; all are called from the loop's own thread."""

    next_jobs: Callable[[], list[Job] | None]
    """The jobs of one more suggestion; None if there is nothing more to do."""
    record: Callable[[Job, Outcome], None]
    finished: Callable[[Suggestion], None]
    """Called when all jobs of a suggestion are recorded."""


def drive(hooks: Hooks, executor: Executor | None, workers: int) -> None:
    """Keep `workers` suggestions in flight until there are no more; each result is recorded as it comes in.

    Raises StudyError after FAILURES_IN_A_ROW failures in a row of one program, or if the executor itself breaks; what
    was not recorded stays pending.
    """
    inline = executor is None
    pool = executor or Inline()
    flight = _Flight()
    more = True
    try:
        while True:
            flight.submit(pool, limit=1 if inline else None)
            done = flight.ready(block=not more or flight.suggestions >= workers)
            for future in done:
                job, outcome = flight.take(future)
                hooks.record(job, outcome)
                flight.count_failure(job, outcome)
                if flight.completed(job):
                    hooks.finished(job.suggestion)
            if done or flight.waiting:
                continue
            if more and flight.suggestions < workers:
                jobs = hooks.next_jobs()
                more = jobs is not None
                flight.add(jobs or [])
            elif not flight.suggestions:
                return
    finally:
        flight.cancel()


class _Flight:
    """The jobs that wait and run, and how many are left per suggestion."""

    def __init__(self) -> None:
        self.waiting: deque[Job] = deque()
        self._running: dict[Future[Outcome], Job] = {}
        self._left: dict[int, int] = {}
        self._failures: Counter[str] = Counter()  # in a row, by program

    @property
    def suggestions(self) -> int:
        return len(self._left)

    def add(self, jobs: list[Job]) -> None:
        self.waiting.extend(jobs)
        for job in jobs:
            self._left[job.suggestion.number] = self._left.get(job.suggestion.number, 0) + 1

    def submit(self, pool: Executor, limit: int | None) -> None:
        """Start waiting jobs. With a limit of one, each value is recorded before the next call starts."""
        while self.waiting and (limit is None or len(self._running) < limit):
            job = self.waiting.popleft()
            try:
                future = pool.submit(call, job.program, job.suggestion.point)
            except Exception as error:  # a broken or closed executor; call() itself lets none out
                raise _broken(job, error) from error
            if not isinstance(future, Future):
                raise _broken(job, TypeError(f"submit returned {shown(future)} instead of a Future"))
            self._running[future] = job

    def ready(self, block: bool) -> list[Future[Outcome]]:
        """Finished jobs in the order they were started; with block, waits for at least one."""
        if not self._running:
            return []
        done = wait(self._running, None if block else 0, FIRST_COMPLETED).done
        return [future for future in self._running if future in done]

    def take(self, future: Future[Outcome]) -> tuple[Job, Outcome]:
        """A finished job and its outcome. An exception here comes from the executor: call() lets none out."""
        job = self._running.pop(future)
        try:
            return job, future.result()
        except Exception as error:
            raise _broken(job, error) from error

    def completed(self, job: Job) -> bool:
        number = job.suggestion.number
        self._left[number] -= 1
        if self._left[number]:
            return False
        del self._left[number]
        return True

    def count_failure(self, job: Job, outcome: Outcome) -> None:
        if outcome.note:
            _log.warning("suggestion %d, %s failed: %s", job.suggestion.number, job.program.name, outcome.note)
        name = job.program.name
        self._failures[name] = self._failures[name] + 1 if outcome.failed else 0
        if self._failures[name] >= FAILURES_IN_A_ROW:
            raise StudyError(
                f"Function {name!r}: stopped after {self._failures[name]} failed evaluations in a row; expected a "
                f"finite number, got in the end: {outcome.note}. Correct the function and run again: the study "
                "keeps what it has."
            )

    def cancel(self) -> None:
        for future in self._running:
            future.cancel()


def _broken(job: Job, error: Exception) -> StudyError:
    return StudyError(
        f"Function {job.program.name!r}: the executor could not run it ({type(error).__name__}: {error}). "
        "Expected an open executor that can take this callable (a process pool needs one defined at the top "
        "level of a module); the suggestion stays pending, run again with another executor."
    )


def _text(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an error that cannot be printed
        return type(error).__name__
