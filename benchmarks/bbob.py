"""COCO's bbob-constrained: rivals, best values and the page, beside `taut bench run bbob-constrained`.

    taut bench run bbob-constrained --dimensions 2 --out arena            # the library's methods
    python benchmarks/bbob.py rivals --dimensions 2 --out arena           # EGObox, BoTorch log-cEI, SCBO, COBYQA
    python benchmarks/bbob.py keep arena                                  # benchmarks/results/bbob.jsonl
    python benchmarks/bbob.py table                                       # shares of targets, on the screen
    python benchmarks/bbob.py page                                        # docs/arena.md and its pictures
    python benchmarks/bbob.py optima --dimensions 3 --instances 2         # best values, added to optima.json

Every finished run is a file of the folder, and is not run again. Table and page need no coco-experiment.
"""

import store  # noqa: F401

# isort: split

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from coco.rivals import MODULES, rival
from store.rows import Store as Rows
from store.words import say

ROOT = Path(__file__).parents[1]
KEPT = Rows(ROOT / "benchmarks" / "results" / "bbob.jsonl", ("problem", "method", "seed"))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("rivals", help="run what is not there yet")
    best = commands.add_parser("optima", help="add best values")
    for command in (play, best):
        command.add_argument("--functions", default="1-54")
        command.add_argument("--dimensions", default="2")
        command.add_argument("--instances", default="1")
    play.add_argument("--methods", nargs="+", default=list(MODULES), choices=list(MODULES))
    play.add_argument("--seeds", default="1", help="as of taut bench run")
    play.add_argument("--budget", type=float)
    play.add_argument("--out", required=True)
    best.add_argument("--processes", type=int, default=1)
    keep = commands.add_parser("keep", help="what is kept of runs, in the repository")
    keep.add_argument("folder")
    commands.add_parser("table", help="shares of targets")
    commands.add_parser("page", help="write the page from what is kept")
    return parser.parse_args(argv)


def rivals(arguments: argparse.Namespace) -> int:
    from coco.trial import play

    from taut_paper.arena import plan
    from taut_paper.experiments import seed_numbers
    from taut_paper.results import Store

    chosen = plan.places(arguments.functions, arguments.dimensions, arguments.instances)
    runs = [
        plan.repetition(where, method, seed, arguments.budget)
        for seed in seed_numbers(arguments.seeds) for where in chosen for method in arguments.methods
    ]  # fmt: skip
    folder = Store(arguments.out)
    todo = folder.missing(runs)
    say(f"{len(runs) - len(todo)} of {len(runs)} runs are there, {len(todo)} to run")
    failures = 0
    for number, run in enumerate(todo, start=1):
        begun = time.process_time()
        try:
            steps = play(run, rival(run.method))
        except Exception as error:  # is said, and tried again another time
            failures += 1
            say(f"[{number}/{len(todo)}] {run.label}: FAILED, {error!r}")
            continue
        folder.add(run, steps)
        took = time.process_time() - begun
        say(f"[{number}/{len(todo)}] {run.label}: OC {steps[-1].oc:.3g} after {len(steps) - 1} trials, {took:.0f} s")
    return 1 if failures else 0


def keep(folder: str) -> None:
    """Rows of new traces; to judge one takes a second."""
    from coco.rows import made, row

    from taut_paper.arena.suite import NAME
    from taut_paper.results import load

    known = {KEPT.of(each): each.get("made") for each in KEPT.rows()}
    traces = [trace for trace in load(folder) if trace.repetition.problem.startswith(NAME)]
    new = [each for each in traces if known.get(tuple(getattr(each.repetition, k) for k in KEPT.key)) != made(each)]
    count = KEPT.merge(map(row, new))
    say(f"{KEPT.path}: {count} runs")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    if arguments.command == "rivals":
        return rivals(arguments)
    if arguments.command == "optima":
        from coco import optima

        from taut_paper.arena.plan import places

        chosen = places(arguments.functions, arguments.dimensions, arguments.instances)
        say(f"{optima.write(chosen, arguments.processes)} added to {optima.KEPT}")
    elif arguments.command == "keep":
        keep(arguments.folder)
    else:
        from coco import page

        if arguments.command == "table":
            say(page.shares(KEPT.rows()))
        else:
            page.write(KEPT.rows(), ROOT / "docs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
