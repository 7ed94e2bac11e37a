"""taut bench: its commands are those of the experiments, and naming them costs nothing."""

import subprocess
import sys

from click.testing import CliRunner

from taut.app.cli.main import main


def test_the_commands_are_those_of_the_experiments() -> None:
    shown = CliRunner().invoke(main, ["bench", "--help"]).stdout
    listed = [line.split()[0] for line in shown.partition("Commands:")[2].splitlines() if line.strip()]
    assert listed == ["export", "import", "report", "run", "status"]


def test_an_unknown_command_is_a_mistake() -> None:
    ended = CliRunner().invoke(main, ["bench", "rum"])
    assert ended.exit_code == 2 and ended.stderr.startswith("Error: No such command 'rum'")


def test_help_is_light() -> None:
    """One process for all: nothing of a later command may be there either."""
    script = """
import sys
from click.testing import CliRunner
from taut.app.cli.main import main
for arguments in (["--help"], ["bench", "--help"], ["bench", "run", "--help"]):
    assert CliRunner().invoke(main, arguments).exit_code == 0
print([name for name in ("numpy", "scipy", "rich", "matplotlib", "pyarrow") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
