"""Decoupled against coupled on the simulators of examples/, every final answer run again.

    PYTHONPATH=src python benchmarks/simulators.py run water --seeds 0-4
    PYTHONPATH=src python benchmarks/simulators.py page
    PYTHONPATH=src python benchmarks/simulators.py keep water    # the study of the example itself

A study is a method, a budget and a seed: dckg with the budget of the study file, ckg and cei (which pay for every
function at every point) with as much and with three times as much. The programs are those of the example, run as they
are, but inside this process, so that a library is imported once. Values are kept on the disk: the same point is not
computed again, except for the final answers. Studies that are in the file of results are not run again.
"""

import store  # noqa: F401

# isort: split

import argparse
import contextlib
import hashlib
import io
import json
import os
import resource
import runpy
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from store.rows import Row as Line
from store.rows import Store, append, rows
from store.runs import run_all
from store.table import markdown, put
from store.words import numbers

import taut
from taut.app.studyfile.file import ProgramEntry, StudyFile, load, open_study

ROOT = Path(__file__).parents[1]
NAMES = ("water", "grid", "amplifier", "aerofoil", "panel")
RESULTS = ROOT / "benchmarks/results/examples.jsonl"
STORE = ROOT / "benchmarks/results/tmp/examples"
KEY = ("example", "method", "money", "seed")
MORE = 3.0
"""What the coupled studies may spend, in budgets of the study file."""
STUDIES = (("dckg", 1.0), ("ckg", 1.0), ("cei", 1.0), ("ckg", MORE), ("cei", MORE))
"""Methods, and their money in budgets of the study file."""

PAGE = ROOT / "docs/examples.md"
BEGIN, END = "<!-- begin: written by benchmarks/simulators.py -->", "<!-- end -->"
SAME = 1e-9
"""Answers closer than this, relatively, are the same."""
MANY, MOST = 10, 5
"""With more programs than MANY the MOST used ones are named."""
HEAD = (
    *("example", "money B", "seeds", "decoupled, B", "coupled `ckg`, B", "coupled `cei`, B", "coupled `ckg`, 3 B"),
    *("coupled `cei`, 3 B", "is decoupled with B as good as `ckg` with 3 B?"),
)
PAID = (
    *("example", "initial design", "runs of each program (cost), decoupled with B / coupled with 3 B"),
    "deciding, CPU s a study",
)

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """One run of one program: its value or why there is none, and the CPU seconds it took."""

    value: float | None
    note: str
    cpu: float


def cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextlib.contextmanager
def elsewhere(folder: Path, script: Path, asked: str) -> Iterator[io.StringIO]:
    """As if a program had been started: its folder first in the path, its input, its output, a directory of its own."""
    kept = sys.path[:], sys.stdin, sys.argv, os.getcwd()
    said = io.StringIO()
    sys.path.insert(0, str(script.parent))
    sys.stdin, sys.argv = io.StringIO(asked), [str(script)]
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(said):
            yield said
    finally:
        sys.path[:], sys.stdin, sys.argv = kept[:3]
        os.chdir(kept[3])


def start(file: StudyFile, program: ProgramEntry, point: Point, setups: Sequence[Line] = ()) -> str:
    """What a Python program of an example prints. Whatever it raises is raised here."""
    script = file.folder / program.command[1]
    asked = {"study": file.study.name, "suggestion": 0, "parameters": dict(point), "functions": list(program.functions)}
    with tempfile.TemporaryDirectory() as name:
        with elsewhere(Path(name), script, json.dumps(asked | {"setups": list(setups)})) as said:
            runpy.run_path(str(script), run_name="__main__")
        return said.getvalue()


def compute(file: StudyFile, program: ProgramEntry, point: Point) -> dict[str, Run]:
    """Every function of a program at a point. A setup is made first, in a folder of its own, and not counted."""
    with tempfile.TemporaryDirectory() as name:
        setups = []
        begun = cpu()
        try:
            for setup in file.setups:
                if set(setup.functions) & set(program.functions):
                    told = {"name": setup.name, "folder": str(Path(name) / setup.name), "made": False}
                    Path(told["folder"]).mkdir()
                    start(file, setup, point, [told])
                    setups.append(told | {"made": True})
            begun = cpu()
            values = json.loads(start(file, program, point, setups).strip().splitlines()[-1])
        except (Exception, SystemExit) as error:
            took = round(cpu() - begun, 4)
            return {each: Run(None, f"{type(error).__name__}: {error}"[:200], took) for each in program.functions}
        took = round((cpu() - begun) / len(program.functions), 4)
        return {each: Run(float(values[each]), "", took) for each in program.functions}


@dataclass
class Values:
    """The programs of one example, with what is known of them on the disk."""

    file: StudyFile
    store: Path
    known: dict[str, Run] = field(default_factory=dict)
    took: float = 0.0
    """CPU seconds of this process in programs."""

    def __post_init__(self) -> None:
        self.store.parent.mkdir(parents=True, exist_ok=True)
        for line in rows(self.store):
            key = line.pop("key")
            self.known[key] = Run(**line)

    def functions(self) -> dict[str, Callable[[Point], float]]:
        """As a study takes them, one for each function; those of a group come from one run."""
        return {name: self._function(program, name) for program in self.file.programs for name in program.functions}

    def _function(self, program: ProgramEntry, name: str) -> Callable[[Point], float]:
        def value(point: Point) -> float:
            run = self.run(program, name, point)
            if run.value is None:
                raise RuntimeError(run.note)
            return run.value

        return value

    def run(self, program: ProgramEntry, name: str, point: Point) -> Run:
        key = self.key(name, point)
        if key not in self.known:
            begun = time.process_time()
            for function, run in compute(self.file, program, point).items():
                self.known[self.key(function, point)] = run
                append(self.store, {"key": self.key(function, point)} | vars(run))
            self.took += time.process_time() - begun
        return self.known[key]

    def key(self, name: str, point: Point) -> str:
        """Everything a value depends on; the limits and costs of the study file are not part of it."""
        text = json.dumps([name, sorted(point.items()), fingerprint(self.file.folder)])
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def fingerprint(folder: Path) -> str:
    files = [path for path in sorted(folder.iterdir()) if path.suffix in (".py", ".inp", ".cir", ".json")]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]


def study(name: str, method: str, money: float, seed: int, values_in: Path) -> Line:
    """One line of the results."""
    file = load(ROOT / "examples" / name / "study.toml")
    values = Values(file, values_in / f"{name}.jsonl")
    budget = money * (file.study.budget or 0.0)
    begun = time.process_time()
    asking = taut.Study(file.problem, method=method, seed=seed, initial=file.study.initial)
    best = asking.run(values.functions(), budget=budget)
    deciding = time.process_time() - begun - values.took
    again = rerun(file, best.point, asking.predict(best.point))
    head = {"example": name, "method": method, "money": money, "seed": seed, "taut": taut.__version__, "budget": budget}
    return head | {
        "point": best.point,
        "objective": again[file.problem.objective.name],
        "verified": best.verified,
        "again": again,
        "violated": violated(file.problem, again),
        "spent": asking.spent,
        "initial": asking.history.books.initial,
        "counts": asking.counts,
        "failed": sum(row.value is None for row in asking.observations),
        "deciding": round(deciding, 1),
    }


def rerun(file: StudyFile, point: Point, predicted: taut.Prediction) -> dict[str, float | None]:
    """Every program anew at a point, and the formulas."""
    again: dict[str, float | None] = {}
    for function in file.problem.functions:
        if file.problem.function(function).formula is not None:
            again[function] = predicted[function][0]
    for program in file.programs:
        again |= {each: run.value for each, run in compute(file, program, point).items()}
    return again


def violated(problem: taut.Problem, values: Mapping[str, float | None]) -> list[str]:
    """The constraints that these values do not meet; a function without a value counts as one."""
    bad = [problem.objective.name] if values[problem.objective.name] is None else []
    for each in problem.constraints:
        value = values[each.name]
        low = -float("inf") if each.at_least is None else each.at_least
        high = float("inf") if each.at_most is None else each.at_most
        if value is None or not low <= value <= high:
            bad.append(each.name)
    return bad


def run(given: argparse.Namespace) -> None:
    """Every study that is not in the file of results yet, seed by seed."""
    wanted: list[Line] = [
        {"example": given.example, "method": method, "money": money, "seed": seed}
        for seed in given.seeds for method, money in STUDIES if method in given.methods
    ]  # fmt: skip
    shown = ("objective", "verified", "violated", "spent", "initial", "deciding", "point", "counts")

    def played(key: Line) -> Line:
        return study(*(key[name] for name in KEY), given.store)

    run_all(Store(given.out, KEY), wanted, played, lambda row: str({name: row[name] for name in shown}))


def keep(given: argparse.Namespace) -> None:
    """What `taut run` does for an example, with its programs inside this process: the study is kept in its storage."""
    file = load(ROOT / "examples" / given.example / "study.toml")
    values = Values(file, given.store / f"{given.example}.jsonl")
    open_study(file).run(values.functions(), budget=file.study.budget or 0.0)


def page(given: argparse.Namespace) -> None:
    """Write the tables into the page, between its two marks."""
    put(PAGE, BEGIN, f"\n{tables(Store(given.out, KEY).rows())}\n", END)


def tables(lines: Sequence[Line]) -> str:
    """Answers, and what was paid for. Lines of one example have one budget."""
    shown = [name for name in NAMES if any(line["example"] == name for line in lines)]
    grouped = {name: [line for line in lines if line["example"] == name] for name in shown}
    answers = markdown(HEAD, [_answers(name, some) for name, some in grouped.items()], right=(1, 2))
    return f"{answers}\n\n{markdown(PAID, [_paid(name, some) for name, some in grouped.items()], right=(1, 3))}"


def _some(lines: Sequence[Line], method: str, money: float) -> list[Line]:
    return [line for line in lines if line["method"] == method and line["money"] == money]


def _answers(name: str, lines: Sequence[Line]) -> list[str]:
    ours, theirs = _some(lines, "dckg", 1.0), _some(lines, "ckg", MORE)
    goal = load(ROOT / "examples" / name / "study.toml").problem.objective.goal
    sign = 1.0 if goal == "minimize" else -1.0
    targets = {line["seed"]: line["objective"] for line in theirs}
    pairs = [(sign * line["objective"], sign * targets[line["seed"]]) for line in ours if line["seed"] in targets]
    good = sum(own <= other + SAME * abs(other) for own, other in pairs)
    middle = [sign * median([line["objective"] for line in some]) for some in (ours, theirs)]
    reached = "yes" if middle[0] <= middle[1] + SAME * abs(middle[1]) else "no"
    return [
        f"[{name}](../examples/{name}/README.md)", f"{ours[0]['budget']:g}", str(len(ours)), _range(ours),
        *(_range(_some(lines, method, money)) for method, money in STUDIES[1:]),
        f"{reached}; {good} of {len(pairs)} seeds",
    ]  # fmt: skip


def _range(lines: Sequence[Line]) -> str:
    """Median (best to worst) of the values run again; answers that do not hold, or were not verified, are counted."""
    if not lines:
        return ""
    values = [line["objective"] for line in lines if not line["violated"]]
    bad, open_ = sum(bool(line["violated"]) for line in lines), sum(not line["verified"] for line in lines)
    text = f"{median(values):.4g} ({min(values):.4g} to {max(values):.4g})" if values else "none"
    return text + (f", {open_} not verified" if open_ else "") + (f", **{bad} infeasible**" if bad else "")


def _paid(name: str, lines: Sequence[Line]) -> list[str]:
    """Evaluations of every program after the initial design, and what the initial design cost on top."""
    file = load(ROOT / "examples" / name / "study.toml")
    ours, theirs = _some(lines, "dckg", 1.0), _some(lines, "ckg", MORE)
    entries, initial = [], file.study.initial
    for bundle in file.problem.bundles:
        counts = [median([line["counts"][bundle.functions[0]] for line in some]) - initial for some in (ours, theirs)]
        entries.append((bundle.cost, counts, f"{bundle.name} ({bundle.cost:g}): {counts[0]:g} / {counts[1]:g}"))
    if len(entries) > MANY:
        entries = sorted(entries, key=lambda each: -each[1][0])
        least = entries[MOST:]
        rest = f"{len(least)} others: {least[-1][1][0]:g} to {least[0][1][0]:g} / {least[0][1][1]:g} each"
        entries = [*entries[:MOST], (0.0, [], rest)]
    seconds = median([line["deciding"] for line in ours])
    return [name, f"{ours[0]['initial']:g}", ", ".join(entry[2] for entry in entries), f"{seconds:g}"]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    running = parts.add_parser("run")
    running.add_argument("example", choices=NAMES)
    running.add_argument("--seeds", type=numbers, default=list(range(5)), metavar="0-4")
    running.add_argument("--methods", nargs="+", default=["dckg", "ckg", "cei"])
    running.add_argument("--out", type=Path, default=RESULTS)
    running.add_argument("--store", type=Path, default=STORE, help="folder of the values that are known already")
    running.set_defaults(part=run)
    keeping = parts.add_parser("keep")
    keeping.add_argument("example", choices=NAMES)
    keeping.add_argument("--store", type=Path, default=STORE)
    keeping.set_defaults(part=keep)
    writing = parts.add_parser("page")
    writing.add_argument("--out", type=Path, default=RESULTS)
    writing.set_defaults(part=page)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    given = parse(argv)
    given.part(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
