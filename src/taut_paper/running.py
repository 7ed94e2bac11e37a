"""What the commands `taut bench run` and `taut bench status` do."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as TimeLeft
from rich.table import Table

from taut.app.run import pools
from taut.base.errors import StorageError, UnknownNameError, listed, way_out
from taut_paper import runner
from taut_paper.experiments import EXPERIMENTS, SCALES, Repetition, plan, seed_numbers
from taut_paper.repetition import Step
from taut_paper.results import FILE, Store

View = Literal["bar", "plain", "json"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What to run, as the user said it."""

    experiments: tuple[str, ...]
    scale: str = "quick"
    budget: float | None = None
    seeds: str | None = None
    methods: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()

    def repetitions(self) -> list[Repetition]:
        if self.scale not in SCALES:
            raise UnknownNameError(
                f"Scale {self.scale!r} is unknown; expected one of {listed(SCALES)}; {way_out(self.scale, SCALES)}."
            )
        seeds = None if self.seeds is None else seed_numbers(self.seeds)
        scale = SCALES[self.scale]
        return plan(
            self.experiments, scale, budget=self.budget, seeds=seeds, methods=self.methods, presets=self.presets
        )


def words(text: str) -> tuple[str, ...]:
    """'a, b' -> ('a', 'b')."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def run(asked: Asked, folder: str | Path, workers: int | None, dask: str | None, view: View) -> runner.Outcome:
    """Run what was asked for; finished repetitions are skipped."""
    repetitions = asked.repetitions()
    store = Store(folder)
    runner.missing(store, repetitions)  # a disagreement is found before anything is started
    with _place(workers, dask) as (executor, count), _Screen(view) as screen:
        return runner.run_all(store, repetitions, executor, count, screen)


@contextmanager
def _place(workers: int | None, dask: str | None) -> Iterator[tuple[Executor, int]]:
    if dask is None:
        with runner.here(workers or 1) as executor:
            yield executor, workers or 1
    else:
        with pools.dask(dask, workers) as place:
            yield place.executor, place.workers


class _Screen:
    """A progress bar with the time left, or one line per repetition."""

    def __init__(self, view: View) -> None:
        self._console = Console(highlight=False, stderr=view == "json", quiet=view == "json")
        self._plain = view != "bar" or not self._console.is_terminal
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeLeft(),
        )
        self._bar = Progress(*columns, console=self._console)
        self._task: TaskID | None = None
        self._seen: set[str] = set()
        self._count, self._total, self._begun = 0, 0, time.monotonic()

    def __enter__(self) -> _Screen:
        self._live: AbstractContextManager[object] = nullcontext() if self._plain else self._bar
        self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._live.__exit__(*error)

    def begin(self, total: int, done: int) -> None:
        self._total = total - done
        self._console.print(f"{done} of {total} repetitions are finished, {total - done} to run")
        self._task = self._bar.add_task("repetitions", total=total - done)

    def finished(self, repetition: Repetition, steps: Sequence[Step], seconds: float) -> None:
        last = steps[-1]
        self._line(
            repetition, f"OC {last.oc:.3g} after {last.spent:g} units and {len(steps) - 1} decisions, {seconds:.0f} s"
        )

    def failed(self, repetition: Repetition, error: BaseException) -> None:
        self._line(repetition, f"FAILED, {type(error).__name__}: {error}")
        if repr(error) not in self._seen:  # where it happened, once per kind of error
            self._seen.add(repr(error))
            traceback.print_exception(error.__cause__ or error, file=sys.stderr)

    def _line(self, repetition: Repetition, text: str) -> None:
        self._count += 1
        if self._plain:
            left = (time.monotonic() - self._begun) / self._count * (self._total - self._count)
            what = f"[{self._count}/{self._total}, about {left / 60.0:.0f} min left] {repetition.label}: {text}"
            self._console.print(what, soft_wrap=True, markup=False)
        elif self._task is not None:
            if "FAILED" in text:
                self._bar.console.print(f"{repetition.label}: {text}", soft_wrap=True, markup=False)
            self._bar.update(self._task, advance=1, description=repetition.label)


# --- Looking at results


def export(folder: str | Path, target: str | Path, times: bool) -> int:
    """Write the compact table; returns the number of rows."""
    from taut_paper import packed

    store = _opened(folder)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    return packed.write(store, target, times)


def _opened(folder: str | Path) -> Store:
    if not (Path(folder) / FILE).exists():
        raise StorageError(
            f"Results {str(folder)!r}: expected {FILE} there, got no such file; run taut bench run --out {folder}."
        )
    return Store(folder)


def status(folder: str | Path) -> list[dict[str, Any]]:
    """One row per experiment, method and preset: seeds finished and seeds missing of those ever asked for."""
    store = _opened(folder)
    finished, asked, seconds = store.finished(), store.asked(), store.seconds()
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for experiment, method, preset, seed in sorted(asked | set(finished)):
        cell = (experiment, method, preset)
        names = {"experiment": experiment, "method": method, "preset": preset}
        row = rows.setdefault(cell, names | {"budgets": [], "seeds": [], "missing": [], "seconds": seconds.get(cell)})
        key = (*cell, seed)
        row["seeds" if key in finished else "missing"].append(seed)
        if key in finished and finished[key][0] not in row["budgets"]:
            row["budgets"].append(finished[key][0])
    order = {name: i for i, name in enumerate(EXPERIMENTS)}
    return sorted(rows.values(), key=lambda row: (order.get(row["experiment"], len(order)), row["preset"]))


def show_status(rows: Sequence[dict[str, Any]]) -> None:
    head = ("experiment", "method", "preset", "budget", "finished", "missing", "CPU s each", "seeds")
    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        budgets = ", ".join(f"{budget:g}" for budget in row["budgets"])
        counts = (str(len(row["seeds"])), str(len(row["missing"])))
        each = "" if row["seconds"] is None else f"{row['seconds']:.1f}"
        table.add_row(row["experiment"], row["method"], row["preset"], budgets, *counts, each, ranges(row["seeds"]))
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    console.print(_summary(rows))


def _summary(rows: Sequence[dict[str, Any]]) -> str:
    """How many are finished, and what the others may take: as long as those of their kind, or as all on average."""
    done, missing = (sum(len(row[kind]) for row in rows) for kind in ("seeds", "missing"))
    text = f"{done} of {done + missing} repetitions are finished"
    known = [row["seconds"] for row in rows if row["seconds"] is not None]
    if missing and known:
        usual = sum(known) / len(known)
        left = sum(len(row["missing"]) * (usual if row["seconds"] is None else row["seconds"]) for row in rows)
        text += f"; the others take about {left / 60.0:.0f} min of CPU time"
    return text


def ranges(numbers: Sequence[int]) -> str:
    """[0, 1, 2, 5] -> '0-2,5'."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
