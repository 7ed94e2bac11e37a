"""taut tell."""

import json

import click

from taut.app.cli.common import one_thread


@click.command("tell", short_help="Tell what came out of a suggestion, by hand.")
@click.argument("study_file", metavar="STUDY.toml")
@click.argument("number", metavar="NUMBER")
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
@click.option("--note", default="", help="Why it failed; kept with the failures.")
@click.option("--json", "as_json", is_flag=True, help="Print what was taken as JSON.")
def command(study_file: str, number: str, values: tuple[str, ...], note: str, as_json: bool) -> None:
    """Tell what came out of suggestion NUMBER: any of the functions asked for, now or later.

    NAME=fail says that the function failed there. Telling the same value again is harmless. Either all values of a
    call are taken, or none.

    \b
    Examples:
      taut tell study.toml 7 stress=143.2 mass=8.1
      taut tell study.toml 8 stress=fail --note "no convergence"
    """
    one_thread()
    from taut.app.enter import manual
    from taut.app.studyfile.file import load

    told = manual.tell(load(study_file), number, values, note)
    if as_json:
        click.echo(json.dumps(told.to_dict(), indent=2))
        return
    click.echo(told.sentence())
