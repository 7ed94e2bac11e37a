"""The commands about a study: the demonstration, and those on a study file. Their help is in help.toml."""

import functools
import json
import logging
import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from taut.base.errors import StoppedError
from taut.base.printable import printable

if TYPE_CHECKING:
    from taut.app.studyfile.file import StudyFile

HELP = tomllib.loads(Path(__file__).with_name("help.toml").read_text(encoding="utf-8"))

Shown = tuple[object, Iterable[str]]
"""What a command found: JSON-able, and as lines of text."""


def say(text: object) -> None:
    """Print it. Names of files and what programs said may hold anything, and the terminal is not to obey it."""
    click.echo(printable(str(text)))


def described(function: Callable[..., None]) -> click.Command:
    """Make a function a command, with its help."""
    words = HELP[function.__name__]
    return click.command(help=words["help"], short_help=words.get("short_help"))(function)


def study_command(named: bool = False) -> Callable[[Callable[..., Shown | None]], click.Command]:
    """Make a function of a study file a command, whose first argument is the name of the file.

    named: must the file be named? Else it is study.toml. A function that returns nothing prints by itself.
    """

    def decorate(function: Callable[..., Shown | None]) -> click.Command:
        @functools.wraps(function)
        def call(study_file: str, as_json: bool = False, **given: Any) -> None:
            from taut.app.studyfile.file import load

            found = function(load(study_file), **given)
            if found is not None:
                say(json.dumps(found[0], indent=2) if as_json else "\n".join(found[1]))

        command, json_help = described(call), HELP[function.__name__].get("json")
        usual = click.Argument(["study_file"], metavar="[STUDY.toml]", default="study.toml")
        command.params.insert(0, click.Argument(["study_file"], metavar="STUDY.toml") if named else usual)
        if json_help:
            command.params.append(click.Option(["--json", "as_json"], is_flag=True, help=json_help))
        return command

    return decorate


@described
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
    from taut.app.cli import demo
    from taut.app.run import live

    bench, monitor = demo.prepare(seed, budget, method)
    if as_json:
        click.echo(json.dumps(demo.run(bench, monitor).to_dict(), indent=2))
        return
    with live.Screen(monitor, plain) as screen:
        result = demo.run(bench, monitor, screen)
    screen.report(demo.result_lines(result))


@described
@click.argument("folder", default=".")
def init(folder: str) -> None:
    from taut.app.studyfile import template

    written = template.write(folder)
    for path in written:
        say(f"wrote {path}")
    say(f"Next: taut run {written[0]}")


@study_command(named=True)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Evaluations to run at the same time.")
@click.option("--dask", metavar="ADDRESS", help="Run the programs on the workers of this Dask scheduler.")
@click.option(
    "--stop", type=float, metavar="GAIN", help="End when all that is left is expected to gain less than this."
)
@click.option("--plain", is_flag=True, help="One line for each thing that happens instead of the live view.")
@click.option("--json", "only_json", is_flag=True, help="Print nothing but the end, as JSON.")
def run(
    file: "StudyFile", workers: int | None, dask: str | None, stop: float | None, plain: bool, only_json: bool
) -> None:
    from taut.app.run import live, session

    if stop is not None:
        from taut.study import checks

        file = replace(file, study=replace(file.study, stop=checks.stop(stop)))
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


@study_command()
@click.option(
    "--at", multiple=True, metavar="NAME=VALUE", help="Where to try the programs; by default the first point."
)
@click.option("--no-run", is_flag=True, help="Start no program: only show how the models have fared.")
@click.option("--json", "only_json", is_flag=True, help="Print everything as JSON.")
def check(file: "StudyFile", at: tuple[str, ...], no_run: bool, only_json: bool) -> None:
    from taut.app.look import text
    from taut.app.run import dry

    found = dry.check(file, os.environ, at, run=not no_run)
    say(json.dumps(found.to_dict(), indent=2) if only_json else "\n".join(text.check_lines(found)))
    if found.failed:
        names = ", ".join(found.failed)
        raise StoppedError(f"the dry run of {names} gave no value: see what is said about it, and check again.")


@study_command()
def ask(file: "StudyFile") -> Shown:
    from taut.app.enter import manual

    suggestion = manual.ask(file)
    as_typed = click.get_current_context().params["study_file"]
    return manual.to_dict(suggestion), manual.lines(suggestion, as_typed, file.problem.measured)


@study_command(named=True)
@click.argument("number", metavar="NUMBER")
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
@click.option("--note", default="", help="Why it failed; kept with the failures.")
@click.option("--seconds", multiple=True, metavar="NAME=SECONDS", help="How long a function, or a setup, took.")
def tell(file: "StudyFile", number: str, values: tuple[str, ...], note: str, seconds: tuple[str, ...]) -> Shown:
    from taut.app.enter import manual

    told = manual.tell(file, number, values, note, seconds)
    return asdict(told), [told.sentence()]


@study_command(named=True)
@click.argument("number", metavar="[NUMBER]", required=False)
@click.argument("name", metavar="[NAME]", required=False)
def retry(file: "StudyFile", number: str | None, name: str | None) -> Shown:
    from taut.app.enter import manual

    opened = manual.retry(file, number, name)
    return opened.to_dict(), [opened.sentence("open again", "nothing has failed there; nothing was changed")]


@study_command(named=True)
@click.argument("number", metavar="NUMBER")
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
def correct(file: "StudyFile", number: str, values: tuple[str, ...]) -> Shown:
    from taut.app.enter import manual

    replaced = manual.correct(file, number, values)
    return replaced.to_dict(), [replaced.sentence("replaced", "these values are known already; nothing was changed")]


@study_command(named=True)
@click.argument("table", metavar="DATA.csv")
@click.option("--new-only", is_flag=True, help="Leave out values that the study has already.")
def add(file: "StudyFile", table: str, new_only: bool) -> Shown:
    from taut.app.enter import import_csv

    added = import_csv.add(table, file, new_only)
    return asdict(added), [import_csv.sentence(added)]


@study_command()
def status(file: "StudyFile") -> Shown:
    from taut.app.look import answer, status, text

    rows = status.rows(file)
    found = status.status(file.problem, file.study, rows)
    if rows is not None:
        found = replace(found, best=answer.recommended(file), meaning=answer.meaning(file))
    return asdict(found), text.status_lines(found)


@study_command()
@click.option("--with", "conditions", multiple=True, metavar="LIMIT", help="What if a limit were NAME<=VALUE?")
def best(file: "StudyFile", conditions: tuple[str, ...]) -> Shown:
    from taut.app.look import answer, text

    found = answer.stored(file, conditions)
    asked = [f"what if {' and '.join(conditions)}? Nothing is stored.", ""] if conditions else []
    return found.to_dict(), [*asked, *text.answer_lines(found)]


@study_command(named=True)
@click.argument("point", nargs=-1, metavar="NAME=VALUE...")
def predict(file: "StudyFile", point: tuple[str, ...]) -> Shown:
    from taut.app.look import answer, text

    found = answer.predicted(file, point)
    return answer.beliefs(found), text.prediction_lines(found, file.problem.objective.name)


@study_command()
@click.option("-o", "--output", required=True, metavar="FILE", help="Ends in .csv, .json or .parquet.")
def export(file: "StudyFile", output: str) -> None:
    from taut.app.look import export, status

    found = status.rows(file, must_exist=True)
    assert found is not None, "it exists"
    n = export.write(file, found.history, output)
    say(f"wrote {n} rows to {output}")


@study_command()
@click.option("-o", "--output", required=True, metavar="FILE", help="The page to write; ends in .html.")
def report(file: "StudyFile", output: str) -> None:
    from taut.app.look import answer

    written = answer.report(file, output)
    say(f"wrote {written}")


@study_command()
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others are reachable by all.")
def dashboard(file: "StudyFile", port: int, host: str) -> None:
    from taut.app.look import server, watch

    server.serve(watch.Watch(file), host, port, say)
