"""taut add."""

import json
from dataclasses import asdict

import click

from taut.app.cli.common import one_thread


@click.command("add", short_help="Add values measured before, from a table.")
@click.argument("study_file", metavar="STUDY.toml")
@click.argument("table", metavar="DATA.csv")
@click.option("--new-only", is_flag=True, help="Leave out values that the study has already.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def command(study_file: str, table: str, new_only: bool, as_json: bool) -> None:
    """Add values measured before, from a table; they count as data, not as cost.

    The first line of DATA.csv names the columns: every parameter and at least one function. An empty cell was not
    measured, fail says that the function failed there. Either all of the file is added, or nothing. What the study has
    already is refused.

    \b
    Examples:
      taut add study.toml import_csv.csv
      taut add study.toml import_csv.csv --new-only
    """
    one_thread()
    from taut.app.enter import import_csv
    from taut.app.studyfile.file import load, open_study, storage_of

    file = load(study_file)
    import_csv.read(table, file.problem)  # before a study is created for nothing
    storage = storage_of(file)
    open_study(file, storage)
    added = import_csv.add(table, file.problem, storage, new_only)
    if as_json:
        click.echo(json.dumps(asdict(added), indent=2))
        return
    click.echo(import_csv.sentence(added))
