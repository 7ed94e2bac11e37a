"""taut status."""

import json

import click

from taut.app.cli.common import one_thread


@click.command("status", short_help="Show what was spent and evaluated, and what is open.")
@click.argument("study_file", metavar="[STUDY.toml]", default="study.toml")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(study_file: str, as_json: bool) -> None:
    """Show where a study stands: what was spent and evaluated, and what waits for values.

    It changes nothing and may be used while the study runs. Without a name, the file is study.toml.

    \b
    Examples:
      taut status study.toml
      taut status study.toml --json
    """
    one_thread()
    from taut.app.look import status, text
    from taut.app.studyfile.file import load

    file = load(study_file)
    found = status.overview(file, status.rows(file))
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2))
        return
    for line in text.status_lines(found):
        click.echo(line)
