"""The commands `taut bench ...`. What they need is imported when they run, so that --help is quick."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from taut.base.errors import StoppedError, StorageError, TautError
from taut.base.printable import printable

if TYPE_CHECKING:
    from taut_paper.report.page import Written
    from taut_paper.traces import Results

FOLDER = "bench-results"
PAGE = "report.html"
NEEDED = ("matplotlib",)


_out = click.option("--out", default=FOLDER, show_default=True, metavar="FOLDER", help="Where the results are kept.")


@click.command("run", short_help="Run experiments, or go on with them.")
@click.argument("experiments", nargs=-1, metavar="EXPERIMENT...")
@click.option("--scale", default="quick", show_default=True, metavar="NAME", help="quick, code or paper-text.")
@click.option("--budget", type=float, metavar="UNITS", help="Cost units instead of those of the scale.")
@click.option("--seeds", metavar="N|0-3,7", help="How many, or which, instead of those of the scale.")
@click.option("--methods", default="", metavar="A,B", help="Only these methods.")
@click.option("--presets", default="", metavar="A,B", help="Only these presets: default, paper.")
@click.option("--functions", default="1-54", metavar="1-54", help="Of bbob-constrained: only these functions.")
@click.option("--dimensions", default="2", metavar="2,5", help="Of bbob-constrained; default: 2.")
@click.option("--instances", default="1", metavar="1-2", help="Of bbob-constrained: of 1 to 15; default: 1.")
@click.option("--workers", "--processes", type=click.IntRange(min=1), metavar="N", help="At the same time; default: 1.")
@click.option("--dask", metavar="ADDRESS", help="Run on the workers of this Dask scheduler.")
@click.option("--plain", is_flag=True, help="One line for each repetition instead of the progress bar.")
@click.option("--json", "as_json", is_flag=True, help="Print nothing but the end, as JSON.")
@_out
def run(
    experiments: tuple[str, ...],
    scale: str,
    budget: float | None,
    seeds: str | None,
    methods: str,
    presets: str,
    functions: str,
    dimensions: str,
    instances: str,
    workers: int | None,
    dask: str | None,
    plain: bool,
    as_json: bool,
    out: str,
) -> None:
    """Run experiments, or go on with them: EXPERIMENT is `paper` for all, a part, or a single one.

    Finished repetitions are stored one by one and never run again; Ctrl-C or a crash loses those in flight only.

    \b
    Parts: baseline, redundant, costs, ablation, engineering, presets, presets-pesc, presets-costs,
    presets-ablation
    bbob-constrained: COCO's suite of 54 functions (pip install 'taut[arena]'), 30 units for each parameter
    Scales: quick (60 units, 5 seeds), code (160 units, 40 seeds), paper-text (150 coupled evaluations, 50 seeds)

    \b
    Examples:
      taut bench run paper --scale quick --workers 2
      taut bench run baseline --scale code --seeds 0-19 --methods dckg,cei --out results
      taut bench run bbob-constrained --dimensions 2,5 --instances 1-2 --methods dckg,cei --out arena
      taut bench run paper --scale paper-text --dask tcp://head-node:8786
    """
    from taut_paper import experiments as known
    from taut_paper import runner
    from taut_paper.arena import plan as arena
    from taut_paper.arena import suite
    from taut_paper.results import Store
    from taut_paper.screen import Screen

    numbers = None if seeds is None else known.seed_numbers(seeds)
    chosen, of_suite = _words(methods), suite.NAME in experiments
    others = [name for name in experiments or ("paper",) if name != suite.NAME]
    repetitions = known.plan(
        others, known.scale_of(scale), budget=budget, seeds=numbers, methods=chosen, presets=_words(presets)
    )
    if of_suite:
        suite.require()
        repetitions += arena.plan(arena.places(functions, dimensions, instances), chosen, numbers or (0,), budget)
    store, pool = Store(out), runner.pool_of(workers, dask)
    with Screen("json" if as_json else "plain" if plain else "bar") as screen:
        outcome = runner.run_all(store, repetitions, pool, screen)
    if as_json:
        click.echo(json.dumps({"before": outcome.before, "ran": outcome.ran, "failed": list(outcome.failures)}))
    if outcome.failures:
        raise StoppedError(f"{len(outcome.failures)} repetitions failed; the same command tries them again.")


def _words(text: str) -> tuple[str, ...]:
    """'a, b' -> ('a', 'b')."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@_out
def status(as_json: bool, out: str) -> None:
    """Say which repetitions are finished. Reads only; may be used while a run is at work.

    \b
    Example:
      taut bench status --out bench-results
    """
    from taut_paper import runner, screen

    rows = runner.status(out)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        screen.show_status(rows)


@click.command("export", short_help="Write all results to one table.")
@click.option("-o", "--output", required=True, metavar="FILE.parquet", help="The table to write.")
@click.option("--no-times", is_flag=True, help="Leave CPU times out: the file is then the same for the same results.")
@_out
def export(output: str, no_times: bool, out: str) -> None:
    """Write all results to one compact Parquet table with a row per step. Needs pyarrow.

    \b
    Example:
      taut bench export -o published/steps.parquet
    """
    from taut_paper.results import load, publish

    click.echo(printable(f"wrote {publish(load(out), output, not no_times)} rows to {output}"))


@click.command("import", short_help="Take over published results.")
@click.argument("source", metavar="FOLDER")
@_out
def adopt(source: str, out: str) -> None:
    """Take over the repetitions of another folder, or of its table steps.parquet, so that a run goes on from them.

    What is there already stays as it is. Repetitions keep the versions they were made with.

    \b
    Example:
      taut bench import results/paper --out bench-results
      taut bench run paper --seeds 50 --budget 160 --out bench-results
    """
    from taut_paper.results import Store, load

    results = load(source)
    new = Store(out).adopt(results)
    click.echo(printable(f"took over {new} of {len(results)} repetitions of {source}; the others were there already"))


@click.command("report", short_help="Write a page: figures, tables, claims.")
@click.option("-o", "--output", metavar="FILE", help="The page; default: report.html in the folder of the results.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts on the claims as JSON; writes no page.")
@_out
def report(output: str | None, as_json: bool, out: str) -> None:
    """Write one page about all results: figures, tables, and which claims of the paper they bear out.

    The page needs nothing but itself; its figures are also written as SVG and PNG files, into the folder `figures`
    beside it. Works with whatever is finished, also while a run is at work.

    \b
    Examples:
      taut bench report
      taut bench report --out results -o page.html
      taut bench report --json
    """
    from taut_paper.report.claims import as_dicts
    from taut_paper.results import load

    results = load(out)
    if not len(results):
        raise StorageError(
            f"Results {out!r}: expected finished repetitions, got none; wait for the first, or run "
            f"taut bench run --out {out}."
        )
    if as_json:
        click.echo(json.dumps(as_dicts(results), indent=2))
    else:
        written = _write(results, Path(out) / PAGE if output is None else Path(output))
        where = f"{written.page}, and {written.figures} figures to {written.page.parent / 'figures'}"
        click.echo(printable(f"wrote {where}"))


def _write(results: Results, page: Path) -> Written:
    try:
        from taut_paper.report.page import write
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        raise TautError(
            f"The report needs {error.name}, which is not installed; run pip install 'taut[bench]'."
        ) from error
    return write(results, page)


COMMANDS: dict[str, click.Command] = {
    "run": run,
    "status": status,
    "export": export,
    "import": adopt,
    "report": report,
}
