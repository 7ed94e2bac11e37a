"""Run what a store does not have yet, here or in several processes, and store each run when it is complete."""

import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context

from taut_paper.versions import versions

from .rows import Row, Store
from .words import say

Work = Callable[[Row], Row]
"""The row of a run, from its key."""


def run_all(
    store: Store, wanted: Sequence[Row], work: Work, told: Callable[[Row], str], processes: int = 1, again: bool = False
) -> int:
    """Runs in the order in which they are wanted; returns how many raised. told: a finished run in a few words."""
    todo = store.missing(wanted, again)
    say(f"{len(wanted) - len(todo)} of {len(wanted)} runs are there, {len(todo)} to run")
    failures = 0
    for number, row in enumerate(_attempts(todo, partial(attempt, work), processes), start=1):
        store.append(row)
        failures += "error" in row
        name, said = " ".join(map(str, store.of(row))), row.get("error")
        say(f"[{number}/{len(todo)}] {name}: {told(row) if said is None else f'FAILED, {said}'}")
    return failures


def attempt(work: Work, key: Row) -> Row:
    """The row of a run, and what it was made with; one that raised is a row as well, so that it is seen."""
    try:
        return key | work(key) | {"made": versions()}
    except Exception as error:
        said = "".join(traceback.format_exception(error))
        return key | {"error": repr(error), "traceback": said[-2000:], "made": versions()}


def _attempts(todo: Sequence[Row], one: Work, processes: int) -> Iterator[Row]:
    if processes == 1:
        yield from map(one, todo)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(one, key) for key in todo]):
            yield future.result()
