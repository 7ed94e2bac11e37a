"""What the defaults buy: the default method with parts of it switched off, on experiments of the paper.

    python benchmarks/quality.py run --out quality.jsonl              # every variant, seeds 0-3; goes on where it was
    python benchmarks/quality.py run --out quality.jsonl --variants searched --seeds 4-9
    python benchmarks/quality.py keep quality.jsonl                   # benchmarks/results/quality.jsonl
    python benchmarks/quality.py page                                 # docs/quality.md, from all that is kept anywhere

A run is one of the guard (benchmarks/guarding/trial.py), with options. The page also counts how runs behave, over the
stored runs of this benchmark, of the guard, of the arena and of the published experiments.
"""

import store  # noqa: F401

# isort: split

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from bbob import KEPT as ARENA
from guard import KEPT as GUARD
from guarding.cases import case
from guarding.figures import LEAST, figures
from guarding.trial import KEY, Run, trial
from store.rows import Row, Store
from store.runs import run_all
from store.table import filled, markdown
from store.words import numbers, say

from taut_paper import conduct
from taut_paper.arena.suite import place
from taut_paper.conduct import Conduct
from taut_paper.results import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "quality.md"
KEPT = Store(ROOT / "benchmarks" / "results" / "quality.jsonl", KEY)
METHOD = "dckg"
VARIANTS = {
    "whole": {"subsets": "paper", "instalments": False},
    "instalments": {"subsets": "paper"},
    "searched": {"instalments": False},
    "default": {},
}
TITLES = {
    "whole": "the paper's sets, bought whole",
    "instalments": "the same in instalments",
    "searched": "searched sets, bought whole",
    "default": "both (default)",
}
CASES = ("mystery", "constrained_branin", "test_function_2")
EARLY = 30.0
"""Units after which a first median is shown."""
WORDS = """\
# How good the answers are

Written by `make quality-page`; do not edit. `make quality` measures what the defaults buy, and goes on where it was
stopped; the second table counts what is stored of all benchmarks. OC is the opportunity cost: what the recommendation
loses against the true optimum (the penalty of the problem if it is infeasible by more than 1e-6 of a constraint's
range).

Other pages have the rest: the [published experiments](paper.md) with all methods, coupled ones, redundant constraints,
unequal costs and the paper's settings; [hard problems of many kinds](guard.md) against earlier versions; a
[public arena](arena.md) against other tools; [problems of engineers](engineers.md); whether
[certainty is true](trust.md) and whether [verdicts and prices are right](right.md); and
[how long a decision takes](speed.md).

## What the defaults buy

The default method against itself with the sets of functions that the paper compares, and with sets that are bought
whole, on three experiments with unit costs, {seeds}. Area: mean of log10 OC over the budget of {budget:g} units, with
{least:g} of the range of feasible values as the least OC.

{variants}

## How runs behave

All stored runs of `{method}` with its defaults. Stuck: from the last recommendation a local search on the true
functions does not lead to the optimum; what is far from it, but in its basin, is not stuck. Promised and true: the
probability of feasibility reported with the recommendations of a run, and the share of them that was feasible,
without tolerance (how many). Objective: of feasible recommendations, those whose true value is more than two reported
standard deviations away. Near-repeats: evaluations within 1e-6 of a side of the box of an earlier one of the same
function. A dash: not recorded in these runs.

{behaviour}
"""


def variants(rows: Sequence[Row]) -> str:
    """One line per experiment and variant."""
    lines = []
    for name in CASES:
        for label, title in TITLES.items():
            mine = [row for row in rows if (row["case"], row["label"]) == (name, label)]
            if mine:
                found, early = figures(mine), [at(row, EARLY) for row in mine]
                area, end = median(found.areas.values()), median(found.ends.values())
                stuck = f"{found.stuck} of {found.runs}"
                lines.append([name, title, found.runs, f"{median(early):.1e}", f"{end:.1e}", f"{area:.2f}", stuck])
    head = ("experiment", "variant", "seeds", f"median OC at {EARLY:g} units", "at the end", "median area", "stuck")
    return markdown(head, lines)


def at(row: Row, units: float) -> float:
    """OC of the recommendation that stood after this cost."""
    return float([oc for spent, oc in row["trajectory"] if spent <= units + 1e-9][-1])


def behaviour() -> str:
    """One line per benchmark."""
    lines = [[title, *conduct.cells(list(runs))] for title, runs in _stored()]
    return markdown(("runs of", *conduct.HEAD), [line for line in lines if line[1] != "0"])


def _stored() -> Iterator[tuple[str, Iterator[Conduct]]]:
    published = load(ROOT / "results" / "paper")
    mine = [trace for trace in published if (trace.repetition.method, trace.repetition.preset) == (METHOD, "default")]
    yield "the published experiments", map(conduct.of_trace, mine)
    guard = [row for row in GUARD.rows() if (row["label"], row["method"]) == ("now", METHOD)]
    yield "the guard", _read(guard)
    for d in sorted({place(row["problem"]).dimension for row in ARENA.rows()}):
        rows = [row for row in ARENA.rows() if row["method"] == METHOD and place(row["problem"]).dimension == d]
        yield f"the arena, d = {d}", _read([row for row in rows if "conduct" in row])
    yield "this page", _read([row for row in KEPT.rows() if row["label"] == "default"])


def _read(rows: Sequence[Row]) -> Iterator[Conduct]:
    return (Conduct.read(row["conduct"]) for row in rows)


def page() -> str:
    rows = KEPT.rows()
    seeds = sorted({row["seed"] for row in rows})
    return filled(
        WORDS.format(
            seeds=f"seeds {seeds[0]} to {seeds[-1]}" if seeds else "not run yet",
            budget=case(CASES[0], 0).budget,
            least=LEAST,
            method=METHOD,
            variants=variants(rows),
            behaviour=behaviour(),
        )
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run what is not there yet")
    run.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    run.add_argument("--cases", nargs="+", default=CASES, choices=CASES)
    run.add_argument("--seeds", type=numbers, default=list(range(4)), metavar="0-3")
    run.add_argument("--out", type=Path, required=True, help="file of the results, one JSON line a run")
    commands.add_parser("keep", help="what is kept of runs, in the repository").add_argument("file", type=Path)
    commands.add_parser("page", help="write the page from what is kept")
    given = parser.parse_args(argv)
    if given.command == "page":
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if given.command == "keep":
        say(f"{KEPT.path}: {KEPT.merge(Store(given.file, KEY).rows())} runs")
        return 0
    wanted = [
        asdict(Run(label, METHOD, name, seed))
        for seed in given.seeds for name in given.cases for label in given.variants
    ]  # fmt: skip
    return 1 if run_all(Store(given.out, KEY), wanted, played, lambda row: f"OC {row['oc']:.2g}") else 0


def played(key: Row) -> Row:
    return trial(Run(**key), VARIANTS[key["label"]])


if __name__ == "__main__":
    sys.exit(main())
