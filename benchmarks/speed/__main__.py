"""Measure how long a decision takes and how good it is.

    PYTHONPATH=src:benchmarks python -m speed                      # everything; hours
    PYTHONPATH=src:benchmarks python -m speed --quick              # a few minutes, nothing is written but units
    PYTHONPATH=src:benchmarks python -m speed --parts speed --cases mystery-n100 --methods dckg botorch-cei
    PYTHONPATH=benchmarks python -m speed --from-json              # tables, page and figure from the stored numbers

The first entry of PYTHONPATH decides which taut is measured. Units that are finished are not run again.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"  # before NumPy is imported, here and in child processes

from speed import cases, decisions, measure, ours, page, store, table  # noqa: E402
from taut_paper import jsonfile  # noqa: E402

ROOT = Path(__file__).parents[2]
PARTS = ("speed", "steps", "memory", "quality")
QUICK = {
    "speed": ("mystery-n20", "mystery-n100", "test_function_2-n20", "synthetic-d6-k3-n50"),
    "steps": ("mystery-n100",),
    "memory": (),
    "quality": ("mystery-n20", "test_function_2-n20", "synthetic-d6-k3-n20"),
}
MEMORY_CAP = 7200
SOURCES = {
    "speed": ("synthetic", "cases", "ours", "rivals", "measure"),
    "steps": ("synthetic", "cases", "ours"),
    "memory": ("synthetic", "cases", "ours"),
    "quality": ("synthetic", "cases", "decisions", "reference", "polish"),
}
"""Modules of the benchmark that decide what a part finds: when they change, its units are run again."""


PLANES = 4
"""Data sets of the cheap speed cases."""


@dataclass(frozen=True)
class Unit:
    """One resumable piece of work."""

    part: str
    case: cases.Case
    seed: int
    run: Callable[[], Any]

    def path(self, folder: Path, quick: bool) -> Path:
        source = store.fingerprint(SOURCES[self.part])
        return folder / source / ("quick" if quick else "full") / self.part / f"{self.case.name}-seed{self.seed}.json"


def cheap(case: cases.Case) -> bool:
    """Is a case measured on several data sets? How long BoTorch's fits take depends on the data by a third."""
    return case.d <= 2 and case.n <= 300


def units(given: argparse.Namespace) -> Iterator[Unit]:
    """Everything asked for, seed by seed so that an unfinished measurement is balanced."""
    few, many = (1, 2) if given.quick else (PLANES, 10)
    seeds = {"speed": range(few), "steps": range(1), "memory": range(1), "quality": range(many)}
    for part in given.parts:
        known = {"speed": cases.SPEED, "steps": cases.STEPS, "memory": (cases.MEMORY,), "quality": cases.QUALITY}[part]
        for seed in given.seeds or seeds[part]:
            for case in known:
                names = given.cases or (QUICK[part] if given.quick else None)
                rare = part == "speed" and seed > 0 and not cheap(case) and not given.seeds
                if (names is None or case.name in names) and not rare:
                    yield Unit(part, case, seed, _job(part, case, seed, given))


def _job(part: str, case: cases.Case, seed: int, given: argparse.Namespace) -> Callable[[], Any]:
    if part == "speed":
        return lambda: measure.unit(case, seed, given.methods, given.asks)
    if part == "steps":
        return lambda: ours.steps(case, "dckg", seed, 5 if given.quick else 20)
    if part == "memory":
        return lambda: store.in_child(ours.peak_memory, MEMORY_CAP, case, "dckg", seed)
    return lambda: decisions.unit(case, seed, 2 if given.quick else decisions.OTHERS)


def _covers(found: dict[str, Any], given: argparse.Namespace) -> bool:
    """Were all contestants that are asked for now measured, and as often?"""
    return set(given.methods) <= set(found["methods"]) and found["asks"] >= given.asks


def run(given: argparse.Namespace) -> dict[str, list[Any]]:
    """Run what is missing; all results by part."""
    results: dict[str, list[Any]] = {part: [] for part in PARTS}
    for unit in units(given):
        path = unit.path(given.out, given.quick)
        found = None if given.fresh else store.finished(path)
        if found is None or unit.part == "speed" and not _covers(found, given):
            print(f"{unit.part}: {unit.case.name}, seed {unit.seed}", file=sys.stderr, flush=True)
            measured = unit.run()
            if measured is None:
                print("  gave up: more than the permitted CPU time", file=sys.stderr)
                continue
            case = {"case": unit.case.name, "n": unit.case.n, "d": unit.case.d, "K": unit.case.K, "seed": unit.seed}
            found = {**case, **measured}
            jsonfile.write(path, found)
        results[unit.part].append(found)
    return results


def numbers(text: str) -> list[int]:
    """'0-3' -> [0, 1, 2, 3]."""
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small cases, few repetitions; only prints")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--cases", nargs="+", metavar="NAME", help="for example mystery-n100, synthetic-d6-k10-n50")
    methods = [*measure.OURS, *measure.RIVALS]
    parser.add_argument("--methods", nargs="+", choices=methods, default=methods, help="contestants of the speed part")
    parser.add_argument("--seeds", type=numbers, metavar="0-9")
    parser.add_argument("--asks", type=int, default=5, help="timed decisions of each contestant per case and seed")
    parser.add_argument("--fresh", action="store_true", help="run units again that are finished")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/tmp/speed", help="folder of the units")
    parser.add_argument("--write", action="store_true", help="write the JSON, the page and the figure")
    parser.add_argument("--from-json", action="store_true", help="measure nothing, write page and figure again")
    given = parser.parse_args(argv)
    if given.quick:
        given.asks = min(given.asks, 3)
        given.methods = [name for name in given.methods if name != "botorch-kg"]  # takes minutes
    return given


def main(argv: Sequence[str] | None = None) -> int:
    given = parse(argv)
    results = page.load(ROOT) if given.from_json else run(given)
    print(table.report(results))
    if given.write and not given.from_json:
        page.save(ROOT, results, store.fingerprint())
    if given.write or given.from_json:
        page.write(ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
