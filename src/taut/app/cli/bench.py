"""taut bench: the published experiments, run and reported. The commands are in taut_paper.cli."""

import click


class Published(click.Group):
    """Its commands are those of another package, imported when one of them is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from taut_paper.cli import COMMANDS

        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from taut_paper.cli import COMMANDS

        return COMMANDS.get(cmd_name)


@click.group("bench", cls=Published, short_help="Run the published experiments and report on them.")
def command() -> None:
    """Run the published experiments and report on them.

    \b
    Example:
      taut bench run paper --scale quick --workers 2
      taut bench status
      taut bench report
    """
