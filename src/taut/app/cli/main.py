"""The command line: parse, call one function, print. A command is imported when it is used."""

import importlib
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, cast

import click

from taut import __version__
from taut.base.errors import StoppedError, TautError
from taut.base.printable import printable
from taut.base.secrets import hidden

NOT_FINISHED = 1
MISTAKE = 2

COMMANDS = (
    "demo",
    "init",
    "check",
    "run",
    "ask",
    "tell",
    "add",
    "retry",
    "correct",
    "status",
    "best",
    "predict",
    "export",
    "report",
    "dashboard",
    "bench",
)
"""In the order of --help."""


class Program(click.Group):
    """Ends with 0 if done, 1 if not finished, 2 on a user's mistake: one sentence on standard error, no traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = ("bench", "command") if cmd_name == "bench" else ("study", cmd_name)
        found: click.Command = getattr(importlib.import_module(f"taut.app.cli.{module}"), name)
        return found

    def main(self, *args: Any, **options: Any) -> NoReturn:
        options["standalone_mode"] = False
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what matters of a broken connection we say
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a folder's name that the terminal cannot show
        with _output() as output:
            self._end(output, *args, **options)

    def _end(self, output: "_Output", *args: Any, **options: Any) -> NoReturn:
        try:
            code = super().main(*args, **options)
            sys.stdout.flush()
            sys.exit(code)
        except click.UsageError as error:
            message, where = error.format_message(), error.ctx.command_path if error.ctx else "taut"
            stop = "" if message.endswith((".", "?")) else "."
            _fail(f"{message}{stop} See '{where} --help'.", MISTAKE)
        except StoppedError as error:
            _fail(str(error), NOT_FINISHED)
        except (click.ClickException, TautError) as error:
            _fail(str(error), MISTAKE)
        except click.Abort:
            _fail("stopped before the end.", NOT_FINISHED)
        except OSError as error:
            what = "the system refused a step" if error.filename is None else repr(error.filename)
            if output.failed:
                what = "the output could not be written"
                _silence_output()
            _fail(f"{what}: {error.strerror or error}.", NOT_FINISHED)


class _Output:
    """Standard output, which remembers whether it could be written."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.failed = stream, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> Any:
        return self._tried(self._stream.write, text)

    def flush(self) -> None:
        self._tried(self._stream.flush)

    def _tried(self, call: Callable[..., Any], *given: Any) -> Any:
        try:
            return call(*given)
        except OSError:
            self.failed = True
            raise


@contextmanager
def _output() -> Iterator[_Output]:
    usual, output = sys.stdout, _Output(sys.stdout)
    ours = sys.stdout = cast(TextIO, output)
    try:
        yield output
    finally:
        if sys.stdout is ours:
            sys.stdout = usual


def _silence_output() -> None:
    """After a failed write: what is still buffered would fail again, with a traceback, when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _fail(message: str, code: int) -> NoReturn:
    line = " ".join(hidden(message).split())  # one line, whatever the user typed
    click.echo(f"Error: {printable(line)}", err=True)
    sys.exit(code)


@click.group(cls=Program, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="taut %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Bayesian optimisation with objective and constraints evaluated separately.

    \b
    Start with:
      taut demo
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
