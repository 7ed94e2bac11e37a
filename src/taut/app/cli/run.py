"""taut run."""

import json
import logging
import os

import click

from taut.app.cli.common import one_thread
from taut.base.errors import StoppedError


@click.command("run")
@click.argument("study_file", metavar="STUDY.toml")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Evaluations to run at the same time.")
@click.option("--dask", metavar="ADDRESS", help="Run the programs on the workers of this Dask scheduler.")
@click.option("--plain", is_flag=True, help="One line for each thing that happens instead of the live view.")
@click.option("--json", "as_json", is_flag=True, help="Print nothing but the end, as JSON.")
def command(study_file: str, workers: int | None, dask: str | None, plain: bool, as_json: bool) -> None:
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
    environment = dict(os.environ)  # the user's programs may want all threads of BLAS
    one_thread()
    from taut.app.run import live, session
    from taut.app.studyfile.file import load

    with session.prepare(load(study_file), environment, workers, dask) as (monitor, programs):
        if as_json:
            result = session.run(monitor, programs)
            click.echo(json.dumps(result.to_dict(), indent=2))
        else:
            logging.getLogger("taut").addHandler(logging.NullHandler())  # the screen shows it
            with live.Screen(monitor, plain) as screen:
                result = session.run(monitor, programs, screen)
            screen.report(result)
    if not result.finished:
        raise StoppedError(f"the run did not reach its end: {result.reason}")
