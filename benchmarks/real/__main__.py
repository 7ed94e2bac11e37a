"""Does the final answer hold when every solver is run at it again?

    PYTHONPATH=src python -m benchmarks.real run --case panel --seeds 0-9 --units 60 --out FILE.jsonl
    PYTHONPATH=src python -m benchmarks.real table FILE.jsonl
    PYTHONPATH=src python -m benchmarks.real scan --case panel --seed 3

The first entry of PYTHONPATH decides which taut is tried. Studies that are in the file are not run again.
"""

import benchmarks.store  # noqa: F401

# isort: split

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.real import scan, seed, table
from benchmarks.real.cache import Cache
from benchmarks.real.cases import CASES
from benchmarks.real.solver import missing
from benchmarks.store.rows import Row, Store, rows
from benchmarks.store.runs import run_all
from benchmarks.store.words import numbers

STORE = Path(__file__).parents[1] / "results/tmp/real"
KEY = ("case", "seed", "units", "method", "taut")


def run(given: argparse.Namespace) -> None:
    """Every study that is not in the file yet, seed by seed."""
    wanted = [
        {"case": name, "seed": number, "units": CASES[name].budget if given.units is None else given.units}
        | {"method": given.method, "taut": seed.source()}
        for number in given.seeds for name in given.case
    ]  # fmt: skip

    def played(key: Row) -> Row:
        return seed.run(key["case"], key["seed"], key["units"], Cache(given.store), key["method"])

    run_all(Store(given.out, KEY), wanted, played, lambda row: table.answers([row]).splitlines()[-1])


def show(given: argparse.Namespace) -> None:
    lines = [line for path in given.files for line in rows(path)]
    print(f"{table.summary(lines)}\n\n{table.answers(lines)}")


def look(given: argparse.Namespace) -> None:
    """Along a line through the box, in the direction and from the place that the seed gives."""
    for name in given.case:
        parameters = CASES[name].problem.parameters
        low, high = (np.array([getattr(each, end) for each in parameters]) for end in ("low", "high"))
        rng = np.random.default_rng(given.seed)
        middle, way = rng.uniform(0.2, 0.8, len(low)), rng.normal(size=len(low))
        shift = 0.5 * given.length * way / np.linalg.norm(way)
        ends = [low + np.clip(middle + sign * shift, 0.0, 1.0) * (high - low) for sign in (-1.0, 1.0)]
        begin, end = (dict(zip([each.name for each in parameters], map(float, at), strict=True)) for at in ends)
        print(scan.report(scan.scan(name, Cache(given.store), begin, end, given.points)))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks.real", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--case", nargs="+", choices=list(CASES), default=list(CASES))
    common.add_argument("--store", type=Path, default=STORE, help="folder of the values that are known already")
    running = parts.add_parser("run", parents=[common])
    running.add_argument("--seeds", type=numbers, default=list(range(10)), metavar="0-9")
    running.add_argument("--units", type=float, help="cost after the initial design; default: as in the study file")
    running.add_argument("--method", default="dckg")
    running.add_argument("--out", type=Path, default=STORE / "answers.jsonl")
    running.set_defaults(part=run)
    showing = parts.add_parser("table")
    showing.add_argument("files", type=Path, nargs="+")
    showing.set_defaults(part=show, case=[])
    looking = parts.add_parser("scan", parents=[common])
    looking.add_argument("--seed", type=int, default=0)
    looking.add_argument("--points", type=int, default=41)
    looking.add_argument("--length", type=float, default=0.1, help="of the line, in widths of the box")
    looking.set_defaults(part=look)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    given = parse(argv)
    lacking = missing(dict.fromkeys(program for name in given.case for program in CASES[name].needs))
    if lacking:
        print(f"Debian packages are missing. Install them: apt install {' '.join(lacking)}", file=sys.stderr)
        return 2
    given.part(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
