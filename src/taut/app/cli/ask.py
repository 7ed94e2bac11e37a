"""taut ask."""

import json

import click

from taut.app.cli.common import one_thread


@click.command("ask", short_help="Say what to evaluate next, and where, by hand.")
@click.argument("study_file", metavar="[STUDY.toml]", default="study.toml")
@click.option("--json", "as_json", is_flag=True, help="Print the suggestion as JSON.")
def command(study_file: str, as_json: bool) -> None:
    """Say what to evaluate next, and where, for those who evaluate by hand.

    Every call gives one more suggestion, which takes into account what is asked for and not told yet. Without a name,
    the file is study.toml.

    \b
    Examples:
      taut ask study.toml
      taut ask study.toml --json
    """
    one_thread()
    from taut.app.enter import manual
    from taut.app.studyfile.file import load

    file = load(study_file)
    suggestion = manual.ask(file)
    if as_json:
        click.echo(json.dumps(manual.to_dict(suggestion), indent=2))
        return
    for line in manual.lines(suggestion, study_file):
        click.echo(line)
