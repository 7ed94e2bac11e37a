"""Keeps evaluations under way, in any concurrent.futures executor, until there are no more."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from typing import Any

from taut.base.errors import StoppedError, StorageError, TautError
from taut.base.numbers import shown
from taut.base.printable import printable
from taut.data.rows import Suggestion
from taut.storage.base import Leases
from taut.storage.owner import short
from taut.study.programs import Outcome, timed
from taut.study.worker import Job, Plan, RunListener, Worker

POLL_SECONDS = 1.0
"""How often to look whether somebody else made room, or died and left work behind."""

SAY_SECONDS = 10.0
"""Whoever is waited for longer than this is named."""

SAID = 300
"""Characters of the end of what a failed function said, in a message about all of them."""

_log = logging.getLogger("taut")


class Inline(Executor):
    """Runs each call at once, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def drive(worker: Worker, executor: Executor | None, workers: int, plan: Plan) -> bool:
    """Keep `workers` evaluations under way until there are no more; each result is recorded as it comes in.

    True at the end, False if the listener stopped it. Raises StoppedError after so many failures in a row of one
    program or if the executor itself breaks, and what the worker raises; but first it waits for what is under way and
    records it. A storage may fail for as long as all pauses together.
    """
    listener = plan.listener
    running = _InFlight(executor or Inline(), listener)
    recorder = _Recorder(worker, plan)
    try:
        trouble = _rounds(worker, running, recorder, workers, listener)
    finally:
        running.cancel()
    recorder.close(trouble)
    return not listener.stop()


def _rounds(
    worker: Worker, running: "_InFlight", recorder: "_Recorder", workers: int, listener: RunListener
) -> TautError | None:
    """Record, start and wait, round after round; what stopped it, if it was not the end or the listener."""
    waiting = _Waiting(listener)
    trouble: TautError | None = None
    while True:
        stopping = listener.stop() or trouble is not None
        try:
            for done, outcome in running.done():
                recorder.keep(done, outcome)
            if not stopping:
                recorder.check(len(running))
            if not stopping and len(running) < workers and not recorder.doubtful:
                job = worker.next_job(len(running), workers)
                recorder.fine()
                if job is not None:
                    running.start(job)
                    continue
            if not running:
                waits = {} if stopping else worker.waits()
                # What was under way may have come in since: then there is one more look.
                if not waits and (stopping or recorder.doubtful or not worker.deferred):
                    return trouble
                if waits:
                    waiting.on(waits)
        except StorageError as error:
            trouble = trouble or recorder.pause(error)
            continue
        except TautError as error:
            trouble = trouble or error
            if not running:
                return trouble
        # Somebody else's doing matters only if a worker is free for what comes of it.
        running.wait(POLL_SECONDS if not stopping and len(running) < workers else None)


class _InFlight:
    """The jobs that are under way."""

    def __init__(self, pool: Executor, listener: RunListener) -> None:
        self._pool, self._listener = pool, listener
        self._running: dict[Future[Outcome], Job] = {}

    def __len__(self) -> int:
        return len(self._running)

    def start(self, job: Job) -> None:
        self._listener.started(job)
        try:
            future = self._pool.submit(timed, job.program, job.task)
        except Exception as error:  # a broken or closed executor; a program lets none out
            raise _broken(job, error) from error
        if not isinstance(future, Future):
            raise _broken(job, TypeError(f"submit returned {shown(future)} instead of a Future"))
        self._running[future] = job

    def done(self) -> Iterator[tuple[Job, Outcome]]:
        """What has ended, in the order it was started; given again if something goes wrong with it."""
        for future in [future for future in self._running if future.done()]:
            job = self._running[future]
            try:
                outcome = future.result()
            except StoppedError:  # the program could not be started
                del self._running[future]
                raise
            except Exception as error:  # comes from the executor: a program lets none out
                del self._running[future]
                raise _broken(job, error) from error
            yield job, outcome
            del self._running[future]

    def wait(self, seconds: float | None) -> None:
        """Until something ends, at most so long, and at most as long as the listener may be left alone."""
        limits = [each for each in (seconds, self._listener.seconds) if each is not None]
        if self._running:
            wait(self._running, min(limits, default=None), FIRST_COMPLETED)
        else:
            time.sleep(min(limits, default=POLL_SECONDS))

    def cancel(self) -> None:
        for future in self._running:
            future.cancel()


class _Waiting:
    """Says once whom a run with nothing else to do waits for, when that takes long."""

    def __init__(self, listener: RunListener) -> None:
        self._listener = listener
        self._keys: set[tuple[int, str]] = set()
        self._since, self._said = 0.0, False

    def on(self, leases: Leases) -> None:
        if set(leases) != self._keys:
            self._keys, self._since, self._said = set(leases), time.monotonic(), False
        if not self._said and time.monotonic() - self._since >= SAY_SECONDS:
            self._said = True
            (number, name), lease = min(leases.items())
            more = f" (and {len(leases) - 1} more)" if len(leases) > 1 else ""
            who = short(lease.owner) if lease.owner else "nobody yet"
            self._listener.troubled(
                f"Nothing left to start; waiting for {name!r} of suggestion {number}{more}, which {who} is evaluating. "
                "If that one is stopped for good, end it: this run then takes over."
            )


class _Recorder:
    """Records what ended, counts failures in a row, and bears with a storage that fails."""

    def __init__(self, worker: Worker, plan: Plan) -> None:
        self._worker, self._plan, self._listener = worker, plan, plan.listener
        self._row: Counter[str] = Counter()
        self._error: StoppedError | None = None
        self._pauses = list(plan.pauses)
        self._lost: list[str] = []
        self._hopeless: Suggestion | None = None

    @property
    def doubtful(self) -> bool:
        """Has everything failed before anything succeeded? Then what is under way decides, and no more."""
        return self._hopeless is not None

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Record. When there is no patience left, what cannot be recorded is written down as lost."""
        if not outcome.interrupted:
            try:
                self._worker.record(job, outcome)
            except StorageError as error:
                if self._pauses:
                    raise
                self._lost.append(str(error))
                outcome = replace(outcome, stored=False)
            else:
                self._hopeless = job.suggestion if self._worker.failed_everywhere(job.suggestion) else self._hopeless
            self._count(job, outcome)
        self._listener.ended(job, outcome)

    def fine(self) -> None:
        self._pauses = list(self._plan.pauses)

    def pause(self, error: StorageError) -> StorageError | None:
        """Wait until the next try; the error, if that was tried often enough."""
        if not self._pauses:
            return error
        seconds = self._pauses.pop(0)
        self._listener.troubled(f"{error} Trying again in {seconds:g} s.")
        _log.warning("%s Trying again in %g s.", error, seconds)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._listener.stop():
            time.sleep(min(0.5, seconds))
        return None

    def check(self, running: int) -> None:
        """Raise if a program failed too often, all failed from the beginning, or something could not be recorded."""
        if self._hopeless is not None and not running:
            said = self._worker.failed_everywhere(self._hopeless)
            if said:
                raise _all_failed(self._hopeless, said)
            self._hopeless = None  # another run has found a value
        if self._error is not None:
            raise self._error
        if self._lost:
            raise StorageError(self._lost[0])

    def close(self, trouble: TautError | None) -> None:
        """Raise what stopped the loop; if values were lost, with all of them."""
        if self._lost:
            raise StorageError(" ".join(self._lost))
        if trouble is not None:
            raise trouble

    def _count(self, job: Job, outcome: Outcome) -> None:
        name = job.program.name
        if outcome.note:
            _log.warning("suggestion %d, %s failed: %s", job.suggestion.number, name, printable(outcome.note))
        self._row[name] = self._row[name] + 1 if outcome.failed else 0
        if self._row[name] >= self._plan.failures:
            self._error = StoppedError(
                f"Function {name!r}: stopped after {self._row[name]} failed evaluations in a row; expected a "
                f"finite number, got in the end: {printable(outcome.note)}. Correct the function and run again: the "
                "study keeps what it has."
            )


def _all_failed(row: Suggestion, said: Mapping[str, str]) -> StoppedError:
    each = "; ".join(f"{name!r}: {printable(note[-SAID:]) or 'no reason given'}" for name, note in said.items())
    return StoppedError(
        f"Suggestion {row.number}: stopped because every function has failed and none has a value yet; they said: "
        f"{each}. Nothing is lost: correct them, open the failures again with taut retry (or study.retry()), and run "
        "again. If they are right and only this point cannot be computed, just run again."
    )


def _broken(job: Job, error: Exception) -> StoppedError:
    return StoppedError(
        f"Function {job.program.name!r}: the executor could not run it ({type(error).__name__}: {error}). "
        "Expected an open executor that can take this callable (a process pool needs one defined at the top "
        "level of a module); the suggestion stays pending, run again with another executor."
    )
