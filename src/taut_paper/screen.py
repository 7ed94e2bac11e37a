"""What `taut bench run` and `taut bench status` show in the terminal."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any, Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as TimeLeft
from rich.table import Table

from taut.base.printable import printable
from taut_paper.experiments import Repetition, ranges
from taut_paper.repetition import Step

View = Literal["bar", "plain", "json"]


class Screen:
    """A progress bar with the time left, or one line per repetition; nothing for JSON."""

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

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._task is not None and not self._plain:
            self._bar.stop()

    def begin(self, total: int, done: int) -> None:
        self._total = total - done
        self._console.print(f"{done} of {total} repetitions are finished, {total - done} to run")
        self._task = self._bar.add_task("repetitions", total=total - done)
        if not self._plain:
            self._bar.start()

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
        self._count, text = self._count + 1, printable(text)
        if self._plain:
            left = (time.monotonic() - self._begun) / self._count * (self._total - self._count)
            what = f"[{self._count}/{self._total}, about {left / 60.0:.0f} min left] {repetition.label}: {text}"
            self._console.print(what, soft_wrap=True, markup=False)
        elif self._task is not None:
            if "FAILED" in text:
                self._bar.console.print(f"{repetition.label}: {text}", soft_wrap=True, markup=False)
            self._bar.update(self._task, advance=1, description=repetition.label)


def show_status(rows: Sequence[dict[str, Any]]) -> None:
    """A table of the rows of runner.status, and what is left to do."""
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
