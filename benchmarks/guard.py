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

import argparse
import json
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # before NumPy is imported

from arena.store import append, rows  # noqa: E402
from guarding import cases, page  # noqa: E402
from guarding.trial import Run, trial  # noqa: E402
from quality import assignments, numbers  # noqa: E402

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "benchmarks" / "results" / "guard.jsonl"


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run what is not there yet")
    run.add_argument("--label", required=True, help="name of the version that is measured")
    run.add_argument("--out", type=Path, required=True, help="file of the results, one JSON line a run")
    run.add_argument("--cases", nargs="+", default=["all"], metavar="NAME", help="cases or groups")
    run.add_argument("--seeds", type=numbers, default=list(range(5)), metavar="0-4")
    run.add_argument("--method", default="dckg")
    run.add_argument("--options", type=lambda text: assignments([text]), default={}, metavar="home=False,raw=80")
    show = commands.add_parser("table", help="what was run")
    show.add_argument("files", nargs="+", type=Path)
    keep = commands.add_parser("keep", help="what is kept of runs, in the repository")
    keep.add_argument("files", nargs="+", type=Path)
    keep.add_argument("--labels", nargs="+", default=["today", "now"])
    for command in (show, commands.add_parser("page", help="write the page from what is kept")):
        command.add_argument("--label", default="now", help="version that is judged")
        command.add_argument("--base", default="today", help="version it is compared with")
        command.add_argument("--seeds", type=numbers, default=None, help="only these")
    commands.add_parser("cases", help="list the cases")
    return parser.parse_args(argv)


def run(arguments: argparse.Namespace) -> int:
    wanted = cases.selected(arguments.cases)
    runs = [Run(arguments.label, arguments.method, name, seed) for seed in arguments.seeds for name in wanted]
    done = {Run(row["label"], row["method"], row["case"], row["seed"]) for row in rows(arguments.out)}
    todo = [each for each in runs if each not in done]
    say(f"{len(runs) - len(todo)} of {len(runs)} runs are there, {len(todo)} to run")
    failures = 0
    for number, each in enumerate(todo, start=1):
        try:
            row = trial(each, arguments.options)
        except Exception as error:  # a run that raised is a line as well, so that it is seen
            row = {**asdict(each), "error": repr(error), "traceback": traceback.format_exc()[-2000:]}
            failures += 1
        append(arguments.out, row)
        said = row.get("error") or f"OC {row['oc']:.2g}, {row['ask_seconds']:.0f} s"
        say(f"[{number}/{len(todo)}] {each.label} {each.method} {each.case} seed {each.seed}: {said}")
    return 1 if failures else 0


def keep(arguments: argparse.Namespace) -> None:
    new = (row for path in arguments.files for row in rows(path) if row["label"] in arguments.labels)
    kept = [*rows(KEPT), *(row for row in new if "error" not in row)]
    found = {tuple(row[key] for key in ("label", "method", "case", "seed")): row for row in kept}
    KEPT.write_text("".join(json.dumps(found[key]) + "\n" for key in sorted(found)))
    say(f"{KEPT}: {len(found)} runs")


def say(text: str) -> None:
    print(text, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    if arguments.command == "run":
        return run(arguments)
    if arguments.command == "keep":
        keep(arguments)
    elif arguments.command == "cases":
        say("\n".join(f"{group}: {' '.join(names)}" for group, names in cases.GROUPS.items()))
    elif arguments.command == "table":
        found = [row for path in arguments.files for row in rows(path)]
        say(page.table(found, arguments.label, arguments.base, arguments.seeds))
    else:
        (ROOT / "docs" / "guard.md").write_text(page.page(list(rows(KEPT)), arguments.label, arguments.base))
    return 0


if __name__ == "__main__":
    sys.exit(main())
