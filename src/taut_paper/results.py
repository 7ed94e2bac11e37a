"""Finished repetitions: an SQLite file while experiments run, a compact Parquet table to keep and to publish.

One row per step. A repetition is written in one transaction when it is complete, so a run that is killed loses what was
in flight and nothing else. Times are in a table of their own: everything else is the same whenever it is run again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from taut import __version__
from taut.base.arrays import Array, Flags
from taut.base.errors import StorageError
from taut.bench.problems import BenchProblem
from taut.bench.problems import problem as bench_problem
from taut_paper.experiments import EXPERIMENTS, Arm, Repetition
from taut_paper.repetition import Step

FILE = "results.sqlite"
TABLE = "steps.parquet"
VERSION = 1
BUSY_SECONDS = 60.0

_TABLES = """
CREATE TABLE IF NOT EXISTS format (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS asked (
    experiment TEXT NOT NULL, method TEXT NOT NULL, preset TEXT NOT NULL, seed INTEGER NOT NULL,
    PRIMARY KEY (experiment, method, preset, seed)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS repetitions (
    experiment TEXT NOT NULL, method TEXT NOT NULL, preset TEXT NOT NULL, seed INTEGER NOT NULL,
    problem TEXT NOT NULL, costs TEXT NOT NULL, budget REAL NOT NULL, initial INTEGER NOT NULL, versions TEXT NOT NULL,
    PRIMARY KEY (experiment, method, preset, seed));
CREATE TABLE IF NOT EXISTS steps (
    experiment TEXT NOT NULL, method TEXT NOT NULL, preset TEXT NOT NULL, seed INTEGER NOT NULL, step INTEGER NOT NULL,
    spent REAL NOT NULL, functions TEXT NOT NULL, decided TEXT NOT NULL, point TEXT NOT NULL, recommended TEXT NOT NULL,
    oc REAL NOT NULL,
    PRIMARY KEY (experiment, method, preset, seed, step)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS times (
    experiment TEXT NOT NULL, method TEXT NOT NULL, preset TEXT NOT NULL, seed INTEGER NOT NULL, step INTEGER NOT NULL,
    ask_seconds REAL NOT NULL, recommend_seconds REAL NOT NULL,
    PRIMARY KEY (experiment, method, preset, seed, step)) WITHOUT ROWID;
"""
_KEY = ("experiment", "method", "preset", "seed")
_COLUMNS = (*_KEY, "step", "spent", "functions", "decided", "point", "recommended", "oc")
_TIMES = ("ask_seconds", "recommend_seconds")


@dataclass(frozen=True)
class Trace:
    """One repetition as arrays; T decisions after the initial design, K + 1 functions, d parameters."""

    repetition: Repetition
    spent: Array
    """Cost after each step; [T + 1], begins with 0."""
    oc: Array
    """Opportunity cost of the recommendation after each step; [T + 1]."""
    evaluated: Flags
    """Functions evaluated in each step, objective first; [T + 1, K + 1], nothing in row 0."""
    decided: Flags
    """Functions of the set that won, of which `evaluated` may be an instalment; [T + 1, K + 1]."""
    point: Array
    """Where; [T + 1, d], row 0 is NaN."""
    recommended: Array
    """The recommendation after each step; [T + 1, d]."""
    ask_seconds: Array
    """CPU time of each decision; [T + 1]."""
    versions: Mapping[str, str]

    @cached_property
    def bench(self) -> BenchProblem:
        return bench_problem(self.repetition.problem, dict(self.repetition.costs))

    @property
    def names(self) -> tuple[str, ...]:
        """The functions, objective first; [K + 1]."""
        return self.bench.problem.functions

    @property
    def counts(self) -> dict[str, int]:
        """Evaluations per function after the initial design."""
        return dict(zip(self.names, (int(n) for n in self.evaluated.sum(axis=0)), strict=True))


Traces = dict[int, Trace]
"""By seed."""


class Results:
    """Traces by experiment and arm."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self._cells: dict[tuple[str, Arm], Traces] = {}
        for trace in sorted(traces, key=lambda trace: trace.repetition.key):
            run = trace.repetition
            self._cells.setdefault((run.experiment, Arm(run.method, run.preset)), {})[run.seed] = trace

    def traces(self, experiment: str, method: str, preset: str = "default") -> Traces:
        """The repetitions of one arm, by seed; empty if there are none."""
        return self._cells.get((experiment, Arm(method, preset)), {})

    def arms(self, experiment: str) -> tuple[Arm, ...]:
        """The arms that have results on this experiment."""
        return tuple(arm for name, arm in self._cells if name == experiment)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Experiments with results: the known ones in their order, then others."""
        present = {name: None for name, _ in self._cells}
        return (*(name for name in EXPERIMENTS if name in present), *(n for n in present if n not in EXPERIMENTS))

    def __iter__(self) -> Iterator[Trace]:
        for cell in self._cells.values():
            yield from cell.values()

    def __len__(self) -> int:
        return sum(len(cell) for cell in self._cells.values())


# --- The SQLite file


class Store:
    """The file of a running experiment. One process writes; any number may look."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / FILE
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as db, db:
                db.execute("PRAGMA journal_mode=WAL")
                db.executescript(_TABLES)
                self._agree(db)
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"Results {str(self.path)!r}: expected a file of results that can be written, got an error "
                f"({error}); give another folder."
            ) from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=BUSY_SECONDS)

    def _agree(self, db: sqlite3.Connection) -> None:
        found = db.execute("SELECT version FROM format").fetchone()
        if found is None:
            db.execute("INSERT INTO format VALUES (?)", (VERSION,))
        elif found[0] != VERSION:
            raise StorageError(
                f"Results {str(self.path)!r}: expected format {VERSION}, got {found[0]}; use the version of taut that "
                "wrote it, or another folder."
            )

    def finished(self) -> dict[tuple[str, str, str, int], tuple[float, int]]:
        """Budget and initial size of every repetition that is stored, by key."""
        with closing(self._connect()) as db:
            rows = db.execute("SELECT experiment, method, preset, seed, budget, initial FROM repetitions")
            return {(e, m, p, s): (budget, initial) for e, m, p, s, budget, initial in rows}

    def ask(self, runs: Iterable[Repetition]) -> None:
        """Note what was asked for, so that it can be said how far it is."""
        with closing(self._connect()) as db, db:
            db.executemany(f"INSERT OR IGNORE INTO asked VALUES ({_marks(4)})", [run.key for run in runs])

    def asked(self) -> set[tuple[str, str, str, int]]:
        """Keys of all repetitions that were ever asked for."""
        with closing(self._connect()) as db:
            return set(db.execute(f"SELECT {', '.join(_KEY)} FROM asked"))

    def seconds(self) -> dict[tuple[str, str, str], float]:
        """CPU seconds of one repetition of each experiment, method and preset, on average."""
        each = "SELECT experiment, method, preset, SUM(ask_seconds + recommend_seconds) AS took FROM times"
        each += " GROUP BY experiment, method, preset, seed"
        with closing(self._connect()) as db:
            rows = db.execute(f"SELECT experiment, method, preset, AVG(took) FROM ({each}) GROUP BY 1, 2, 3")
            return {(e, m, p): took for e, m, p, took in rows}

    def add(self, run: Repetition, steps: Sequence[Step]) -> None:
        """Store one finished repetition, all of it or nothing; one that is there already stays as it is."""
        head = (*run.key, run.problem, json.dumps(dict(run.costs)), run.budget, run.initial, json.dumps(versions()))
        rows = [(*run.key, number, *_packed(step)) for number, step in enumerate(steps)]
        times = [(*run.key, number, step.ask_seconds, step.recommend_seconds) for number, step in enumerate(steps)]
        with closing(self._connect()) as db, db:
            if not db.execute(f"INSERT OR IGNORE INTO repetitions VALUES ({_marks(9)})", head).rowcount:
                return
            db.executemany(f"INSERT INTO steps VALUES ({_marks(len(_COLUMNS))})", rows)
            db.executemany(f"INSERT INTO times VALUES ({_marks(7)})", times)

    def table(self) -> dict[str, list[Any]]:
        """All steps with their times, in order of their keys: columns by name."""
        shown = ", ".join([*(f"s.{name}" for name in _COLUMNS), *(f"t.{name}" for name in _TIMES)])
        joined = " AND ".join(f"s.{name} = t.{name}" for name in (*_KEY, "step"))
        order = ", ".join(f"s.{name}" for name in (*_KEY, "step"))
        with closing(self._connect()) as db:
            rows = db.execute(f"SELECT {shown} FROM steps s JOIN times t ON {joined} ORDER BY {order}").fetchall()
        names = (*_COLUMNS, *_TIMES)
        cells: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        return {name: list(column) for name, column in zip(names, cells, strict=True)}

    def heads(self) -> list[dict[str, Any]]:
        """All repetitions, in order of their keys."""
        names = (*(field.name for field in fields(Repetition)), "versions")
        with closing(self._connect()) as db:
            order = ", ".join(_KEY)
            rows = db.execute(f"SELECT {', '.join(names)} FROM repetitions ORDER BY {order}").fetchall()
        return [dict(zip(names, row, strict=True)) for row in rows]


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    import platform

    import scipy

    return {
        "taut": __version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _packed(step: Step) -> tuple[float, str, str, str, str, float]:
    """The columns of a step; numbers as the shortest text that gives them back."""
    place, best = (" ".join(repr(u) for u in x) for x in (step.point, step.recommended))
    return step.spent, "+".join(step.functions), "+".join(step.decided), place, best, step.oc


# --- Reading


def load(folder: str | Path) -> Results:
    """The results of a folder: its SQLite file if there is one, otherwise its Parquet table."""
    place = Path(folder)
    if (place / FILE).exists():
        store = Store(place)
        return _results(store.heads(), store.table())
    if (place / TABLE).exists():
        from taut_paper.packed import read

        return _results(*read(place / TABLE))
    raise StorageError(
        f"Results {str(place)!r}: expected {FILE} or {TABLE} there, got neither; run taut bench run --out {place}, or "
        "name the folder of the results."
    )


def _results(heads: Sequence[Mapping[str, Any]], table: Mapping[str, Sequence[Any]]) -> Results:
    rows: dict[tuple[Any, ...], list[int]] = {}
    for i, key in enumerate(zip(*(table[name] for name in _KEY), strict=True)):
        rows.setdefault(key, []).append(i)
    return Results(_trace(head, table, rows[tuple(head[name] for name in _KEY)]) for head in heads)


def _trace(head: Mapping[str, Any], table: Mapping[str, Sequence[Any]], rows: Sequence[int]) -> Trace:
    costs = tuple(sorted(json.loads(head["costs"]).items()))
    given = {field.name: head[field.name] for field in fields(Repetition) if field.name != "costs"}
    run = Repetition(costs=costs, **given)
    names = bench_problem(run.problem, dict(run.costs)).problem.functions

    def sets(column: str) -> Flags:
        words = [set(table[column][i].split("+")) for i in rows]
        return np.array([[name in word for name in names] for word in words])

    def places(column: str) -> Array:
        found = [[float(u) for u in table[column][i].split()] for i in rows]
        d = max(len(x) for x in found)
        return np.array([x or [np.nan] * d for x in found])

    def numbers(column: str) -> Array:
        return np.array([table[column][i] for i in rows], dtype=float)

    return Trace(
        repetition=run,
        spent=numbers("spent"),
        oc=numbers("oc"),
        evaluated=sets("functions"),
        decided=sets("decided"),
        point=places("point"),
        recommended=places("recommended"),
        ask_seconds=numbers("ask_seconds"),
        versions=json.loads(head["versions"]),
    )
