"""taut init."""

import click


@click.command("init", short_help="Write an example study: study.toml and two small programs.")
@click.argument("folder", default=".")
def command(folder: str) -> None:
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
