"""Are prices of limits, verdicts and the rule to stop right? Whole studies of test problems, against their formulas.

    python benchmarks/meaning.py run --studies DIR --seeds 10-19         # 200 units each, kept in DIR; two hours
    python benchmarks/meaning.py judge --studies DIR --seeds 10-19       # what the finished ones say, one line a study
    python benchmarks/meaning.py page                                    # writes docs/right.md from those lines

Both go on where they were stopped: a finished study is not run again, a judged one not judged again. Seeds 0 to 4 are
for looking at causes; what is said of the library is judged on others. Truth is computed from the formulas alone:
multipliers by KKT at the known solution, the gain of a relaxed limit and of a dropped constraint by solving the true
problem again from many starts. The rule to stop is judged by studies that are run with it, against those with the whole
budget: what they saved, and how much worse their answer is.
"""

import store  # noqa: F401

# isort: split

import argparse
import json
import math
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import meaning_page
import numpy as np
from kept_out import problem
from scipy.optimize import minimize, nnls
from store.rows import Row, Store
from store.runs import run_all
from store.words import numbers

import taut
from taut.bench import BenchProblem

PROBLEMS = (
    "mystery", "gramacy", "test_function_2", "constrained_branin", "test_function_2_printed", "spring_narrow",
    "pressure_vessel", "welded_beam", "speed_reducer", "test_function_2_partial_exp", "spring",
    "gramacy_kept_out", "test_function_2_kept_out",
)  # fmt: skip
BUDGET = 200.0
STOP = 1e-3
"""Of the objective's range, optimum - penalty: a gain at which to stop."""
RELAX = 0.01
"""Of the median size of a constraint's first values: how far a limit is moved."""
STARTS = 30
OUT = Path(__file__).parent / "results" / "meaning.jsonl"
KEY = ("problem", "seed")
PAGE = Path(__file__).parents[1] / "docs" / "right.md"


class Truth:
    """A test problem in the unit cube, and what its formulas say."""

    def __init__(self, bench: BenchProblem) -> None:
        self.bench = bench
        self.low, self.width = np.array([(p.low, p.high - p.low) for p in bench.problem.parameters]).T
        self.best = (np.array(list(bench.solution.values())) - self.low) / self.width

    def value(self, name: str, u: Any) -> float:
        point = (self.low + self.width * np.clip(u, 0.0, 1.0)).tolist()
        return self.bench.functions[name](dict(zip(self.bench.solution, point, strict=True)))

    def gradient(self, name: str, u: Any, step: float = 1e-6) -> Any:
        sides = [(np.minimum(u + step * e, 1.0), np.maximum(u - step * e, 0.0)) for e in np.eye(len(u))]
        return np.array([(self.value(name, a) - self.value(name, b)) / np.abs(a - b).max() for a, b in sides])

    def prices(self) -> dict[str, float]:
        """d f*/d limit: grad f = sum_k lambda_k grad c_k + ends of the ranges, lambda >= 0."""
        eye, x = np.eye(len(self.best)), self.best
        ends = [*-eye[x < 1e-7], *eye[x > 1.0 - 1e-7]]
        A = np.array([*(self.gradient(name, x) for name in self.bench.binding), *ends])
        size = np.linalg.norm(A, axis=1)
        lam = nnls((A / size[:, None]).T, self.gradient("f", x))[0] / size
        found = dict(zip(self.bench.binding, lam.tolist(), strict=False))
        return {name: found.get(name, 0.0) for name in self.bench.problem.functions[1:]}

    def optimum(self, limits: Mapping[str, float]) -> float:
        """f* with other limits; a constraint with an infinite one is dropped."""
        ranges, rng = self.bench.constraint_ranges, np.random.default_rng(0)
        kept = {name: limits.get(name, 0.0) for name in ranges if math.isfinite(limits.get(name, 0.0))}
        size = {name: float(np.linalg.norm(self.gradient(name, self.best))) or 1.0 for name in ("f", *kept)}
        conditions = [{"type": "ineq", **self._margin(name, kept[name], size[name])} for name in kept]
        goal = self._margin("f", 0.0, size["f"])
        best = self.bench.optimum
        for start in [self.best, *rng.random((STARTS, len(self.best)))]:
            found = minimize(
                goal["fun"], start, jac=goal["jac"], bounds=[(0.0, 1.0)] * len(start), constraints=conditions,
                method="SLSQP", options={"ftol": 1e-12, "maxiter": 200},
            )  # fmt: skip
            inside = all(self.value(name, found.x) <= kept[name] + 1e-7 * size[name] for name in kept)
            best = max(best, self.value("f", found.x)) if inside and np.isfinite(found.x).all() else best
        return best

    def _margin(self, name: str, limit: float, size: float) -> dict[str, Callable[[Any], Any]]:
        """(limit - value)/size and its gradient."""
        return {
            "fun": lambda u: (limit - self.value(name, u)) / size,
            "jac": lambda u: -self.gradient(name, u) / size,
        }

    def verdict(self, name: str) -> str:
        if name in self.bench.binding:
            return "binding"
        gain = self.optimum({name: math.inf}) - self.bench.optimum
        return "excluding" if gain > 1e-6 * max(1.0, abs(self.bench.optimum)) else "irrelevant"


def run(folder: Path, problems: Sequence[str], seeds: Sequence[int]) -> None:
    """Every study twice: with its whole budget, and with the rule to stop. Both decide the same until it ends one."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for name in problems:
            bench = problem(name)
            for kind, stop in (("done", None), ("stop", STOP * (bench.optimum - bench.penalty))):
                told = folder / f"{name}-{seed}.{kind}"
                if not told.exists():
                    place = "" if kind == "done" else "-stop"
                    study = taut.Study(bench.problem, seed=seed, storage=str(folder / f"{name}-{seed}{place}.db"))
                    found = finished(bench, study, stop)
                    told.write_text(json.dumps(found) + "\n")
                    print(name, seed, kind, found, flush=True)


def finished(bench: BenchProblem, study: taut.Study, stop: float | None) -> dict[str, Any]:
    """What a run to its end spent, its opportunity cost, and how long it took."""
    began = time.process_time()
    best = study.run(bench.functions, budget=BUDGET, stop=stop)
    seconds = round(time.process_time() - began, 1)
    cost = bench.opportunity_cost(best.point)
    return {"spent": study.spent, "cost": cost, "verified": best.verified, "seconds": seconds}


def judged(bench: BenchProblem, study: taut.Study) -> dict[str, Any]:
    """Prices, verdicts and a relaxed limit for each constraint."""
    truth, best = Truth(bench), study.recommend()
    prices, rows = truth.prices(), []
    for row in study.relevance():
        name = row.constraint
        said: dict[str, Any] = {"constraint": name, "price": row.price, "true_price": prices[name]}
        said |= {"verdict": row.verdict, "true_verdict": truth.verdict(name), "matters": row.matters}
        if name in bench.binding:
            step = RELAX * float(np.median([abs(y) for y in _first(study, name)]))
            said |= {"step": step, "gain": study.gain({name: {"at_most": step}}), "valid": row.valid}
            said["true_gain"] = truth.optimum({name: step}) - bench.optimum
        rows.append(said)
    range_ = bench.optimum - bench.penalty
    end = bench.opportunity_cost(best.point)
    return {"rows": rows, "range": range_, "cost": end, "verified": best.verified, "feasibility": best.feasibility}


def _first(study: taut.Study, name: str) -> list[float]:
    initial = {row.number for row in study.suggestions if row.initial}
    rows = [row for row in study.observations if row.function == name and row.suggestion in initial]
    return [row.value for row in rows if row.value is not None]


def judge(folder: Path, out: Path, seeds: Sequence[int]) -> None:
    """What the finished studies say, in the order in which they came to their end."""
    done = sorted(folder.glob("*.done"), key=lambda path: path.stat().st_mtime)
    pairs = [path.stem.rpartition("-")[::2] for path in done]
    wanted: list[Row] = [
        {"problem": name, "seed": int(seed)} for name, seed in pairs if name in PROBLEMS and int(seed) in seeds
    ]

    def played(key: Row) -> Row:
        stem = f"{key['problem']}-{key['seed']}"
        ended, study = folder / f"{stem}.stop", taut.Study.open(str(folder / f"{stem}.db"))
        return {
            "seconds": json.loads((folder / f"{stem}.done").read_text())["seconds"],
            "commit": commit(),
            "stop": json.loads(ended.read_text()) if ended.exists() else None,
        } | judged(problem(key["problem"]), study)

    run_all(Store(out, KEY), wanted, played, lambda row: f"OC {row['cost']:.2g}")


def commit() -> str:
    """Of the library that judges."""
    told = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=OUT.parent)
    return told.stdout.strip()


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("run", help="run studies that are not there yet")
    begin.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS, metavar="NAME")
    judging = commands.add_parser("judge", help="judge finished studies")
    for each in (begin, judging):
        each.add_argument("--studies", type=Path, required=True)
        each.add_argument("--seeds", type=numbers, default=list(range(10, 20)), metavar="10-19")
    show = commands.add_parser("page", help="write the page of what was judged")
    show.add_argument("--page", type=Path, default=PAGE)
    for each in (judging, show):
        each.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(argv)
    if given.command == "run":
        run(given.studies, given.problems, given.seeds)
    elif given.command == "judge":
        judge(given.studies, given.out, given.seeds)
    else:
        given.page.write_text(meaning_page.text(Store(given.out, KEY).rows(), BUDGET, STOP))


if __name__ == "__main__":
    main()
