"""Noisy functions: how good is the answer, and is what is said of it true?

    python benchmarks/noise.py run --label now --out noise.jsonl --methods dckg ckg cei --seeds 0-4
    python benchmarks/noise.py run --label now --out noise.jsonl --cases mystery-all-20 --seeds 0-19
    python benchmarks/noise.py table noise.jsonl [other.jsonl ...]
    python benchmarks/noise.py cases

Normal noise with a standard deviation of 5 or 20 % of a function's spread (the width of the central 90 % of its values
over the box) on all functions or on one, declared as noise="learned" (or, with --given, as the number it is). At 60,
120, 180 and 240 units the recommendation is scored by the functions without noise: opportunity cost, whether it is
feasible, and with which probability that was promised. The first entry of PYTHONPATH decides which taut is measured;
finished runs are lines of the file and are not run again. Seeds are paired: the noise is that of the seed, function and
count.
"""

import store  # noqa: F401

# isort: split

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from store.rows import Row, Store
from store.runs import run_all
from store.table import markdown
from store.words import numbers, say

import taut
from taut.bench import problem as bench_problem

SHARES = {"05": 0.05, "20": 0.20}
TARGETS = {"mystery": ("all", "f", "c"), "test_function_2": ("all", "f", "c1")}
CASES = [f"{name}-{target}-{size}" for name in TARGETS for target in TARGETS[name] for size in SHARES]
MARKS = (60.0, 120.0, 180.0, 240.0)
SAMPLE = 4096
"""Random places over which spreads are measured."""
BINS = (0.0, 0.5, 0.8, 0.95, 1.0)
"""Edges of the classes of promised probabilities."""


@dataclass(frozen=True)
class Run:
    label: str
    method: str
    case: str
    seed: int
    given: bool = False
    verify: bool = True


KEY = tuple(field.name for field in fields(Run))


@cache
def spreads(name: str) -> dict[str, float]:
    """Width of the central 90 % of each function's values over the box."""
    bench, rng = bench_problem(name), np.random.default_rng(0)
    box = bench.problem.parameters
    places = [{p.name: p.from_unit(u) for p, u in zip(box, row, strict=True)} for row in rng.random((SAMPLE, len(box)))]
    values = {key: np.array([function(at) for at in places]) for key, function in bench.functions.items()}
    return {key: float(np.quantile(each, 0.95) - np.quantile(each, 0.05)) for key, each in values.items()}


class Noisy:
    """The functions of a case with their noise."""

    def __init__(self, run: Run) -> None:
        name, self.target, size = run.case.rsplit("-", 2)
        self.bench, self.run = bench_problem(name), run
        noisy = self.bench.problem.functions if self.target == "all" else (self.target,)
        self.sd = {key: SHARES[size] * spreads(name)[key] for key in noisy}
        self.counts: Counter[str] = Counter()

    @property
    def problem(self) -> taut.Problem:
        def declared(function: Any) -> Any:
            if function.name not in self.sd:
                return function
            return replace(function, noise=self.sd[function.name] if self.run.given else "learned")

        plain = self.bench.problem
        constraints = [declared(each) for each in plain.constraints]
        return taut.Problem(plain.parameters, declared(plain.objective), constraints, plain.groups)

    def __call__(self, name: str, point: Mapping[str, float]) -> float:
        value = float(self.bench.functions[name](point))
        if name not in self.sd:
            return value
        number = self.bench.problem.functions.index(name)
        rng = np.random.default_rng([self.run.seed, number, self.counts[name]])
        self.counts[name] += 1
        return value + self.sd[name] * float(rng.standard_normal())


def trial(run: Run, most: float = MARKS[-1]) -> dict[str, Any]:
    """The row of one run."""
    noisy = Noisy(run)
    study = taut.Study(noisy.problem, method=run.method, seed=run.seed)
    scores: list[dict[str, Any]] = []
    seconds, asks = 0.0, 0
    while True:
        begun = time.process_time()
        try:
            suggestion = study.ask(budget=most, verify=run.verify)
        except taut.StudyError:
            break
        seconds, asks = seconds + time.process_time() - begun, asks + 1
        study.tell(suggestion, {name: noisy(name, suggestion.point) for name in suggestion.functions})
        if len(scores) < len(MARKS) and study.spent >= MARKS[len(scores)]:
            scores.append(score(noisy, study))
    repeats = Counter(tuple(row.point.values()) for row in study.observations)
    return {
        **asdict(run),
        "scores": scores,
        "counts": dict(study.counts),
        "repeated": sum(count - 1 for count in repeats.values()) / max(1, len(study.observations)),
        "ask_seconds": seconds,
        "asks": asks,
    }


def score(noisy: Noisy, study: taut.Study) -> dict[str, Any]:
    best = study.recommend()
    constraints = noisy.problem.constraints
    held = all(_holds(each, noisy.bench.functions[each.name](best.point)) for each in constraints)
    return {
        "spent": study.spent,
        "oc": float(noisy.bench.opportunity_cost(best.point)),
        "probability": best.feasibility,
        "feasible": held,
        "verified": best.verified,
        "z": (float(noisy.bench.functions[noisy.problem.objective.name](best.point)) - best.objective[0])
        / max(best.objective[1], 1e-300),
    }


def _holds(constraint: taut.Constraint, value: float) -> bool:
    above = constraint.at_least is None or value >= constraint.at_least
    return above and (constraint.at_most is None or value <= constraint.at_most)


def run(given: argparse.Namespace) -> int:
    runs = [
        Run(given.label, method, case, seed, given.given, not given.no_verify)
        for seed in given.seeds for case in given.cases for method in given.methods
    ]  # fmt: skip
    return run_all(Store(given.out, KEY), list(map(asdict, runs)), lambda key: trial(Run(**key), given.units), told)


def told(row: Row) -> str:
    return " ".join(["OC", *(f"{each['oc']:.3g}" for each in row["scores"])])


def tables(found: Sequence[Row]) -> Iterator[str]:
    """Median and mean OC at 120 and 240 units by case, then promises against what happened."""
    groups = defaultdict[tuple[str, str, str], list[Row]](list)
    for row in found:
        groups[row["case"], row["label"], row["method"]].append(row)
    lines = []
    for (case, label, method), runs in sorted(groups.items()):
        cells = []
        for mark in (1, 3):
            oc = [row["scores"][mark]["oc"] for row in runs if len(row["scores"]) > mark]
            cells.append(f"{np.median(oc):.3g} ({np.mean(oc):.3g})" if oc else "-")
        wrong = sum(not row["scores"][-1]["feasible"] for row in runs if row["scores"])
        again = np.mean([row["repeated"] for row in runs])
        cpu = 1000.0 * sum(row["ask_seconds"] for row in runs) / max(1, sum(row["asks"] for row in runs))
        lines.append([case, f"{label} {method}", len(runs), *cells, wrong, f"{again:.0%}", f"{cpu:.0f}"])
    head = ("case", "version, method", "runs", "OC at 120", "OC at 240: median (mean)", "infeasible", "repeats")
    yield markdown((*head, "CPU ms"), lines)
    yield ""
    yield markdown(("version, method", "promised", "answers", "mean promise", "were feasible"), _promises(found))


def _promises(found: Sequence[Row]) -> Iterator[list[str]]:
    groups = defaultdict[tuple[str, str], list[Row]](list)
    for row in found:
        groups[row["label"], row["method"]] += row["scores"]
    for (label, method), scores in sorted(groups.items()):
        p, truth = np.array([s["probability"] for s in scores]), np.array([s["feasible"] for s in scores])
        classes = [(f"{low:g} to {high:g}", (p > low) & (p <= high)) for low, high in pairwise(BINS)]
        for title, here in [*classes, ("all", p > -1.0)]:
            if here.any():
                means = (f"{np.mean(p[here]):.3f}", f"{np.mean(truth[here]):.3f}")
                yield [f"{label} {method}", title, str(here.sum()), *means]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="run what is not there yet")
    one.add_argument("--label", required=True)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--methods", nargs="+", default=["dckg"])
    one.add_argument("--cases", nargs="+", default=CASES, choices=CASES, metavar="CASE")
    one.add_argument("--seeds", type=numbers, default=list(range(5)), metavar="0-4")
    one.add_argument("--units", type=float, default=MARKS[-1])
    one.add_argument("--given", action="store_true", help="the size of the noise is declared")
    one.add_argument("--no-verify", action="store_true", help="without verification")
    show = commands.add_parser("table")
    show.add_argument("files", nargs="+", type=Path)
    commands.add_parser("cases")
    given = parser.parse_args(argv)
    if given.command == "run":
        return 1 if run(given) else 0
    if given.command == "table":
        say("\n".join(tables([row for path in given.files for row in Store(path, KEY).rows()])))
    else:
        say(json.dumps(CASES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
