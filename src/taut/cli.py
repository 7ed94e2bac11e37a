"""The command line: parse, call one function, print. Heavy modules are imported by the command that needs them."""

import json
import os
import sys
from typing import Any, NoReturn

import click

from taut import __version__
from taut.errors import TautError

NOT_FINISHED = 1
MISTAKE = 2


class Program(click.Group):
    """Ends with 0 if done, 1 if not finished, 2 on a user's mistake: one sentence on standard error, no traceback."""

    def main(self, *args: Any, **options: Any) -> NoReturn:
        options["standalone_mode"] = False
        try:
            code = super().main(*args, **options)
            sys.stdout.flush()
            sys.exit(code)
        except click.UsageError as error:
            message, where = error.format_message(), error.ctx.command_path if error.ctx else "taut"
            stop = "" if message.endswith((".", "?")) else "."
            _fail(f"{message}{stop} See '{where} --help'.", MISTAKE)
        except (click.ClickException, TautError) as error:
            _fail(str(error), MISTAKE)
        except click.Abort:
            _fail("stopped before the end.", NOT_FINISHED)
        except OSError as error:
            _silence_output()
            what = "the output could not be written" if error.filename is None else repr(error.filename)
            _fail(f"{what}: {error.strerror or error}.", NOT_FINISHED)


def _silence_output() -> None:
    """After a failed write: what is still buffered would fail again, with a traceback, when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
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


@main.command()
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same run.")
@click.option("--budget", type=float, default=60.0, show_default=True, help="Cost to spend after the initial design.")
@click.option(
    "--method",
    default="dckg",
    show_default=True,
    metavar="NAME",
    help="dckg, dckg-uncoupled, cei+, ckg, cei or random. The last three evaluate all functions at every point.",
)
@click.option("--plain", is_flag=True, help="One line per decision instead of the live view.")
@click.option("--json", "as_json", is_flag=True, help="Print nothing but the result, as JSON.")
def demo(seed: int, budget: float, method: str, plain: bool, as_json: bool) -> None:
    """Solve a small problem, watch the decisions, and see which constraints mattered.

    Two parameters, three constraints. The true answer is known and shown at the end. The constraint c2 costs
    the most and does not matter: watch how rarely it is evaluated.

    \b
    Examples:
      taut demo
      taut demo --method ckg           the same budget, all functions at every point
      taut demo --seed 3 --json > demo.json
    """
    # Before NumPy is loaded: on small matrices the threads of BLAS cost far more than they gain.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from taut import demo as demonstration
    from taut import terminal

    case = demonstration.prepare(seed, budget, method)
    if as_json:
        click.echo(json.dumps(demonstration.run(case).to_dict(), indent=2))
        return
    screen = terminal.Screen(case, plain)
    with screen:
        result = demonstration.run(case, screen.update)
    screen.report(result)
