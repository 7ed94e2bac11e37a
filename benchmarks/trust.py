"""Measure whether certainty is true: simulator-like problems, and what was said before the truth was known.

    python benchmarks/trust.py run --label now --out trust.jsonl                   # everything, dckg, seeds 0-19; hours
    python benchmarks/trust.py run --label now --out trust.jsonl --cases exact hash2-all high --seeds 0-4 --processes 2
    python benchmarks/trust.py run --label now --out trust.jsonl --cases exact --no-verify
    PYTHONPATH=/other/checkout/src python benchmarks/trust.py run --label today --out today.jsonl
    python benchmarks/trust.py table trust.jsonl today.jsonl --label now --base today    # bars and tables
    python benchmarks/trust.py faults trust.jsonl --label now    # false answers, worst predictions: where to look
    python benchmarks/trust.py keep trust.jsonl today.jsonl      # benchmarks/results/trust.jsonl
    python benchmarks/trust.py page --label now --base today     # docs/trust.md and its pictures, from what is kept
    python benchmarks/trust.py cases                             # names of cases and groups

The first entry of PYTHONPATH decides which taut is measured; problems, seeds and references are the same for all. Each
finished run is one line of the file, and is not run again: a stopped measurement goes on where it was. All cases get
seeds 0-4 first, then 5-9, and so on. A run that raised is a line with its error; --again tries those once more.

A case is a change of values on a target (all functions, the objective, the constraints); seed s runs the case's problem
number s modulo their count. Cases high-* have three to seven parameters and 150 units instead of 100.
"""

import store  # noqa: F401

# isort: split

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from arena import bars, cases, faults, page, record, table
from arena.figures import Versions, versions
from arena.trial import KEY, Run, played
from store.rows import Row, Store, rows
from store.runs import run_all
from store.words import comparing, measuring, say

ROOT = Path(__file__).parents[1]
KEPT = Store(ROOT / "benchmarks" / "results" / "trust.jsonl", KEY)
METHOD = "dckg"
"""The method that is judged by the bars."""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = measuring(commands, "0-19")
    run.add_argument("--no-verify", action="store_true", help="without verification, where the version has it")
    run.add_argument("--processes", type=int, default=1)
    run.add_argument("--again", action="store_true", help="try runs that ended in an error once more")
    show = commands.add_parser("table", help="bars and tables of what was run")
    show.add_argument("files", nargs="+", type=Path, help="rows as they were run, or as they are kept")
    wrong = commands.add_parser("faults", help="what went wrong, run by run")
    wrong.add_argument("files", nargs="+", type=Path)
    wrong.add_argument("--label", default="now")
    keep = commands.add_parser("keep", help="what is kept of runs, in the repository")
    keep.add_argument("files", nargs="+", type=Path)
    commands.add_parser("cases", help="list the cases")
    for command in (show, commands.add_parser("page", help="write the page from what is kept")):
        comparing(command)
        command.add_argument("--method", default=METHOD)
    return parser.parse_args(argv)


def run(arguments: argparse.Namespace) -> int:
    wanted = cases.ordered(cases.selected(arguments.cases), arguments.seeds)
    runs = [Run(arguments.label, arguments.method, case.name, seed, not arguments.no_verify) for case, seed in wanted]
    out = Store(arguments.out, KEY)
    return 1 if run_all(out, list(map(asdict, runs)), played, told, arguments.processes, arguments.again) else 0


def told(row: Row) -> str:
    """A finished run in a few words."""
    far, said = sum(abs(each[1]) > 3.0 for each in row["z"]), row["answer"]
    return (
        f"OC {said['oc']:.2g}, P {said['probability']:.4f} {'true' if said['feasible'] else 'FALSE'}, "
        f"{far} of {len(row['z'])} beyond 3 sd, {row['seconds']:.0f} s"
    )


def show(arguments: argparse.Namespace) -> None:
    found = versions(record.load(arguments.files), arguments.label, arguments.base, arguments.method)
    now, base, plain = found.now, found.base, found.plain
    say(table.bars_table(bars.bars(now, base, plain)))
    say(table.predictions_table(now, base))
    say(table.answers_table(now, base))
    say(table.exact_table(now, base, plain))
    say(table.failure_table(now, base))
    say(health(arguments.files))


def health(files: Sequence[Path]) -> str:
    """Runs that raised, runs that stopped early, and how many sources of taut a label mixes."""
    found = [row for path in files for row in rows(path) if "error" in row or "z" in row]
    errors = Counter(f"{row['label']}: {row['error']}" for row in found if "error" in row)
    whole = [row for row in found if "error" not in row]
    sources = {
        label: {row["source"] for row in whole if row["label"] == label} for label in {r["label"] for r in whole}
    }
    mixed = [f"{label} mixes {len(each)} sources of taut" for label, each in sorted(sources.items()) if len(each) > 1]
    early = sum(row["spent"] < 0.9 * row["budget"] for row in whole)
    lines = [f"{count} runs raised, {said}" for said, count in errors.items()]
    return "\n".join([f"{len(whole)} runs, {early} stopped with more than a tenth of the budget left", *lines, *mixed])


def list_faults(arguments: argparse.Namespace) -> None:
    found = [row for path in arguments.files for row in rows(path) if row["label"] == arguments.label]
    for line in faults.lines([row for row in found if "error" not in row]):
        say(line)
    say(health(arguments.files))


def keep(arguments: argparse.Namespace) -> None:
    count = KEPT.merge(map(asdict, record.load(arguments.files)))
    say(f"{KEPT.path}: {count} runs")
    say(health(arguments.files))


def kept(label: str, base: str, method: str) -> tuple[Versions, dict[str, Versions]]:
    """What is kept of two labels: of the method that is judged, and of all others by name."""
    records = record.load([KEPT.path])
    methods = sorted({each.method for each in records} - {method})
    return versions(records, label, base, method), {name: versions(records, label, base, name) for name in methods}


def write_page(arguments: argparse.Namespace) -> None:
    page.write(ROOT, *kept(arguments.label, arguments.base, arguments.method))


def list_cases(arguments: argparse.Namespace) -> None:
    say(f"groups: {', '.join(cases.GROUPS)}")
    for case in cases.CASES.values():
        say(f"{case.name}: {case.variant} on {case.target}, {case.budget:g} units, {', '.join(case.problems)}")


COMMANDS = {"table": show, "faults": list_faults, "keep": keep, "page": write_page, "cases": list_cases}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    if arguments.command == "run":
        return run(arguments)
    COMMANDS[arguments.command](arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
