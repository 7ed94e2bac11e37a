"""taut best."""

import json

import click

from taut.app.cli.common import one_thread


@click.command("best", short_help="Show the best point, and which constraints matter.")
@click.argument("study_file", metavar="[STUDY.toml]", default="study.toml")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(study_file: str, as_json: bool) -> None:
    """Show the best point according to what is known now, and which constraints matter there.

    It changes nothing and may be used while the study runs. Without a name, the file is study.toml.

    \b
    Examples:
      taut best study.toml
      taut best study.toml --json
    """
    one_thread()
    from taut.app.look import answer, text
    from taut.app.studyfile.file import load

    found = answer.best(load(study_file))
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2))
        return
    for line in text.best_lines(found):
        click.echo(line)
