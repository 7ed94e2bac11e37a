"""Where programs run: on this machine, or on the workers of a Dask cluster."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from taut.app.run import processes
from taut.base.errors import StudyError

CONNECT_SECONDS = 10.0
"""So long may a scheduler take to answer, each time it is asked something before the first program."""


@dataclass(frozen=True, slots=True)
class Pool:
    """An executor, how many evaluations it can run at once, and how to end the programs of a run there."""

    executor: Executor
    workers: int
    end: Callable[[str], object]


@contextmanager
def here(workers: int) -> Iterator[Pool]:
    """This machine. A thread waits for each program."""
    with ThreadPoolExecutor(workers, thread_name_prefix="taut-program") as pool:
        yield Pool(pool, workers, processes.end_all)


@contextmanager
def dask(address: str, workers: int | None) -> Iterator[Pool]:
    """The cluster whose scheduler has this address; as many evaluations at once as it has threads, unless told."""
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise StudyError(
            f"Dask {address!r}: needs the package distributed, which is not installed; run pip install 'taut[dask]'."
        ) from error
    try:
        asyncio.run(_answers(address))
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="taut")
    except (OSError, ValueError, ImportError) as error:
        raise _unanswered(address, error) from error
    with client:
        try:
            threads = sum(client.sync(client.scheduler.ncores, callback_timeout=CONNECT_SECONDS).values())
            client.register_plugin(_end_of_workers())
        except OSError as error:
            raise _unanswered(address, error) from error
        if not threads and workers is None:
            way_out = f"start some with dask worker {address}, or say with --workers how many to count on"
            raise StudyError.of(f"Dask {address!r}", "a scheduler with workers", "one without any", way_out)
        end = partial(client.run, processes.end_all, on_error="return")  # on each worker that is there
        yield Pool(client.get_executor(pure=False), workers or threads, end)


def _end_of_workers() -> Any:
    """Ends the programs of a worker that closes, as one does whose job is cancelled or preempted.

    Its work is given to others at that moment, but the worker itself would wait for its programs. Shared by all runs on
    a cluster. A class made here travels as it is, and does no harm to workers that have no taut.
    """
    from distributed import WorkerPlugin

    class EndPrograms(WorkerPlugin):  # type: ignore[misc]
        name = "taut-programs"
        idempotent = True

        def teardown(self, worker: object) -> None:
            started = sys.modules.get("taut.app.run.processes")
            if started is not None:
                started.end_everyones()

    return EndPrograms()


async def _answers(address: str) -> None:
    """Raises unless something that speaks Dask's language answers in time.

    A client that is made for nothing must not be left behind: it closes itself when Python throws it away, and if that
    happens while another one is made, the two wait for each other for ever. Nor does a client limit the time in which
    somebody who has taken the connection must say a word.
    """
    from distributed.comm import connect

    comm = await asyncio.wait_for(connect(address, timeout=CONNECT_SECONDS), CONNECT_SECONDS)
    await asyncio.wait_for(comm.close(), CONNECT_SECONDS)


def _unanswered(address: str, error: Exception) -> StudyError:
    expected = "the address of a running scheduler, such as 'tcp://host:8786'"
    got = f"no answer there ({type(error).__name__}: {str(error) or f'nothing in {CONNECT_SECONDS:g} s'})"
    return StudyError.of(f"Dask {address!r}", expected, got, "start one with dask scheduler, or leave --dask out")
