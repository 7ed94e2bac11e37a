"""taut export."""

import click

from taut.app.cli.common import one_thread


@click.command("export", short_help="Write all suggestions and values to a table.")
@click.argument("study_file", metavar="[STUDY.toml]", default="study.toml")
@click.option("-o", "--output", required=True, metavar="FILE", help="Ends in .csv, .json or .parquet.")
def command(study_file: str, output: str) -> None:
    """Write all suggestions and values to a table: one row for each suggestion or point.

    A file of that name is replaced. Parquet needs pyarrow. It does not change the study and may be used while it runs.
    Without a name, the study file is study.toml.

    \b
    Examples:
      taut export study.toml -o bracket.csv
      taut export study.toml -o bracket.parquet
    """
    one_thread()
    from taut.app.look import export, status
    from taut.app.studyfile.file import load

    file = load(study_file)
    found = status.rows(file, must_exist=True)
    n = export.write(file, found or status.Rows([], []), output)
    click.echo(f"wrote {n} rows to {output}")
