"""Draws a run in a terminal: a live view, or one line for each thing that happens; then how it ended."""

import logging
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from taut.app.look import text
from taut.app.look.answer import COMPUTED
from taut.app.look.status import Rows, Status, accounts
from taut.app.run.monitor import END_AT, Monitor
from taut.app.run.session import USED, Result
from taut.base.errors import StorageError
from taut.base.printable import printable
from taut.data.results import Recommendation
from taut.study.programs import Outcome
from taut.study.worker import Job, RunListener

WIDTH = 100
"""The views are made for 80 to this many columns."""
LAST = 8
"""Decisions shown in the live view."""
EVERY = 10
"""Evaluations between two reports of the best point in plain lines."""
SHARE = 0.1
"""At most so much of the time of a run goes into computing the best point to be shown on the way; the first time is
free. With many values it takes longer than short evaluations do, and the run waits for it."""
NEWS_SECONDS = 10.0
"""How often to look what others did, while nothing happens here."""

_STORAGE = logging.getLogger("taut.storage")


class _Console(Console):
    """Falls silent when its output cannot be written: that must not end a run of hours."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class _Words(logging.Handler):
    """What the storage has to say about a long wait, on the screen."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say_line = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say_line(record.getMessage())


class Screen(RunListener):
    """Shows a run while it goes on: a context, and the watch of the run; then `report` how it ended."""

    def __init__(
        self,
        monitor: Monitor,
        plain: bool,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console or _Console(highlight=False, color_system=None if plain else "auto")
        self._plain = plain or not self._console.is_terminal
        if self._plain or self._console.width > WIDTH:
            self._console.width = WIDTH
        self._monitor = monitor
        self._words = _Words(self._say)
        self._live: Live | None = None
        self._best: Recommendation | None = None
        self._clock, self._begun = clock, clock()
        self._believing = self._last_belief = 0.0  # seconds, in all and the last time
        self._report_at = EVERY
        self._rows = monitor.rows()
        self._state = monitor.state(self._rows)
        self._looked = time.monotonic()
        self._opened = False
        self._warned = 0
        self.seconds = monitor.seconds

    def __enter__(self) -> "Screen":
        _STORAGE.addHandler(self._words)
        return self

    def __exit__(self, *error: object) -> None:
        _STORAGE.removeHandler(self._words)
        if self._live is not None:
            self._live.stop()

    def started(self, job: Job) -> None:
        self._monitor.started(job)
        if self._plain:
            self._say(start_line(job))

    def ended(self, job: Job, outcome: Outcome) -> None:
        self._monitor.ended(job, outcome)
        self._look()
        if self._plain or outcome.note or not outcome.stored:
            self._say(end_line(job, outcome, self._state))
        if self._live is not None:
            self._believe()
            self._live.refresh()
        elif self._monitor.evaluations >= self._report_at and self._believe() and self._best is not None:
            self._report_at = self._monitor.evaluations + EVERY
            self._say(f"      best so far: {text.best_line(self._state.objective, self._best)}")
            self._say(f"      best measured: {text.incumbent_line(self._state.objective, self._state.incumbent)}")

    def troubled(self, message: str) -> None:
        self._say(message)

    def stop(self) -> bool:
        self._open()
        if time.monotonic() - self._looked > NEWS_SECONDS:
            self._look()
        if self._plain and self._monitor.interrupts > self._warned:
            self._warned = self._monitor.interrupts
            self._say(_interrupted(self._monitor))
        return self._monitor.stop()

    def report(self, lines: Iterable[str | Text]) -> None:
        """Show how it ended. A Text is broken at words where it is too long, a str is not."""
        self._open()
        for line in ("", *lines):
            self._say(line)

    def _open(self) -> None:
        """When the run first asks whether to stop; a mistake in its settings comes before that, and stands alone."""
        if self._opened:
            return
        self._opened = True
        self._console.print(_title(self._monitor, self._state), soft_wrap=self._plain)
        if not self._plain and not self._state.computed:
            self._believe()
            self._live = Live(console=self._console, get_renderable=self._frame, refresh_per_second=2)
            self._live.start(refresh=True)

    def _look(self) -> None:
        self._looked = time.monotonic()
        with suppress(StorageError):  # the run itself sees to that
            self._rows = self._monitor.rows()
            self._state = self._monitor.state(self._rows)

    def _believe(self) -> bool:
        """Compute the best point, if there is one yet and it does not take more than its share of the time."""
        now = self._clock()
        if self._best is not None and self._believing + self._last_belief > SHARE * (now - self._begun):
            return False
        if self._state.initial_done < self._state.initial_size or not self._state.counts[0].told:
            return False
        with suppress(StorageError):
            self._best = self._monitor.study.recommend()
        self._last_belief = self._clock() - now
        self._believing += self._last_belief
        return True

    def _say(self, line: str | Text) -> None:
        if isinstance(line, Text):
            line = Text("\n".join(textwrap.wrap(printable(line.plain), self._console.width)), line.style)
        try:
            self._console.print(Text(printable(line)) if isinstance(line, str) else line, soft_wrap=True)
        except OSError:  # a full disk, if the output goes to a file
            self._console.quiet = True

    def _frame(self) -> RenderableType:
        return live_view(self._monitor, self._rows, self._state, self._best)


def start_line(job: Job) -> str:
    """An evaluation begins: number, functions, point, why."""
    return f"{_beginning(job)}started at {text.point(job.suggestion.point)}: {text.why(job.suggestion)}"


def end_line(job: Job, outcome: Outcome, state: Status) -> str:
    """An evaluation has ended: its values or why there is none, and what is spent."""
    if outcome.interrupted:
        what = "ended on request; it stays pending"
    else:
        values = [f"{name} = {value:.6g}" for name, value in outcome.values.items() if value is not None]
        failed = [name for name, value in outcome.values.items() if value is None]
        what = ", ".join(values + ([f"FAILED ({', '.join(failed)}): {outcome.note}"] if failed else []))
    return f"{_beginning(job)}{what if outcome.stored else f'NOT STORED: {what}'}; {text.spent(state)}"


def result_lines(result: Result) -> list[str]:
    """How the run ended and what is known now."""
    state = result.state
    counts = ", ".join(
        f"{row.function} {row.told + row.failed}" + (f" ({row.failed} failed)" if row.failed else "")
        for row in state.counts
    )
    if state.computed and result.answer is not None:
        return text.answer_lines(result.answer)
    how = "Finished" if result.finished else "Not finished"
    lines = [f"{how}: {text.spent(state)} in {text.duration(result.seconds)}; evaluations: {counts}"]
    if result.finished and result.reason != USED:
        lines.append(f"Before the end of the budget: {result.reason}.")
    lines += [result.advice] if result.advice else []
    if state.open and not result.finished:
        lines.append(f"{len(state.open)} suggestions are pending; the same command goes on with them.")
    if result.answer is not None:
        lines += ["", *text.answer_lines(result.answer)]
    return lines


def live_view(monitor: Monitor, rows: Rows, state: Status, best: Recommendation | None) -> RenderableType:
    """Progress, evaluations per function, the best point, the last decisions and why; 23 lines for four functions."""
    unknown = "not known before the initial design is complete"
    believed = unknown if best is None else text.best_line(state.objective, best)
    measured = text.incumbent_line(state.objective, state.incumbent)
    parts: list[RenderableType] = [
        _bar(monitor, rows, state),
        _functions(monitor, rows, state),
        Text("best so far    ", style="bold").append(believed, style="not bold"),
        Text("best measured  ", style="bold").append(measured, style="not bold"),
        _decisions(monitor, rows, state),
    ]
    if (more := len(monitor.running) - LAST) > 0:
        parts.append(Padding(Text(f"and {more} more are running", style="dim"), (0, 1)))
    if monitor.interrupts:
        parts.append(Text(_interrupted(monitor), style="bold yellow"))
    return Group(*parts)


def _title(monitor: Monitor, state: Status) -> Text:
    command, colon, goal = f"{monitor.command} {printable(text.headline(state))}\n".partition(":")
    if state.computed:
        return Text.assemble((command, "bold"), colon + goal, (COMPUTED, "dim"))
    known = sum(row.told + row.failed for row in state.counts)
    resumed = f", goes on after {known} evaluations" if known else ""
    budget = f"{monitor.budget:g}{' s' * state.measured}"
    settings = f"method {state.method}, seed {state.seed}, budget {budget}, {monitor.workers} at a time"
    return Text.assemble((command, "bold"), colon + goal, (settings + resumed, "dim"))


def _bar(monitor: Monitor, rows: Rows, state: Status) -> Table:
    row = Table.grid(padding=(0, 1), expand=True)
    row.add_column(no_wrap=True)
    row.add_column(ratio=1)
    row.add_column(no_wrap=True, justify="right")
    left = monitor.seconds_left(state)
    then = "" if left is None else f"   about {text.duration(left)} left"
    if state.initial_done < state.initial_size:
        done, total, what = float(state.initial_done), float(state.initial_size), "initial design"
    else:
        done, total, what = state.spent, monitor.budget, "spent"
    passed = text.duration(time.monotonic() - monitor.started_at)
    row.add_row(
        Text(what, style="bold"),
        ProgressBar(total=total, completed=done),
        Text(f"{done:g} of {total:g}{_initial(state)}   {rows.history.chosen} decisions   {passed}{then}"),
    )
    return row


def _initial(state: Status) -> str:
    """What the initial design has cost."""
    unit = " s" * state.measured
    return f" (initial design: {state.initial_cost:g}{unit})" if state.initial_cost else ""


def _functions(monitor: Monitor, rows: Rows, state: Status) -> Table:
    """One line per function, with a bar of what was spent on it."""
    table = _table()
    table.add_column("function")
    for name in ("cost of one", "initial", "chosen", "failed", "pending", "spent"):
        table.add_column(name, justify="right")
    table.add_column("", width=12)
    found = accounts(monitor.study.problem, rows.history)
    most = max(account.spent for account in found) or 1.0
    for account, count in zip(found, state.counts, strict=True):
        counts = (account.initial, account.chosen, count.failed, count.pending)
        bar = ProgressBar(total=most, completed=account.spent, complete_style="cyan", finished_style="cyan")
        table.add_row(account.function, text.price(account.cost), *map(str, counts), f"{account.spent:g}", bar)
    return table


def _decisions(monitor: Monitor, rows: Rows, state: Status) -> Table:
    """The last decisions, and what is running and for how long."""
    table = _table(expand=True)
    table.add_column("#", justify="right")
    table.add_column("asked for", style="bold", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("at", no_wrap=True, overflow="ellipsis", max_width=40)
    table.add_column("why", ratio=1, no_wrap=True, overflow="ellipsis")
    under_way = list(monitor.running.values())[:LAST]
    busy, waiting = {job.suggestion.number for job, _ in under_way}, {row.suggestion for row in state.open}
    others = [row for row in rows.history.suggestions[-LAST:] if row.number not in busy]
    shown = [
        (row, row.functions, "pending" if row.number in waiting else "")
        for row in others[max(0, len(others) + len(under_way) - LAST) :]
    ]
    now = time.monotonic()
    shown += [(job.suggestion, job.functions, text.duration(now - since)) for job, since in under_way]
    for row, functions, passed in shown:
        table.add_row(str(row.number), "+".join(functions), passed, text.point(row.point, 4), printable(text.why(row)))
    return table


def _table(expand: bool = False) -> Table:
    return Table(box=box.SIMPLE_HEAD, header_style="dim", padding=(0, 1, 0, 0), expand=expand)


def _beginning(job: Job) -> str:
    return f"{job.suggestion.number:4d}  {'+'.join(job.functions):<12}  "


def _interrupted(monitor: Monitor) -> str:
    count = len(monitor.running)
    if monitor.interrupts >= END_AT:
        return "Ending the running programs; their evaluations stay pending."
    return f"Waiting for {count} running program{'s' * (count != 1)} to finish; press Ctrl-C again to end them."
