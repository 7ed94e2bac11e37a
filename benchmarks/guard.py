"""Guard the default against getting worse anywhere: paper, engineering and own problems, areas, worst runs, stuck runs.

    python benchmarks/guard.py run --label now --out guard.jsonl --cases own --seeds 0-4
    PYTHONPATH=/other/checkout/src python benchmarks/guard.py run --label today --out guard.jsonl
    python benchmarks/guard.py run --label now --out guard.jsonl --cases bumpy --method pesc
    python benchmarks/guard.py table guard.jsonl --label now --base today      # what was run, and stored rivals
    python benchmarks/guard.py keep guard.jsonl      # benchmarks/results/guard.jsonl
    python benchmarks/guard.py page --label now --base today     # docs/guard.md, from what is kept
    python benchmarks/guard.py cases

The first entry of PYTHONPATH decides which taut is measured; problems and seeds are the same for all. Each finished run
is one line of the file and is not run again. Case by case, seed by seed, so that a stop leaves a balance.
"""

import store  # noqa: F401

# isort: split

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from guarding import cases, page
from guarding.figures import conduct_of
from guarding.trial import KEY, Run, trial
from store.rows import Store
from store.runs import run_all
from store.words import assignments, comparing, measuring, numbers, say

ROOT = Path(__file__).parents[1]
KEPT = Store(ROOT / "benchmarks" / "results" / "guard.jsonl", KEY)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = measuring(commands, "0-4")
    run.add_argument("--options", type=lambda text: assignments([text]), default={}, metavar="home=False,raw=80")
    show = commands.add_parser("table", help="what was run")
    show.add_argument("files", nargs="+", type=Path)
    keep = commands.add_parser("keep", help="what is kept of runs, in the repository")
    keep.add_argument("files", nargs="+", type=Path)
    keep.add_argument("--labels", nargs="+", default=["today", "now"])
    for command in (show, commands.add_parser("page", help="write the page from what is kept")):
        comparing(command)
        command.add_argument("--seeds", type=numbers, default=None, help="only these")
    commands.add_parser("cases", help="list the cases")
    return parser.parse_args(argv)


def run(arguments: argparse.Namespace) -> int:
    wanted = cases.selected(arguments.cases)
    runs = [Run(arguments.label, arguments.method, name, seed) for seed in arguments.seeds for name in wanted]
    failures = run_all(
        Store(arguments.out, KEY),
        list(map(asdict, runs)),
        lambda key: trial(Run(**key), arguments.options),
        lambda row: f"OC {row['oc']:.2g}, {row['ask_seconds']:.0f} s",
    )
    return 1 if failures else 0


def keep(arguments: argparse.Namespace) -> None:
    new = [row for path in arguments.files for row in Store(path, KEY).rows() if row["label"] in arguments.labels]
    say(f"{KEPT.path}: {KEPT.merge(row | {'conduct': conduct_of(row).kept()} for row in new)} runs")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    if arguments.command == "run":
        return run(arguments)
    if arguments.command == "keep":
        keep(arguments)
    elif arguments.command == "cases":
        say("\n".join(f"{group}: {' '.join(names)}" for group, names in cases.GROUPS.items()))
    elif arguments.command == "table":
        found = [row for path in arguments.files for row in Store(path, KEY).rows()]
        say(page.table(found, arguments.label, arguments.base, arguments.seeds))
    else:
        (ROOT / "docs" / "guard.md").write_text(page.page(KEPT.rows(), arguments.label, arguments.base))
    return 0


if __name__ == "__main__":
    sys.exit(main())
