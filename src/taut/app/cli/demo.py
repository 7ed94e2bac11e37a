"""taut demo."""

import json

import click

from taut.app.cli.common import one_thread


@click.command("demo")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same run.")
@click.option("--budget", type=float, default=60.0, show_default=True, help="Cost to spend after the initial design.")
@click.option(
    "--method",
    default="dckg",
    show_default=True,
    metavar="NAME",
    help="dckg, dckg-uncoupled, cei+, ucb-d, cmes, pesc, pesc-coupled, ckg, cei or random. "
    "The last four evaluate all functions at every point.",
)
@click.option("--plain", is_flag=True, help="One line per decision instead of the live view.")
@click.option("--json", "as_json", is_flag=True, help="Print nothing but the result, as JSON.")
def command(seed: int, budget: float, method: str, plain: bool, as_json: bool) -> None:
    """Solve a small problem, watch the decisions, and see which constraints mattered.

    Two parameters, three constraints. The true answer is known and shown at the end. The constraint c2 costs
    the most and does not matter: watch how rarely it is evaluated.

    \b
    Examples:
      taut demo
      taut demo --method ckg           the same budget, all functions at every point
      taut demo --seed 3 --json > demo.json
    """
    one_thread()
    from taut.app.cli import demonstration as demonstration
    from taut.app.look import terminal

    case = demonstration.prepare(seed, budget, method)
    if as_json:
        click.echo(json.dumps(demonstration.run(case).to_dict(), indent=2))
        return
    screen = terminal.Screen(case, plain)
    with screen:
        result = demonstration.run(case, screen.update)
    screen.report(result)
