"""Runs repetitions side by side, here or on a cluster, and stores each when it is complete."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from taut.app.run import pools
from taut.base.errors import StoppedError
from taut_paper.experiments import EXPERIMENTS, Key, Repetition
from taut_paper.repetition import Step, repeat
from taut_paper.results import Store, asked, load
from taut_paper.traces import Trace

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


Pool = AbstractContextManager[tuple[Executor, int]]
"""Opens to an executor and the number of its workers."""


def run_all(store: Store, repetitions: Sequence[Repetition], pool: Pool, watcher: Watcher) -> Outcome:
    """Run what is missing. A repetition that fails is reported, and tried again by the next run."""
    todo = store.missing(repetitions)  # a disagreement is found before anything is started
    failures: list[str] = []
    try:
        with pool as (executor, workers):
            store.ask(repetitions)
            watcher.begin(len(repetitions), len(repetitions) - len(todo))
            for run, future in _ended(executor, todo, AHEAD * workers):
                if error := future.exception():
                    if isinstance(error, BrokenExecutor):
                        raise error
                    failures.append(run.label)
                    watcher.failed(run, error)
                else:
                    steps, seconds = future.result()
                    store.add(run, steps)
                    watcher.finished(run, steps, seconds)
    except BrokenExecutor as error:
        raise StoppedError(
            "a process that ran a repetition has died: was it killed, or short of memory? Nothing that was finished is "
            "lost. The same command goes on."
        ) from error
    return Outcome(len(repetitions) - len(todo), len(todo) - len(failures), tuple(failures))


def _ended(
    executor: Executor, todo: Iterable[Repetition], ahead: int
) -> Iterator[tuple[Repetition, Future[tuple[list[Step], float]]]]:
    """Each repetition when it has ended; `ahead` of them are with the executor at any time."""
    queue = iter(todo)
    flying = {executor.submit(timed, run): run for run in islice(queue, ahead)}
    while flying:
        done, _ = wait(flying, return_when=FIRST_COMPLETED)
        for future in done:
            flying |= {executor.submit(timed, run): run for run in islice(queue, 1)}
            yield flying.pop(future), future


def timed(run: Repetition) -> tuple[list[Step], float]:
    """A repetition and the seconds it took."""
    begun = time.monotonic()
    steps = repeat(run)
    return steps, time.monotonic() - begun


# --- How far


def status(folder: str | Path) -> list[dict[str, Any]]:
    """One row per experiment, method and preset: seeds finished and seeds missing of those ever asked for."""
    finished = {trace.repetition.key: trace for trace in load(folder)}
    cells = groupby(sorted(asked(folder) | set(finished)), lambda key: key[:3])
    rows = [_row(cell, list(keys), finished) for cell, keys in cells]
    order = {name: i for i, name in enumerate(EXPERIMENTS)}
    return sorted(rows, key=lambda row: (order.get(row["experiment"], len(order)), row["preset"]))


def _row(cell: Sequence[str], keys: Sequence[Key], finished: Mapping[Key, Trace]) -> dict[str, Any]:
    done = [finished[key] for key in keys if key in finished]
    took = [float(np.sum(trace.ask_seconds + trace.recommend_seconds)) for trace in done]
    return dict(zip(("experiment", "method", "preset"), cell, strict=True)) | {
        "budgets": list(dict.fromkeys(trace.repetition.budget for trace in done)),
        "seeds": [trace.repetition.seed for trace in done],
        "missing": [key[3] for key in keys if key not in finished],
        "seconds": sum(took) / len(took) if took and np.isfinite(took).all() else None,
    }


# --- Where


@contextmanager
def pool_of(workers: int | None, dask: str | None = None) -> Iterator[tuple[Executor, int]]:
    """Processes of this machine, or the cluster whose scheduler has the address `dask`."""
    if dask is None:
        with _processes(workers or 1) as executor:
            yield executor, workers or 1
    else:
        with pools.dask(dask, workers) as place:
            yield place.executor, place.workers


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """Processes of this machine."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_worker) as pool:
        try:
            _start(pool, workers)
            yield pool
        except BaseException:
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.kill()  # what is in flight is run again another time
            pool.shutdown(wait=False, cancel_futures=True)
            raise


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
