"""Runs repetitions side by side, here or on a cluster, and stores each when it is complete."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from typing import Protocol

from taut.base.errors import StoppedError, StorageError
from taut_paper.experiments import Repetition
from taut_paper.repetition import Step, repeat
from taut_paper.results import Store

AHEAD = 2
"""Repetitions handed to the executor per worker: enough to keep it busy, few enough to stop soon."""


class Watcher(Protocol):
    """Is told what happens."""

    def begin(self, total: int, done: int) -> object: ...

    def finished(self, repetition: Repetition, steps: Sequence[Step], seconds: float) -> object: ...

    def failed(self, repetition: Repetition, error: BaseException) -> object: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many repetitions were there before, were run now, and failed."""

    before: int
    ran: int
    failures: tuple[str, ...]


@contextmanager
def here(workers: int) -> Iterator[Executor]:
    """Processes of this machine, one thread of BLAS each."""
    names = [f"{library}_NUM_THREADS" for library in ("OPENBLAS", "OMP", "MKL")]
    kept = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))  # read by NumPy in the new processes
    try:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_worker) as pool:
            try:
                _start(pool, workers)
                yield pool
            except BaseException:
                for process in list((getattr(pool, "_processes", None) or {}).values()):
                    process.kill()  # what is in flight is run again another time
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def _start(pool: Executor, workers: int) -> None:
    """Start the processes now, deaf to Ctrl-C from their first moment: a new process inherits what is ignored."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may change it
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for _ in range(workers):
            pool.submit(os.getpid)
    finally:
        signal.signal(signal.SIGINT, usual)


def _worker() -> None:
    """In a new process: leave Ctrl-C to the parent, and do not outlive it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def missing(store: Store, repetitions: Sequence[Repetition]) -> list[Repetition]:
    """Those not stored yet; an error if one is stored with another budget or initial design."""
    known = store.finished()
    todo = []
    for run in repetitions:
        found = known.get(run.key)
        if found is None:
            todo.append(run)
        elif found != (run.budget, run.initial):
            raise StorageError(
                f"Results {str(store.path)!r}: {run.label} is stored with budget {found[0]:g} and {found[1]} initial "
                f"points, and now {run.budget:g} and {run.initial} are asked for; give another folder with --out."
            )
    return todo


def run_all(
    store: Store, repetitions: Sequence[Repetition], executor: Executor, workers: int, watcher: Watcher
) -> Outcome:
    """Run what is missing. A repetition that fails is reported, and tried again by the next run."""
    todo = missing(store, repetitions)
    store.ask(repetitions)
    watcher.begin(len(repetitions), len(repetitions) - len(todo))
    failures: list[str] = []
    try:
        _drive(store, todo, executor, workers, watcher, failures)
    except BrokenExecutor as error:
        raise StoppedError(
            "a process that ran a repetition has died: was it killed, or short of memory? Nothing that was finished is "
            "lost. The same command goes on."
        ) from error
    return Outcome(len(repetitions) - len(todo), len(todo) - len(failures), tuple(failures))


def _drive(
    store: Store,
    todo: Sequence[Repetition],
    executor: Executor,
    workers: int,
    watcher: Watcher,
    failures: list[str],
) -> None:
    """Keep the workers busy until nothing is left."""
    queue, flying = iter(todo), {}
    for run in _next(queue, AHEAD * workers):
        flying[executor.submit(timed, run)] = run
    while flying:
        done, _ = wait(flying, return_when=FIRST_COMPLETED)
        for future in done:
            run = flying.pop(future)
            for following in _next(queue, 1):
                flying[executor.submit(timed, following)] = following
            _take(store, run, future, watcher, failures)


def _next(queue: Iterator[Repetition], count: int) -> list[Repetition]:
    return [run for _, run in zip(range(count), queue, strict=False)]


def _take(
    store: Store,
    run: Repetition,
    future: Future[tuple[list[Step], float]],
    watcher: Watcher,
    failures: list[str],
) -> None:
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise error
    if error is not None:
        failures.append(run.label)
        watcher.failed(run, error)
        return
    steps, seconds = future.result()
    store.add(run, steps)
    watcher.finished(run, steps, seconds)


def timed(run: Repetition) -> tuple[list[Step], float]:
    """A repetition and the seconds it took."""
    begun = time.monotonic()
    steps = repeat(run)
    return steps, time.monotonic() - begun
