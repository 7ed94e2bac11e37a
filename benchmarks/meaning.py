"""Are prices of limits, verdicts and the rule to stop right? Whole studies of test problems, against their formulas.

    python benchmarks/meaning.py run --studies DIR --seeds 0-2           # 200 units each, kept in DIR; hours
    python benchmarks/meaning.py judge --studies DIR --out meaning.jsonl # what the finished ones say, one line a study
    python benchmarks/meaning.py table meaning.jsonl                     # the figures of docs/meaning.md

Both go on where they were stopped: a finished study is not run again, a judged one not judged again. Truth is computed
from the formulas alone: multipliers by KKT at the known solution, the gain of a relaxed limit and of a dropped
constraint by solving the true problem again from many starts. The rule to stop is judged on beginnings of the studies:
the first one at which it would have ended them, and how much worse the recommendation was then than at the end.
"""

import argparse
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # before NumPy is imported

import numpy as np  # noqa: E402
from quality import numbers  # noqa: E402
from scipy.optimize import minimize, nnls  # noqa: E402

import taut  # noqa: E402
from taut.bench import BenchProblem  # noqa: E402
from taut.storage.memory import MemoryStorage  # noqa: E402

PROBLEMS = (
    "mystery", "gramacy", "test_function_2", "constrained_branin", "test_function_2_printed", "spring_narrow",
    "pressure_vessel", "welded_beam", "speed_reducer", "test_function_2_partial_exp", "spring",
)  # fmt: skip
BUDGET = 200.0
STOP = 1e-3
"""Of the objective's range, optimum - penalty: a gain at which to stop."""
RELAX = 0.01
"""Of the median size of a constraint's first values: how far a limit is moved."""
STARTS = 30
GRID = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 180)
"""Costs at which the rule to stop is asked."""


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
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for name in problems:
            done = folder / f"{name}-{seed}.done"
            if not done.exists():
                bench = taut.bench.problem(name)
                study = taut.Study(bench.problem, seed=seed, storage=str(folder / f"{name}-{seed}.db"))
                cost = bench.opportunity_cost(study.run(bench.functions, budget=BUDGET).point)
                done.write_text(f"{cost!r}\n")
                print(name, seed, f"{cost:.3g}", flush=True)


def judged(bench: BenchProblem, study: taut.Study) -> dict[str, Any]:
    """Prices, verdicts, a relaxed limit for each constraint, and the rule to stop."""
    truth, best = Truth(bench), study.recommend()
    prices, rows = truth.prices(), []
    for row in study.relevance():
        name = row.constraint
        said: dict[str, Any] = {"constraint": name, "price": row.price, "true_price": prices[name]}
        said |= {"verdict": row.verdict, "true_verdict": truth.verdict(name), "matters": row.matters}
        if name in bench.binding:
            step = RELAX * float(np.median([abs(y) for y in _first(study, name)]))
            said |= {"step": step, "gain": row.price and row.price[0] * step}
            said["true_gain"] = truth.optimum({name: step}) - bench.optimum
        rows.append(said)
    range_ = bench.optimum - bench.penalty
    end = bench.opportunity_cost(best.point)
    return {"rows": rows, "range": range_, "cost": end, "stop": stopped(bench, study, STOP * range_)}


def _first(study: taut.Study, name: str) -> list[float]:
    initial = {row.number for row in study.suggestions if row.initial}
    rows = [row for row in study.observations if row.function == name and row.suggestion in initial]
    return [row.value for row in rows if row.value is not None]


def stopped(bench: BenchProblem, study: taut.Study, stop: float) -> dict[str, float] | None:
    """Where the rule would have ended the study: cost, expected gain, and opportunity cost of what it had."""
    for cost in GRID:
        then = beginning(study, cost)
        rest = then.outlook(BUDGET).rest
        if rest < stop:
            return {"spent": cost, "rest": rest, "cost": bench.opportunity_cost(then.recommend().point)}
    return None


def beginning(study: taut.Study, cost: float) -> taut.Study:
    """The study as it was when so much had been spent."""
    kept = MemoryStorage()
    made = taut.Study(study.problem, seed=study.seed, storage=kept)
    spent, numbers_ = 0.0, set()
    for row in study.suggestions:
        spent += 0.0 if row.initial else row.cost
        if spent <= cost * (1.0 + 1e-9):
            kept.add_suggestion(row)
            numbers_.add(row.number)
    kept.add_observations([row for row in study.observations if row.suggestion in numbers_])
    return made


def judge(folder: Path, out: Path) -> None:
    known = {(line["problem"], line["seed"]) for line in lines(out)} if out.exists() else set()
    for done in sorted(folder.glob("*.done"), key=lambda path: path.stat().st_mtime):
        name, _, seed = done.stem.rpartition("-")
        if name in PROBLEMS and (name, int(seed)) not in known:
            study = taut.Study.open(str(folder / f"{done.stem}.db"))
            line = {"problem": name, "seed": int(seed)} | judged(taut.bench.problem(name), study)
            with out.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(name, seed, flush=True)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text().splitlines())


def near(price: Sequence[float] | None, true: float) -> bool:
    """Within 10 %, or inside the interval."""
    if price is None:
        return False
    mean, low, high = price
    return abs(mean - true) <= 0.1 * true or low <= true <= high


def table(found: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [(line, row) for line in found for row in line["rows"]]
    bound = [row for _, row in rows if row["true_price"] > 0.0]
    relaxed = [row for row in bound if row.get("true_gain", 0.0) > 0.0]
    right = [row for _, row in rows if row["verdict"] == row["true_verdict"]]
    open_ = [row for _, row in rows if row["verdict"] == "undecided"]
    ends = [line["stop"]["spent"] if line["stop"] else BUDGET for line in found]
    losses = [max(0.0, line["stop"]["cost"] - line["cost"]) / line["range"] if line["stop"] else 0.0 for line in found]
    close = sum(abs((row["gain"] or 0.0) - row["true_gain"]) <= 0.1 * row["true_gain"] for row in relaxed)
    return [
        f"{len(found)} studies of {len({line['problem'] for line in found})} problems",
        f"prices of binding limits within 10 % or covered: {sum(near(r['price'], r['true_price']) for r in bound)} of "
        f"{len(bound)}",
        f"  within 10 %: {sum(near(r['price'] and (r['price'][0],) * 3, r['true_price']) for r in bound)}",
        f"gain of a relaxed limit within 10 % of the true one: {close} of {len(relaxed)}",
        f"verdicts right: {len(right)} of {len(rows)}; open: {len(open_)}; "
        f"wrong: {len(rows) - len(right) - len(open_)}",
        f"the rule to stop at {STOP:g} of the range: ended at {np.median(ends):g} of {BUDGET:g} in the median "
        f"({sum(each < BUDGET for each in ends)} of {len(ends)} studies ended early); "
        f"largest loss {max(losses):.2g} of the range, above 1e-2 in {sum(loss > 1e-2 for loss in losses)}",
    ]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("run", help="run studies that are not there yet")
    begin.add_argument("--studies", type=Path, required=True)
    begin.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=PROBLEMS, metavar="NAME")
    begin.add_argument("--seeds", type=numbers, default=[0, 1, 2], metavar="0-2")
    judging = commands.add_parser("judge", help="judge finished studies")
    judging.add_argument("--studies", type=Path, required=True)
    judging.add_argument("--out", type=Path, required=True)
    show = commands.add_parser("table", help="figures of what was judged")
    show.add_argument("file", type=Path)
    given = parser.parse_args(argv)
    if given.command == "run":
        run(given.studies, given.problems, given.seeds)
    elif given.command == "judge":
        judge(given.studies, given.out)
    else:
        print("\n".join(table(list(lines(given.file)))))


if __name__ == "__main__":
    main()
