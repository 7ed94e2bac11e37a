"""Draws a run in a terminal: a live view, or one line for each thing that happens; then the result."""

import os
import sys
import time
from contextlib import suppress
from types import TracebackType

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from taut.app.look import text
from taut.app.look.status import Overview
from taut.app.run.session import END_AT, Monitor, Result
from taut.base.errors import StorageError
from taut.data.rows import Recommendation, Suggestion
from taut.study.loop import Job, RunListener
from taut.study.programs import Outcome

WIDTH = 100
LAST = 6
"""Decisions shown in the live view."""
EVERY = 10
"""Evaluations between two reports of the best point in plain lines."""
NEWS_SECONDS = 10.0
"""How often to look what others did, while nothing happens here."""


class _Console(Console):
    """Falls silent when its output cannot be written: that must not end a run of hours."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class Screen(RunListener):
    """Shows a run while it goes on: a context, and the watch of the run; then `report` its result."""

    def __init__(self, monitor: Monitor, plain: bool) -> None:
        console = _Console(highlight=False)
        self._plain = plain or not console.is_terminal
        self._console = console if self._plain else _Console(highlight=False, width=min(console.width, WIDTH))
        self._monitor = monitor
        self._live: Live | None = None
        self._state = monitor.state()
        self._best: Recommendation | None = None
        self._looked = time.monotonic()
        self._warned = 0
        self.seconds = monitor.seconds

    def __enter__(self) -> "Screen":
        self._console.print(_title(self._monitor, self._state), soft_wrap=self._plain)
        if not self._plain:
            self._believe()
            self._live = Live(console=self._console, get_renderable=self._frame, refresh_per_second=2)
            self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def started(self, job: Job) -> None:
        self._monitor.started(job)
        if self._plain:
            self._say(start_line(job))

    def ended(self, job: Job, outcome: Outcome) -> None:
        self._monitor.ended(job, outcome)
        self._look()
        if self._plain or outcome.note:
            self._say(end_line(job, outcome, self._state))
        if self._live is not None:
            self._believe()
            self._live.refresh()
        elif self._monitor.evaluations % EVERY == 0:
            self._believe()
            if self._best is not None:
                self._say(f"      best so far: {best_text(self._monitor, self._best)}")

    def troubled(self, message: str) -> None:
        self._say(message)

    def stop(self) -> bool:
        if time.monotonic() - self._looked > NEWS_SECONDS:
            self._look()
        if self._plain and self._monitor.interrupts > self._warned:
            self._warned = self._monitor.interrupts
            self._say(_interrupted(self._monitor))
        return self._monitor.stop()

    def report(self, result: Result) -> None:
        """Show the result."""
        self._say("")
        for line in result_lines(result):
            self._say(line)

    def _look(self) -> None:
        self._looked = time.monotonic()
        with suppress(StorageError):  # the run itself sees to that
            self._state = self._monitor.state()

    def _believe(self) -> None:
        if self._state.initial_done >= self._state.initial_size and self._state.counts[0].told > 0:
            with suppress(StorageError):
                self._best = self._monitor.study.recommend()

    def _say(self, line: str) -> None:
        try:
            self._console.print(Text(line), soft_wrap=True)
        except OSError:  # a full disk, if the output goes to a file
            self._console.quiet = True

    def _frame(self) -> RenderableType:
        return live_view(self._monitor, self._state, self._best)


def start_line(job: Job) -> str:
    """An evaluation begins: number, functions, point, why."""
    row = job.suggestion
    return f"{row.number:4d}  {'+'.join(job.functions):<12}  started at {_point(row.point)}: {_why(row)}"


def end_line(job: Job, outcome: Outcome, state: Overview) -> str:
    """An evaluation has ended: its values or why there is none, and what is spent."""
    if outcome.interrupted:
        what = "ended on request; it stays pending"
    else:
        values = [f"{name} = {value:.6g}" for name, value in outcome.values.items() if value is not None]
        failed = [name for name, value in outcome.values.items() if value is None]
        what = ", ".join(values + ([f"FAILED ({', '.join(failed)}): {outcome.note}"] if failed else []))
    start = f"{job.suggestion.number:4d}  {'+'.join(job.functions):<12}  "
    return f"{start}{what}; spent {state.spent:g}" + ("" if state.budget is None else f" of {state.budget:g}")


def best_text(monitor: Monitor, best: Recommendation) -> str:
    """The objective, its uncertainty, the probability of feasibility and the point."""
    mean, sd = best.objective
    return (
        f"{monitor.study.problem.objective.name} = {mean:.6g} +- {sd:.1g}, P(feasible) "
        f"{text.probability(best.feasibility)}, at {_point(best.point)}"
    )


def live_view(monitor: Monitor, state: Overview, best: Recommendation | None) -> RenderableType:
    """Progress, evaluations per function, the best point, what is running and why."""
    believed = "not known before the initial design is complete" if best is None else best_text(monitor, best)
    parts: list[RenderableType] = [
        _bar(monitor, state),
        _functions(state),
        Text("best so far  ", style="bold").append(believed, style="not bold"),
        _running(monitor),
    ]
    if monitor.interrupts:
        parts.append(Text(_interrupted(monitor), style="bold yellow"))
    return Group(*parts)


def result_lines(result: Result) -> list[str]:
    """How the run ended and what is known now."""
    state = result.state
    of = "" if state.budget is None else f" of {state.budget:g}"
    counts = ", ".join(
        f"{row.function} {row.told + row.failed}" + (f" ({row.failed} failed)" if row.failed else "")
        for row in state.counts
    )
    how = "Finished" if result.finished else "Not finished"
    lines = [f"{how}: spent {state.spent:g}{of} in {duration(result.seconds)}; evaluations: {counts}"]
    if state.open and not result.finished:
        lines.append(f"{len(state.open)} suggestions are pending; the same command goes on with them.")
    if result.answer is not None:
        lines += ["", *text.best_lines(result.answer)]
    return lines


def duration(seconds: float) -> str:
    """In the unit that a person would use."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _title(monitor: Monitor, state: Overview) -> Text:
    subject = f" subject to {', '.join(state.constraints)}" if state.constraints else ""
    known = sum(row.told + row.failed for row in state.counts)
    resumed = f", goes on after {known} evaluations" if known else ""
    return (
        Text(f"taut run {state.name}", style="bold")
        .append(f": {state.goal} {state.objective}{subject}\n", style="not bold")
        .append(
            f"method {state.method}, seed {state.seed}, budget {monitor.budget:g}, "
            f"{monitor.place.workers} at a time{resumed}",
            style="not bold dim",
        )
    )


def _bar(monitor: Monitor, state: Overview) -> Table:
    row = Table.grid(padding=(0, 1), expand=True)
    row.add_column(no_wrap=True)
    row.add_column(ratio=1)
    row.add_column(no_wrap=True, justify="right")
    left = monitor.seconds_left(state)
    then = "" if left is None else f"   about {duration(left)} left"
    if state.initial_done < state.initial_size:
        done, total, what = float(state.initial_done), float(state.initial_size), "initial design"
    else:
        done, total, what = state.spent, monitor.budget, "spent"
    passed = duration(time.monotonic() - monitor.started_at)
    row.add_row(
        Text(what, style="bold"),
        ProgressBar(total=total, completed=done),
        Text(f"{done:g} of {total:g}   {passed}{then}"),
    )
    return row


def _functions(state: Overview) -> Table:
    table = _table()
    table.add_column("function")
    for name in ("cost of one", "evaluated", "failed", "pending"):
        table.add_column(name, justify="right")
    for row in state.counts:
        table.add_row(row.function, f"{row.cost:g}", str(row.told + row.failed), str(row.failed), str(row.pending))
    return table


def _running(monitor: Monitor) -> RenderableType:
    table = _table(expand=True)
    table.add_column("#", justify="right")
    table.add_column("running", style="bold", no_wrap=True)
    table.add_column("for", justify="right", no_wrap=True)
    table.add_column("at", no_wrap=True, overflow="ellipsis", max_width=40)
    table.add_column("why", ratio=1, no_wrap=True, overflow="ellipsis")
    running = list(monitor.running.values())
    for one in running[:LAST]:
        row = one.job.suggestion
        passed = duration(time.monotonic() - one.since)
        table.add_row(str(row.number), "+".join(one.job.functions), passed, _point(row.point), _why(row))
    more = len(running) - LAST
    return table if more <= 0 else Group(table, Padding(Text(f"and {more} more", style="dim"), (0, 1)))


def _interrupted(monitor: Monitor) -> str:
    count = len(monitor.running)
    if monitor.interrupts >= END_AT:
        return "Ending the running programs; their evaluations stay pending."
    return f"Waiting for {count} running program{'s' * (count != 1)} to finish; press Ctrl-C again to end them."


def _table(expand: bool = False) -> Table:
    return Table(box=box.SIMPLE_HEAD, header_style="dim", padding=(0, 1, 0, 0), expand=expand)


def _point(point: dict[str, float]) -> str:
    return ", ".join(f"{name}={value:.5g}" for name, value in point.items())


def _why(row: Suggestion) -> str:
    """The note without the names of the functions, which stand beside it."""
    return row.note.removeprefix("+".join(row.functions) + ": ")
