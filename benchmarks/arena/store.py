"""Finished runs as lines of a JSON file: a stopped measurement goes on where it was."""

import json
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from arena.trial import Run, trial

Row = dict[str, Any]


def rows(path: Path) -> Iterator[Row]:
    """The finished runs of a file; a line that a kill left half-written is none."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def key(row: Row) -> Run:
    return Run(row["label"], row["method"], row["case"], row["seed"], row["verify"])


def append(path: Path, row: Row) -> None:
    """One line, written at once; after a half-written line it begins a new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            torn = file.read(1) != b"\n"
        else:
            torn = False
        file.write((b"\n" if torn else b"") + json.dumps(row).encode() + b"\n")


def missing(path: Path, runs: Sequence[Run], again: bool = False) -> list[Run]:
    """The runs that are not in the file. again: those that ended in an error as well."""
    done = {key(row) for row in rows(path) if not (again and "error" in row)}
    return [run for run in runs if run not in done]


def attempt(run: Run) -> Row:
    """The row of a run; one that raised is a row as well, so that it is seen and not repeated for ever."""
    try:
        return trial(run)
    except Exception as error:
        said = "".join(traceback.format_exception(error))
        return {"label": run.label, "method": run.method, "case": run.case, "seed": run.seed, "verify": run.verify} | {
            "error": repr(error),
            "traceback": said[-2000:],
        }


def run_all(path: Path, runs: Sequence[Run], processes: int, say: Callable[[str], None], again: bool = False) -> int:
    """Run what is missing; returns how many raised."""
    todo = missing(path, runs, again)
    say(f"{len(runs) - len(todo)} of {len(runs)} runs are there, {len(todo)} to run")
    failures = 0
    for number, row in enumerate(_attempts(todo, processes), start=1):
        append(path, row)
        failures += "error" in row
        say(f"[{number}/{len(todo)}] {summary(row)}")
    return failures


def _attempts(todo: Sequence[Run], processes: int) -> Iterator[Row]:
    if processes == 1:
        yield from map(attempt, todo)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(attempt, run) for run in todo]):
            yield future.result()


def summary(row: Row) -> str:
    head = f"{row['label']} {row['method']} {row['case']} seed {row['seed']}:"
    if "error" in row:
        return f"{head} FAILED, {row['error']}"
    far = sum(abs(each[1]) > 3.0 for each in row["z"])
    said = row["answer"]
    return (
        f"{head} OC {said['oc']:.2g}, P {said['probability']:.4f} {'true' if said['feasible'] else 'FALSE'}, "
        f"{far} of {len(row['z'])} beyond 3 sd, {row['seconds']:.0f} s"
    )
