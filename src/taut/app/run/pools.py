"""Where programs run: on this machine, or on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from taut.app.run import processes
from taut.base.errors import StudyError

CONNECT_SECONDS = 10


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
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="taut")
    except (OSError, ValueError) as error:
        expected = "the address of a running scheduler, such as 'tcp://host:8786'"
        got = f"no answer there ({type(error).__name__}: {error})"
        way_out = "start one with dask scheduler, or leave --dask out"
        raise StudyError.of(f"Dask {address!r}", expected, got, way_out) from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads and workers is None:
            way_out = f"start some with dask worker {address}, or say with --workers how many to count on"
            raise StudyError.of(f"Dask {address!r}", "a scheduler with workers", "one without any", way_out)
        end = partial(client.run, processes.end_all)  # on each worker
        yield Pool(client.get_executor(pure=False), workers or threads, end)
