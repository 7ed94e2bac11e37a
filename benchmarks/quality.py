"""Measure how good the answers of a method are on test problems with known optimum.

    python benchmarks/quality.py --problems mystery test_function_2 --methods dckg cei --seeds 0-19 --out DIR
    python benchmarks/quality.py --suite bars --processes 2 --out DIR
    python benchmarks/quality.py --table --out DIR

One repetition is a pure function of its settings. It is stored as one JSON file when it is complete, and
is not run again if that file exists: a stopped measurement goes on where it was. A run ends with the table.
"""

import argparse
import ast
import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import quality_table

import taut
from taut.base.errors import TautError
from taut.bench import BenchProblem
from taut_paper import jsonfile
from taut_paper.repetition import measured
from taut_paper.repetition import paid_steps as steps_within

# Budgets (cost units after the initial design) of the problems with a bar; all others get 120.
BUDGETS = {
    "test_function_2": 240.0,
    "welded_beam": 200.0,
    "pressure_vessel": 200.0,
    "spring_narrow": 200.0,
    "speed_reducer": 200.0,
}
SUITES = {
    "bars": [
        (("mystery", "constrained_branin", "test_function_2", "mystery_redundant8"), range(20)),
        (("welded_beam", "pressure_vessel", "spring_narrow", "speed_reducer"), range(5)),
    ]
}


@dataclass(frozen=True)
class Settings:
    """Everything that decides the outcome of one repetition."""

    problem: str
    method: str
    seed: int
    budget: float
    initial: int
    costs: dict[str, float]
    preset: str | None
    options: dict[str, Any]
    every: int
    """Recommend after every so many steps (and at the end)."""


# --- One repetition


def repetition(settings: Settings) -> dict[str, Any]:
    """Run one study to the end of its budget and score the recommendation after each step."""
    bench = taut.bench.problem(settings.problem, costs=settings.costs)
    study = taut.Study(
        bench.problem,
        method=settings.method,
        seed=settings.seed,
        initial=settings.initial,
        preset=settings.preset,
        options=settings.options or None,
    )
    started = time.perf_counter()
    for _ in range(settings.initial):
        suggestion = study.ask()
        study.tell(suggestion, measured(bench, suggestion))
    steps = [{"spent": study.spent, "functions": [], "point": None, **score(bench, study)}]
    for step in paid_steps(bench, study, settings.budget):
        if len(steps) % settings.every == 0:
            step |= score(bench, study)
        steps.append(step)
    if "oc" not in steps[-1]:
        steps[-1] |= score(bench, study)
    return {
        "settings": asdict(settings),
        "optimum": bench.optimum,
        "binding": list(bench.binding),
        "relevance": [asdict(row) for row in study.relevance()],
        "steps": steps,
        "seconds": time.perf_counter() - started,
        "version": taut.__version__,
    }


def paid_steps(bench: BenchProblem, study: taut.Study, budget: float) -> Iterator[dict[str, Any]]:
    """A record of each step until nothing more can be paid."""
    for suggestion, seconds in steps_within(bench, study, budget):
        yield {
            "spent": study.spent,
            "functions": list(suggestion.functions),
            "point": dict(suggestion.point),
            "note": suggestion.note,
            "ask_seconds": seconds,
        }


def score(bench: BenchProblem, study: taut.Study) -> dict[str, Any]:
    """Recommend and compare with the truth, with the usual tolerance and with none ("strict")."""
    begun = time.process_time()
    best = study.recommend()
    seconds = time.process_time() - begun
    return {
        "recommended": dict(best.point),
        "values": bench.evaluate(best.point),
        "oc": bench.opportunity_cost(best.point),
        "oc_strict": bench.opportunity_cost(best.point, tolerance=0.0),
        "probability": best.feasibility,
        "feasible": bench.is_feasible(best.point),
        "feasible_strict": bench.is_feasible(best.point, tolerance=0.0),
        "recommend_seconds": seconds,
    }


# --- Many repetitions


def target(out: Path, label: str, settings: Settings) -> Path:
    return out / settings.problem / settings.method / label / f"{settings.seed:04d}.json"


def finished(path: Path, settings: Settings) -> bool:
    """True if this repetition is stored; an error if the file holds one with other settings."""
    if not path.exists():
        return False
    stored = jsonfile.read(path)["settings"]
    if stored != asdict(settings):
        raise SystemExit(f"{path} was run with other settings ({stored}); choose another --label or --out.")
    return True


def run_and_store(path: Path, label: str, settings: Settings) -> str:
    """Run one repetition, store it in one go, and say how it ended."""
    result = {"label": label, **repetition(settings)}
    jsonfile.write(path, result)
    last = result["steps"][-1]
    return f"{path}: OC {last['oc']:.3g} after {last['spent']:g} units, {result['seconds']:.0f} s"


def run_all(jobs: Sequence[tuple[Path, str, Settings]], processes: int) -> int:
    """Run the jobs that are not finished; returns how many failed."""
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"  # read by NumPy in the new processes: one core each
    todo = [job for job in jobs if not finished(job[0], job[2])]
    print(f"{len(jobs) - len(todo)} of {len(jobs)} repetitions are there, {len(todo)} to run", flush=True)
    failures: list[str] = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(run_and_store, *job): job[0] for job in todo}
        for count, future in enumerate(as_completed(futures), start=1):
            try:
                line = future.result()
            except Exception as error:
                line = f"{futures[future]}: FAILED, {error!r}"
                if repr(error) not in failures:  # where it happened, once per kind of error
                    line += "\n" + "".join(traceback.format_exception(error.__cause__ or error))
                failures.append(repr(error))
            print(f"[{count}/{len(todo)}] {line}", flush=True)
    return len(failures)


# --- Command line


def numbers(text: str) -> list[int]:
    """'0-3,7' -> [0, 1, 2, 3, 7]."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def assignments(texts: Sequence[str]) -> dict[str, Any]:
    """['a=1,b=x', 'c=True'] -> {'a': 1, 'b': 'x', 'c': True}."""
    found = {}
    for part in filter(None, ",".join(texts).split(",")):
        name, equals, text = part.strip().partition("=")
        if not (name and equals):
            raise SystemExit(f"expected name=value, got {part!r}.")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found


def default_label(costs: Mapping[str, Any], preset: str | None, options: Mapping[str, Any]) -> str:
    words = [preset] if preset else []
    words += [f"{name}={value}" for name, value in (*sorted(costs.items()), *sorted(options.items()))]
    return ",".join(words).replace("/", "_") or "default"


def selection(arguments: argparse.Namespace) -> list[tuple[str, Sequence[int]]]:
    """The problems to run, each with its seeds."""
    given = arguments.seeds
    if arguments.suite:
        return [(name, given or seeds) for names, seeds in SUITES[arguments.suite] for name in names]
    return [(name, given or range(20)) for name in arguments.problems]


def plan(arguments: argparse.Namespace) -> list[tuple[Path, str, Settings]]:
    """All repetitions asked for, seed by seed so that an unfinished measurement is balanced."""
    costs, options = assignments(arguments.costs), assignments(arguments.options)
    label = arguments.label or default_label(costs, arguments.preset, options)
    jobs = []
    for name, seeds in selection(arguments):
        dimension = taut.bench.problem(name, costs=costs).problem.dimension
        initial = arguments.initial if arguments.initial is not None else max(6, 2 * (dimension + 1))
        budget = arguments.budget if arguments.budget is not None else BUDGETS.get(name, 120.0)
        for method in arguments.methods or ["dckg"]:
            for seed in seeds:
                settings = Settings(
                    name, method, seed, budget, initial, costs, arguments.preset, options, arguments.every
                )
                jobs.append((target(arguments.out, label, settings), label, settings))
    return sorted(jobs, key=lambda job: job[2].seed)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog="Problems: " + ", ".join(taut.bench.names())
    )
    parser.add_argument("--problems", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--suite", choices=SUITES, help="problems and seeds with an agreed bar")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help="default: dckg")
    parser.add_argument("--seeds", type=numbers, metavar="0-19", help="default: 0-19, or those of the suite")
    parser.add_argument("--budget", type=float, help="cost units after the initial design")
    parser.add_argument("--initial", type=int, help="points of the initial design; default max(6, 2(d+1))")
    parser.add_argument("--costs", nargs="+", default=[], metavar="c2=5", help="cost per function, default 1")
    parser.add_argument("--preset", help="for example: paper")
    parser.add_argument("--options", nargs="+", default=[], metavar="k=v", help="passed to taut.Study")
    parser.add_argument("--label", help="name of this variant; default: made of costs, preset, options")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="recommend every N steps only")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table of what is there")
    arguments = parser.parse_args(argv)
    if not (arguments.table or arguments.problems or arguments.suite):
        parser.error("name --problems or a --suite to run, or --table to look at results.")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    failures = 0
    if not arguments.table:
        try:
            jobs = plan(arguments)
        except TautError as error:
            raise SystemExit(str(error)) from error
        failures = run_all(jobs, arguments.processes)
    wanted = {name for name, _ in selection(arguments)}
    # After a run, the other methods already in the folder are shown for comparison.
    methods = arguments.methods if arguments.table else ()
    print(quality_table.tables(quality_table.load(arguments.out, wanted, methods)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
