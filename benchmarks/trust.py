"""Measure whether certainty is true: simulator-like problems, and what was said before the truth was known.

    python benchmarks/trust.py run --label now --out trust.jsonl                     # everything, dckg, seeds 0-19; hours
    python benchmarks/trust.py run --label now --out trust.jsonl --cases exact hash2-all high --seeds 0-4 --processes 2
    python benchmarks/trust.py run --label now-plain --no-verify --cases exact --out trust.jsonl
    PYTHONPATH=/other/checkout/src python benchmarks/trust.py run --label today --out today.jsonl
    python benchmarks/trust.py cases                                                 # names of cases and groups

The first entry of PYTHONPATH decides which taut is measured; problems, seeds and references are the same for all. Each
finished run is one line of the file, and is not run again: a stopped measurement goes on where it was. All cases get
seeds 0-4 first, then 5-9, and so on. A run that raised is a line with its error; --again tries those once more.

A case is a change of values on a target (all functions, the objective, the constraints); seed s runs the case's problem
number s modulo their count. Cases high-* have three to seven parameters and 150 units instead of 100.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # before NumPy is imported, here and in child processes

from arena import cases, store  # noqa: E402
from arena.trial import Run  # noqa: E402
from quality import numbers  # noqa: E402


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run what is not there yet")
    run.add_argument("--label", required=True, help="name of the version that is measured")
    run.add_argument("--out", type=Path, required=True, help="file of the results, one JSON line a run")
    run.add_argument("--cases", nargs="+", default=["all"], metavar="NAME", help="cases, groups or variants")
    run.add_argument("--seeds", type=numbers, default=list(range(20)), metavar="0-19")
    run.add_argument("--method", default="dckg")
    run.add_argument("--no-verify", action="store_true", help="without verification, where the version has it")
    run.add_argument("--processes", type=int, default=1)
    run.add_argument("--again", action="store_true", help="try runs that ended in an error once more")
    commands.add_parser("cases", help="list the cases")
    return parser.parse_args(argv)


def run(arguments: argparse.Namespace) -> int:
    wanted = cases.ordered(cases.selected(arguments.cases), arguments.seeds)
    runs = [
        Run(arguments.label, arguments.method, case.name, seed, not arguments.no_verify) for case, seed in wanted
    ]
    failures = store.run_all(arguments.out, runs, arguments.processes, say, arguments.again)
    return 1 if failures else 0


def say(line: str) -> None:
    print(line, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    if arguments.command == "run":
        return run(arguments)
    for case in cases.CASES.values():
        say(f"{case.name}: {case.variant} on {case.target}, {case.budget:g} units, {', '.join(case.problems)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
