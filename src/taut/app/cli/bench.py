"""taut bench: the published experiments, run and reported. The commands are in taut_paper.cli."""

import click

from taut.app.cli.study import HELP


class Published(click.Group):
    """Its commands are those of another package, imported when one of them is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from taut_paper.cli import COMMANDS

        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from taut_paper.cli import COMMANDS

        return COMMANDS.get(cmd_name)


command = Published("bench", help=HELP["bench"]["help"], short_help=HELP["bench"]["short_help"])
