"""Noisy functions: how good is the answer, and is what is said of it true?

    python benchmarks/noise.py run --label now --out noise.jsonl --methods dckg ckg cei --seeds 0-4
    python benchmarks/noise.py run --label now --out noise.jsonl --methods nei       # where BoTorch is installed
    python benchmarks/noise.py run --label now --out noise.jsonl --cases mystery-all-20 --seeds 0-19 --given
    python benchmarks/noise.py table noise.jsonl [other.jsonl ...]
    python benchmarks/noise.py keep noise.jsonl      # benchmarks/results/noise.jsonl
    python benchmarks/noise.py page                  # docs/noise.md, from what is kept
    python benchmarks/noise.py cases

Normal noise with a standard deviation of 5 or 20 % of a function's spread (the width of the central 90 % of its values
over the box) on all functions or on one, declared as noise="learned" (or, with --given, as the number it is). In cases
that are called "across" and "size" it is not the same everywhere: it grows from nothing to twice that from one side of
the box to the other, or with the size of the value. The answers of a budget of 120 units after the initial design, and
of 240 (the same study, taken on), are scored by the functions without noise: opportunity cost, whether it is feasible,
and what was promised. The first entry of PYTHONPATH decides which taut is measured; finished runs are lines of the file
and are not run again. Seeds are paired: the initial design is that of the seed, the noise that of the seed, function
and count.
"""

import store  # noqa: F401

# isort: split

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import noise_page
import numpy as np
from store.rows import Row, Store
from store.runs import run_all
from store.words import numbers, say

import taut
from taut.bench import problem as bench_problem

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "noise.md"
SHARES = {"05": 0.05, "20": 0.20}
TARGETS = {"mystery": ("all", "c", "f"), "test_function_2": ("all", "c1", "f")}
UNEVEN = ("across", "size")
"""Targets whose noise, on all functions, is not the same everywhere."""
CASES = [f"{name}-{target}-{size}" for name in TARGETS for target in (*TARGETS[name][:2], *UNEVEN) for size in SHARES]
CASES += [f"{name}-{TARGETS[name][2]}-{size}" for name in TARGETS for size in SHARES]
MARKS = (120.0, 240.0)
"""Budgets: a run is a study of the first one, ended with its answer, and then taken on with the next."""
SAMPLE = 4096
"""Random places over which spreads are measured."""


@dataclass(frozen=True)
class Run:
    label: str
    method: str
    case: str
    seed: int
    given: bool = False
    verify: bool = True


KEY = tuple(field.name for field in fields(Run))
KEPT = Store(ROOT / "benchmarks" / "results" / "noise.jsonl", KEY)


@cache
def spreads(name: str) -> dict[str, tuple[float, float]]:
    """Width of the central 90 % of each function's values over the box, and their mean size."""
    bench, rng = bench_problem(name), np.random.default_rng(0)
    box = bench.problem.parameters
    places = [{p.name: p.from_unit(u) for p, u in zip(box, row, strict=True)} for row in rng.random((SAMPLE, len(box)))]
    values = {key: np.array([function(at) for at in places]) for key, function in bench.functions.items()}
    return {
        key: (float(np.quantile(each, 0.95) - np.quantile(each, 0.05)), float(np.abs(each).mean()))
        for key, each in values.items()
    }


class Noisy:
    """The functions of a case with their noise."""

    def __init__(self, run: Run) -> None:
        name, self.target, size = run.case.rsplit("-", 2)
        self.bench, self.run = bench_problem(name), run
        noisy = self.bench.problem.functions if self.target in ("all", *UNEVEN) else (self.target,)
        self.sd = {key: SHARES[size] * spreads(name)[key][0] for key in noisy}
        self.size = {key: spreads(name)[key][1] for key in noisy}
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
        return value + self.noise(name, point, value) * float(rng.standard_normal())

    def noise(self, name: str, point: Mapping[str, float], value: float) -> float:
        """Standard deviation of the noise there."""
        if self.target == "across":
            first = self.bench.problem.parameters[0]
            return self.sd[name] * 2.0 * first.to_unit(point[first.name])
        return self.sd[name] * (abs(value) / self.size[name] if self.target == "size" else 1.0)

    def score(
        self, point: Mapping[str, float], probability: float, mean: float, sd: float, spent: float
    ) -> dict[str, Any]:
        """What is kept of a recommendation."""
        true = float(self.bench.functions[self.bench.problem.objective.name](point))
        return {
            "spent": spent,
            "oc": float(self.bench.opportunity_cost(point)),
            "probability": probability,
            "feasible": bool(self.bench.is_feasible(point)),
            "z": (true - mean) / max(sd, 1e-300),
            "said": [mean, sd, true],
        }


def trial(run: Run) -> dict[str, Any]:
    """The row of one run."""
    noisy = Noisy(run)
    return asdict(run) | (_rival(noisy) if run.method == "nei" else _library(noisy))


def _rival(noisy: Noisy) -> dict[str, Any]:
    from noise_rival import play

    study, points = taut.Study(noisy.problem, method="random", seed=noisy.run.seed), []
    while (row := study.ask()).initial:
        points.append(row.point)
        study.tell(row, dict.fromkeys(row.functions, 0.0))
    return play(noisy, points, noisy.run.seed, list(MARKS), noisy.score)


def _library(noisy: Noisy) -> dict[str, Any]:
    study = taut.Study(noisy.problem, method=noisy.run.method, seed=noisy.run.seed)
    scores: list[dict[str, Any]] = []
    cpu: list[float] = []
    for budget in MARKS:
        while (suggestion := _asked(study, budget, noisy.run.verify, cpu)) is not None:
            study.tell(suggestion, {name: noisy(name, suggestion.point) for name in suggestion.functions})
        best = study.recommend()
        assert best.objective is not None and best.feasibility is not None
        scores.append(noisy.score(best.point, best.feasibility, *best.objective, spent=study.spent))
    repeats = Counter((row.function, *row.point.values()) for row in study.observations)
    return {
        "scores": scores,
        "counts": dict(study.counts),
        "repeated": sum(count - 1 for count in repeats.values()) / max(1, len(study.observations)),
        "ask_seconds": sum(cpu),
        "asks": len(cpu),
    }


def _asked(study: taut.Study, budget: float, verify: bool, cpu: list[float]) -> taut.Suggestion | None:
    """The next suggestion, None at the end of a budget; cpu: what each took."""
    begun = time.process_time()
    try:
        suggestion = study.ask(budget=budget, verify=verify)
    except taut.StudyError:
        return None
    cpu.append(time.process_time() - begun)
    return suggestion


def run(given: argparse.Namespace) -> int:
    runs = [
        Run(given.label, method, case, seed, given.given, not given.no_verify)
        for seed in given.seeds for case in given.cases for method in given.methods
    ]  # fmt: skip
    return run_all(Store(given.out, KEY), list(map(asdict, runs)), lambda key: trial(Run(**key)), told)


def told(row: Row) -> str:
    return " ".join(["OC", *(f"{each['oc']:.3g}" for each in row["scores"])])


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run", help="run what is not there yet")
    one.add_argument("--label", required=True)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--methods", nargs="+", default=["dckg"])
    one.add_argument("--cases", nargs="+", default=CASES, choices=CASES, metavar="CASE")
    one.add_argument("--seeds", type=numbers, default=list(range(5)), metavar="0-4")
    one.add_argument("--given", action="store_true", help="the size of the noise is declared")
    one.add_argument("--no-verify", action="store_true", help="without verification")
    show = commands.add_parser("table", help="what was run")
    show.add_argument("files", nargs="+", type=Path)
    hold = commands.add_parser("keep", help="what is kept of runs, in the repository")
    hold.add_argument("files", nargs="+", type=Path)
    commands.add_parser("page", help="write the page from what is kept")
    commands.add_parser("cases", help="list the cases")
    given = parser.parse_args(argv)
    if given.command == "run":
        return 1 if run(given) else 0
    if given.command == "page":
        PAGE.write_text(noise_page.text(KEPT.rows(), UNEVEN), encoding="utf-8")
        return 0
    if given.command == "cases":
        say(json.dumps(CASES))
        return 0
    found = [row for path in given.files for row in Store(path, KEY).rows()]
    say(noise_page.tables(found) if given.command == "table" else f"{KEPT.path}: {KEPT.merge(found)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
