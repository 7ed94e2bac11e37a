"""Draws a demonstration in a terminal: a live view, or one line per decision; then the result."""

import time
from types import TracebackType

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from taut.app.cli.demonstration import Account, Case, Result, accounts
from taut.data.rows import Recommendation, Suggestion, Verdict
from taut.study.study import Study

WIDTH = 100  # the views are made for 80 to this many columns
LAST = 8  # decisions shown in the live view
COUPLED = ("pesc-coupled", "ckg", "cei", "random")
EVERY = 10  # decisions between two reports of the best point in plain lines

VERDICTS: dict[Verdict, str] = {
    "binding": "binds",
    "irrelevant": "does not matter",
    "undecided": "not clear yet",
}
STYLES: dict[Verdict, str] = {"binding": "bold yellow", "irrelevant": "green", "undecided": "magenta"}


class Screen:
    """Shows a run while it goes on; use as a context, hand `update` to the run, and `report` its result."""

    def __init__(self, case: Case, plain: bool, console: Console | None = None) -> None:
        self._case = case
        self._console = console or Console(highlight=False, color_system=None if plain else "auto")
        self._plain = plain or not self._console.is_terminal
        if self._plain or self._console.width > WIDTH:
            self._console.width = WIDTH
        self._started = time.monotonic()
        self._live: Live | None = None
        self._best: Recommendation | None = None
        self._over = False

    def __enter__(self) -> "Screen":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        if self._live is not None:
            self._live.stop()

    def update(self, study: Study, suggestion: Suggestion) -> None:
        """Show one more decision."""
        if self._plain:
            self._print(study, suggestion)
            return
        if not suggestion.initial:
            self._best = study.recommend()
        if self._live is None:
            self._console.print(_title(self._case))
            self._live = Live(console=self._console, get_renderable=self._frame, refresh_per_second=4)
            self._live.start()

    def report(self, result: Result) -> None:
        """Show the result."""
        if not self._plain:
            self._console.print(result_view(result))
            return
        with self._console.capture() as captured:
            self._console.print("", result_view(result), sep="\n")
        for line in captured.get().splitlines():
            self._console.print(Text(line.rstrip()), soft_wrap=True)

    def _frame(self) -> RenderableType:
        seconds = time.monotonic() - self._started
        # What remains on the screen leaves out what the report says again.
        return _bar_and_decisions(self._case, seconds) if self._over else live_view(self._case, self._best, seconds)

    def _print(self, study: Study, suggestion: Suggestion) -> None:
        if suggestion.number == 1:
            self._console.print(_title(self._case))
        self._console.print(Text(decision_line(suggestion, study.spent)), soft_wrap=True)
        later = sum(not row.initial for row in study.suggestions)
        if later and later % EVERY == 0:
            self._console.print(Text("     best so far: ").append(best_text(study.recommend())), soft_wrap=True)


def decision_line(suggestion: Suggestion, spent: float) -> str:
    """One decision in one line: number, functions, point, spent so far, why."""
    point = ", ".join(f"{value:.4f}" for value in suggestion.point.values())
    asked = "+".join(suggestion.functions)
    return f"{suggestion.number:4d}  {asked:<12}  ({point})  spent {_number(spent):>5}  {_why(suggestion)}"


def live_view(case: Case, best: Recommendation | None, seconds: float) -> RenderableType:
    """Progress, evaluations per function, the best point, and the last decisions; 22 lines."""
    believed = Text("not known before the initial design is complete") if best is None else best_text(best)
    return Group(
        _bar(case, seconds),
        _evaluations(accounts(case.bench.problem, case.study)),
        Text("best so far  ", style="bold").append(believed),
        _decisions(case.study.suggestions[-LAST:]),
    )


def _bar_and_decisions(case: Case, seconds: float) -> RenderableType:
    return Group(_bar(case, seconds), _decisions(case.study.suggestions[-LAST:]))


def best_text(best: Recommendation) -> Text:
    """The objective, the point and its probability of feasibility, in one line."""
    mean, sd = best.objective
    point = ", ".join(f"{value:.4f}" for value in best.point.values())
    return (
        Text()
        .append(f"f = {mean:.4f}", style="bold cyan")
        .append(f" +- {sd:.1g} at ({point}), P(feasible) {_probability(best.feasibility)}")
    )


def result_view(result: Result) -> RenderableType:
    """Answer against truth, cost per function, which constraints mattered, and what coupling would have cost."""
    parts: list[RenderableType] = [
        Text("Answer", style="bold"),
        _answer(result),
        _note(answer_sentences(result)),
        Text("\nWhat was evaluated", style="bold"),
        _evaluations(result.accounts, total=result.spent),
        _note(
            f"The initial design ({result.accounts[0].initial} points, all functions at each) cost "
            f"{_number(result.initial_cost)} and is not part of the budget."
        ),
        Text("\nWhich constraints mattered", style="bold"),
        _relevance(result),
        _note(
            "matters: probability that leaving the constraint out would change the answer. binds: probability that "
            "it is active at the answer. coupled: cost of evaluating it at every point of this run."
        ),
        "",
        Padding(Text(coupled_sentence(result), style="bold"), (0, 1)),
    ]
    if result.method not in COUPLED:
        parts.append(_note("For a coupled method with the same budget: taut demo --method ckg"))
    return Group(*parts)


def answer_sentences(result: Result) -> str:
    """How the answer compares with what was predicted and with the best possible."""
    mean, sd = result.best.objective
    predicted = (
        f"Predicted there: f = {mean:.6f} +- {sd:.1g}, feasible with probability "
        f"{_probability(result.best.feasibility)}."
    )
    if result.feasible:
        return f"{predicted} In truth it is feasible and loses {result.opportunity_cost:.2g} against the optimum."
    return (
        f"{predicted} In truth it is not feasible, which counts as the penalty {_number(result.bench.penalty)}: "
        f"opportunity cost {_number(result.opportunity_cost)}."
    )


def coupled_sentence(result: Result) -> str:
    """What evaluating everything together would have cost for as many objective evaluations."""
    n, coupled, spent = result.objective_evaluations, result.coupled_cost, result.spent
    if not result.decisions:
        return f"A budget of {_number(result.budget)} pays for nothing that {result.method} would evaluate."
    if not n:
        return f"The objective was not evaluated after the initial design; the constraints cost {_number(spent)}."
    start = (
        f"A coupled method pays for all {len(result.accounts)} functions each time: its bill for the same "
        f"{n} evaluation{'s' * (n > 1)} of the objective is {_number(coupled)}"
    )
    if coupled > spent:
        return f"{start}; this run spent {_number(spent)}, which saves {1.0 - spent / coupled:.0%}."
    if coupled == spent:
        return f"{start}, which is what this run spent: nothing saved."
    return f"{start}; this run spent {_number(spent)}, {spent / coupled - 1.0:.0%} more."


def _title(case: Case) -> Text:
    problem = case.bench.problem
    names = ", ".join(constraint.name for constraint in problem.constraints)
    return (
        Text("taut demo", style="bold")
        .append(f"  maximise f(x1, x2) subject to {names} <= 0 (Test Function 2)\n", style="not bold")
        .append(f"method {case.study.method}, seed {case.study.seed}, budget {_number(case.budget)}", style="dim")
    )


def _bar(case: Case, seconds: float) -> Table:
    study = case.study
    row = Table.grid(padding=(0, 1), expand=True)
    row.add_column(no_wrap=True)
    row.add_column(ratio=1)
    row.add_column(no_wrap=True, justify="right")
    chosen = sum(not suggestion.initial for suggestion in study.suggestions)
    row.add_row(
        Text("spent", style="bold"),
        ProgressBar(total=case.budget, completed=study.spent),
        Text(f"{_number(study.spent)} of {_number(case.budget)}   {chosen} decisions   {seconds:.0f} s"),
    )
    return row


def _evaluations(rows: tuple[Account, ...], total: float | None = None) -> Table:
    """One line per function, with a bar of what was spent on it; with a total, a last line for it."""
    table = _table(show_footer=total is not None)
    table.add_column("function", "total")
    table.add_column("cost of one", justify="right")
    table.add_column("initial", str(sum(row.initial for row in rows)), justify="right")
    table.add_column("chosen", str(sum(row.chosen for row in rows)), justify="right")
    table.add_column("spent", "" if total is None else _number(total), justify="right")
    table.add_column("", width=24)
    most = max(row.spent for row in rows) or 1.0
    for row in rows:
        table.add_row(
            row.function,
            _number(row.cost),
            str(row.initial),
            str(row.chosen),
            _number(row.spent),
            ProgressBar(total=most, completed=row.spent, complete_style="cyan", finished_style="cyan"),
        )
    return table


def _decisions(suggestions: tuple[Suggestion, ...]) -> Table:
    table = _table(expand=True)
    table.add_column("#", justify="right")
    table.add_column("asked for", style="bold", no_wrap=True, min_width=11)
    table.add_column("at", no_wrap=True)
    table.add_column("why", ratio=1, no_wrap=True, overflow="ellipsis")
    for row in suggestions:
        point = " ".join(f"{value:.4f}" for value in row.point.values())
        table.add_row(str(row.number), "+".join(row.functions), point, _why(row))
    for _ in range(LAST - len(suggestions)):
        table.add_row()
    return table


def _answer(result: Result) -> Table:
    bench, best = result.bench, result.best
    table = _table()
    table.add_column("")
    table.add_column("found", justify="right")
    table.add_column("truth", justify="right")
    for name, value in best.point.items():
        table.add_row(name, f"{value:.6f}", f"{bench.solution[name]:.6f}")
    table.add_row("objective f", f"{result.value:.6f}", f"{bench.optimum:.6f}")
    table.add_row("opportunity cost", Text(f"{result.opportunity_cost:.2g}", style="bold cyan"), "0")
    return table


def _relevance(result: Result) -> Table:
    table = _table()
    table.add_column("constraint")
    table.add_column("matters", justify="right")
    table.add_column("binds", justify="right")
    table.add_column("verdict")
    table.add_column("truth")
    table.add_column("chosen", justify="right")
    table.add_column("spent", justify="right")
    table.add_column("coupled", justify="right")
    for row in result.relevance:
        table.add_row(
            row.constraint,
            _probability(row.matters),
            _probability(row.binds),
            Text(VERDICTS[row.verdict], style=STYLES[row.verdict]),
            "binds" if row.constraint in result.bench.binding else "slack",
            str(row.evaluations),
            _number(row.cost),
            _number(row.coupled_cost),
        )
    return table


def _table(expand: bool = False, show_footer: bool = False) -> Table:
    return Table(box=box.SIMPLE_HEAD, header_style="dim", padding=(0, 1, 0, 0), expand=expand, show_footer=show_footer)


def _note(text: str) -> Padding:
    return Padding(Text(text, style="dim"), (0, 1))


def _why(suggestion: Suggestion) -> str:
    """The note without the names of the functions, which stand beside it."""
    return suggestion.note.removeprefix("+".join(suggestion.functions) + ": ")


def _number(value: float) -> str:
    return f"{value:.6g}"


def _probability(p: float) -> str:
    """Two digits, and never a certainty that was not computed."""
    return "< 0.01" if p < 0.01 else "> 0.99" if p > 0.99 else f"{p:.2f}"
