"""The commands about a study: the demonstration, and those on a study file."""

import functools
import json
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from taut.base.errors import StoppedError

if TYPE_CHECKING:
    from taut.app.studyfile.file import StudyFile

Shown = tuple[object, Iterable[str]]
"""What a command found: JSON-able, and as lines of text."""


def study_command(
    short_help: str | None = None, as_json: str = "", named: bool = False
) -> Callable[[Callable[..., Shown | None]], click.Command]:
    """Make a function of a study file a command, whose first argument is the name of the file.

    as_json: help of its option --json; without it there is none, and the function prints by itself. named: must the
    file be named? Else it is study.toml.
    """

    def decorate(function: Callable[..., Shown | None]) -> click.Command:
        @functools.wraps(function)
        def call(study_file: str, as_json: bool = False, **given: Any) -> None:
            from taut.app.studyfile.file import load

            found = function(load(study_file), **given)
            if found is not None:
                click.echo(json.dumps(found[0], indent=2) if as_json else "\n".join(found[1]))

        command = click.command(short_help=short_help)(call)
        usual = click.Argument(["study_file"], metavar="[STUDY.toml]", default="study.toml")
        command.params.insert(0, click.Argument(["study_file"], metavar="STUDY.toml") if named else usual)
        if as_json:
            command.params.append(click.Option(["--json", "as_json"], is_flag=True, help=as_json))
        return command

    return decorate


@click.command()
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same run.")
@click.option("--budget", type=float, default=60.0, show_default=True, help="Cost to spend after the initial design.")
@click.option(
    "--method",
    default="dckg",
    show_default=True,
    metavar="NAME",
    help="dckg, dckg-uncoupled, cei+, ucb-d, cmes, pesc, pesc-coupled, ckg, cei or random. "
    "The last four evaluate all functions at every point.",
)
@click.option("--plain", is_flag=True, help="One line for each thing that happens instead of the live view.")
@click.option("--json", "as_json", is_flag=True, help="Print nothing but the result, as JSON.")
def demo(seed: int, budget: float, method: str, plain: bool, as_json: bool) -> None:
    """Solve a small problem, watch the decisions, and see which constraints mattered.

    Two parameters, three constraints. The true answer is known and shown at the end. The constraint c2 costs
    the most and does not matter: watch how rarely it is evaluated.

    \b
    Examples:
      taut demo
      taut demo --method ckg           the same budget, all functions at every point
      taut demo --seed 3 --json > demo.json
    """
    from taut.app.cli import demo
    from taut.app.run import live

    bench, monitor = demo.prepare(seed, budget, method)
    if as_json:
        click.echo(json.dumps(demo.run(bench, monitor).to_dict(), indent=2))
        return
    with live.Screen(monitor, plain) as screen:
        result = demo.run(bench, monitor, screen)
    screen.report(demo.result_lines(result))


@click.command(short_help="Write an example study: study.toml and two small programs.")
@click.argument("folder", default=".")
def init(folder: str) -> None:
    """Write an example study: a commented study.toml and two small programs that run as they are.

    FOLDER is where to write it (made if need be), by default the current one. Nothing is overwritten.

    \b
    Examples:
      taut init
      taut init bracket
    """
    from taut.app.studyfile import template

    written = template.write(folder)
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(f"Next: taut run {written[0]}")


@study_command(named=True)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Evaluations to run at the same time.")
@click.option("--dask", metavar="ADDRESS", help="Run the programs on the workers of this Dask scheduler.")
@click.option("--plain", is_flag=True, help="One line for each thing that happens instead of the live view.")
@click.option("--json", "only_json", is_flag=True, help="Print nothing but the end, as JSON.")
def run(file: "StudyFile", workers: int | None, dask: str | None, plain: bool, only_json: bool) -> None:
    """Run a study, or go on with it: start its programs until the budget is spent.

    Ctrl-C lets the running programs finish; pressed twice, it ends them. The same command goes on from there, also
    after a crash. Several of these commands may work on the same study.

    \b
    Examples:
      taut run study.toml
      taut run study.toml --workers 4
      taut run study.toml --dask tcp://head-node:8786
      taut run study.toml --json > end.json
    """
    from taut.app.run import live, session

    with session.prepare(file, os.environ, workers, dask) as prepared:
        if only_json:
            result = session.run(prepared)
            click.echo(json.dumps(result.to_dict(), indent=2))
        else:
            logging.getLogger("taut").addHandler(logging.NullHandler())  # the screen shows it
            with live.Screen(prepared.monitor, plain) as screen:
                result = session.run(prepared, screen)
            screen.report(live.result_lines(result))
    if not result.finished:
        raise StoppedError(f"the run did not reach its end: {result.reason}")


@study_command("Say what to evaluate next, and where, by hand.", as_json="Print the suggestion as JSON.")
def ask(file: "StudyFile") -> Shown:
    """Say what to evaluate next, and where, for those who evaluate by hand.

    Every call gives one more suggestion, which takes into account what is asked for and not told yet. Without a name,
    the file is study.toml.

    \b
    Examples:
      taut ask study.toml
      taut ask study.toml --json
    """
    from taut.app.enter import manual

    suggestion = manual.ask(file)
    as_typed = click.get_current_context().params["study_file"]
    return manual.to_dict(suggestion), manual.lines(suggestion, as_typed)


@study_command("Tell what came out of a suggestion, by hand.", as_json="Print what was taken as JSON.", named=True)
@click.argument("number", metavar="NUMBER")
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
@click.option("--note", default="", help="Why it failed; kept with the failures.")
def tell(file: "StudyFile", number: str, values: tuple[str, ...], note: str) -> Shown:
    """Tell what came out of suggestion NUMBER: any of the functions asked for, now or later.

    NAME=fail says that the function failed there. Telling the same value again is harmless. Either all values of a
    call are taken, or none.

    \b
    Examples:
      taut tell study.toml 7 stress=143.2 mass=8.1
      taut tell study.toml 8 stress=fail --note "no convergence"
    """
    from taut.app.enter import manual

    told = manual.tell(file, number, values, note)
    return told.to_dict(), [told.sentence()]


@study_command("Add values measured before, from a table.", as_json="Print the counts as JSON.", named=True)
@click.argument("table", metavar="DATA.csv")
@click.option("--new-only", is_flag=True, help="Leave out values that the study has already.")
def add(file: "StudyFile", table: str, new_only: bool) -> Shown:
    """Add values measured before, from a table; they count as data, not as cost.

    The first line of DATA.csv names the columns: every parameter and at least one function. An empty cell was not
    measured, fail says that the function failed there. Either all of the file is added, or nothing. What the study has
    already is refused.

    \b
    Examples:
      taut add study.toml measured.csv
      taut add study.toml measured.csv --new-only
    """
    from taut.app.enter import import_csv

    added = import_csv.add(table, file, new_only)
    return asdict(added), [import_csv.sentence(added)]


@study_command("Show what was spent and evaluated, and what is open.", as_json="Print everything as JSON.")
def status(file: "StudyFile") -> Shown:
    """Show where a study stands: what was spent and evaluated, and what waits for values.

    It changes nothing and may be used while the study runs. Without a name, the file is study.toml.

    \b
    Examples:
      taut status study.toml
      taut status study.toml --json
    """
    from taut.app.look import status, text

    found = status.status(file.problem, file.study, status.rows(file))
    return found.to_dict(), text.status_lines(found)


@study_command("Show the best point, and which constraints matter.", as_json="Print everything as JSON.")
def best(file: "StudyFile") -> Shown:
    """Show the best point according to what is known now, and which constraints matter there.

    It changes nothing and may be used while the study runs. Without a name, the file is study.toml.

    \b
    Examples:
      taut best study.toml
      taut best study.toml --json
    """
    from taut.app.look import answer, text

    found = answer.stored(file)
    return found.to_dict(), text.answer_lines(found)


@study_command("Write all suggestions and values to a table.")
@click.option("-o", "--output", required=True, metavar="FILE", help="Ends in .csv, .json or .parquet.")
def export(file: "StudyFile", output: str) -> None:
    """Write all suggestions and values to a table: one row for each suggestion or point.

    A file of that name is replaced. Parquet needs pyarrow. It does not change the study and may be used while it runs.
    Without a name, the study file is study.toml.

    \b
    Examples:
      taut export study.toml -o bracket.csv
      taut export study.toml -o bracket.parquet
    """
    from taut.app.look import export, status

    found = status.rows(file, must_exist=True)
    n = export.write(file, found or status.Rows([], []), output)
    click.echo(f"wrote {n} rows to {output}")
