"""Problems as engineers have them: what a known formula, a whole number or a catalogue changes.

    python benchmarks/engineers.py run --out engineers.jsonl                    # every case and arm, seeds 0-19; hours
    python benchmarks/engineers.py run --out engineers.jsonl --cases speed_reducer_mixed --arms known --seeds 0-4
    python benchmarks/engineers.py rivals --out engineers-rivals.jsonl          # Optuna and EGObox on the mixed ones
    python benchmarks/engineers.py page engineers.jsonl engineers-rivals.jsonl  # docs/engineers.md

Each finished run is one line of the file and is not run again. Arms: `known` declares the functions that the case marks
as known with their formulas, `simulated` declares none; both evaluate at cost 1 a function and stop when the
recommended point is within the case's tolerance of the optimum and meets every constraint, or after the budget.
What the rivals are given and pay is in benchmarks/engineers_rivals.py.
"""

import store  # noqa: F401

# isort: split

import argparse
import math
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.rows import Row, Store
from store.runs import run_all
from store.words import numbers

import taut
from taut.problem.discrete import KINDS
from taut.problem.known import Known
from taut.problem.limits import holds

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "engineers.md"
MIXED = (
    "pressure_vessel_mixed",
    "speed_reducer_mixed",
    "stepped_cantilever_mixed",
    "gear_train",
    "test_function_2_choice",
)
REAL = ("welded_beam", "pressure_vessel", "spring", "speed_reducer", "stepped_cantilever")
TOLERANCE = {**dict.fromkeys(MIXED, 1e-4), **dict.fromkeys(REAL, 1e-3)}
KEY = ("case", "arm", "seed")
BUDGET = 150.0
ARMS = ("known", "simulated")
RIVALS = ("optuna-gp", "optuna-tpe", "egobox")
Call = Callable[[dict[str, Any]], float]


@dataclass(frozen=True)
class Case:
    """A problem with everything known, the names that are declared as known, and its optimum."""

    name: str
    problem: taut.Problem
    functions: dict[str, Call]
    known: tuple[str, ...]
    optimum: float

    def declared(self, arm: str) -> taut.Problem:
        """As an arm sees it."""
        keep = self.known if arm == "known" else ()
        objective, p = self.problem.objective, self.problem
        made = [_seen(each, each.name in keep) for each in (objective, *p.constraints)]
        return taut.Problem(p.parameters, made[0], made[1:], tables=p.tables)

    def loss(self, point: dict[str, Any]) -> float:
        """Relative distance from the optimum; inf where a constraint is violated."""
        for each in self.problem.constraints:
            if not holds(each, self.functions[each.name](point)):
                return math.inf
        value, name = self.functions[self.problem.objective.name](point), self.problem.objective.goal
        gap = value - self.optimum if name == "minimize" else self.optimum - value
        return gap / max(abs(self.optimum), 1e-12)


def _seen(function: Any, known: bool) -> Any:
    from dataclasses import replace

    return function if known else replace(function, formula=None, cost=1.0)


def case(name: str) -> Case:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return _of_file(name, tables[name]) if name in tables else _of_bench(name)


def _of_file(name: str, entry: dict[str, Any]) -> Case:
    kinds = {key: dict(each) for key, each in entry["parameters"].items()}
    parameters = [KINDS[each.pop("type")](name=key, **each) for key, each in kinds.items()]
    constraints = [taut.Constraint(key, at_most=0.0, formula=text) for key, text in entry["constraints"].items()]
    problem = taut.Problem(parameters, taut.Objective(**entry["objective"]), constraints, tables=entry.get("tables"))
    functions = {each: Known(problem, each).value for each in problem.functions}
    return Case(name, problem, functions, tuple(entry["known"]), entry["optimum"])


def _of_bench(name: str) -> Case:
    """A problem of taut.bench whose objective is known."""
    from dataclasses import replace

    bench = taut.bench.problem(name)
    p = bench.problem
    objective = replace(p.objective, formula=bench.functions[p.objective.name], cost=0.0)
    problem = taut.Problem(p.parameters, objective, p.constraints)
    return Case(name, problem, dict(bench.functions), (objective.name,), bench.optimum)


def run(given: Case, arm: str, seed: int) -> dict[str, Any]:
    """One study, stopped when its recommendation is good enough."""
    problem = given.declared(arm)
    study, began = taut.Study(problem, seed=seed), time.process_time()
    reached, best, wrong = None, math.inf, 0
    if not problem.simulated:
        best = given.loss(study.recommend().point)
        reached = 0.0 if best <= TOLERANCE[given.name] else None
    while reached is None and problem.simulated and study.spent < BUDGET and not study.finished:
        row = study.ask(budget=BUDGET, verify=given.name in REAL)
        wrong += sum(given.functions[name](row.point) > 0.0 for name in _limits(given, arm))
        study.tell(row, {name: given.functions[name](row.point) for name in row.functions})
        if not row.initial:
            best = min(best, loss := given.loss(study.recommend().point))
            reached = study.spent if loss <= TOLERANCE[given.name] else None
    return {
        "case": given.name, "arm": arm, "seed": seed, "reached": reached, "best": best if math.isfinite(best) else None,
        "spent": study.spent, "counts": study.counts, "violations": int(wrong),
        "cpu": round(time.process_time() - began, 1), "version": taut.__version__,
    }  # fmt: skip


def _limits(given: Case, arm: str) -> list[str]:
    known = [each.name for each in given.problem.constraints if each.name in given.known]
    return known if arm == "known" and given.name in MIXED else []


def rival(given: Case, arm: str, seed: int) -> dict[str, Any]:
    """A tool of others, in an environment that has it."""
    from engineers_rivals import play

    return play(given, arm, seed, BUDGET, TOLERANCE[given.name])


def measure(path: Path, cases: Sequence[str], arms: Sequence[str], seeds: Sequence[int]) -> int:
    wanted: list[Row] = [{"case": name, "arm": arm, "seed": seed} for seed in seeds for name in cases for arm in arms]
    return run_all(Store(path, KEY), wanted, played, told)


def played(key: Row) -> Row:
    return (run if key["arm"] in ARMS else rival)(case(key["case"]), key["arm"], key["seed"])


def told(row: Row) -> str:
    return f"found at {row['reached']}, best {row['best']}, {row['cpu']} s"


def page(paths: Sequence[Path]) -> str:
    from engineers_page import text

    found = [row for path in paths for row in Store(path, KEY).rows()]
    return text(found, {name: case(name) for name in (*MIXED, *REAL)}, BUDGET)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, cases, arms in (("run", (*MIXED, *REAL), ARMS), ("rivals", MIXED, RIVALS)):
        one = commands.add_parser(name, help="run what is not there yet")
        one.add_argument("--out", type=Path, required=True)
        one.add_argument("--cases", nargs="+", default=list(cases))
        one.add_argument("--arms", nargs="+", default=list(arms))
        one.add_argument("--seeds", type=numbers, default=list(range(20)), metavar="0-19")
    two = commands.add_parser("page", help="write docs/engineers.md from rows")
    two.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args(argv)
    if given.command == "page":
        PAGE.write_text(page(given.files))
        return 0
    return 1 if measure(given.out, given.cases, given.arms, given.seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
