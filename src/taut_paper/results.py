"""Where results are kept: a JSON file per finished repetition while experiments run, one Parquet table to publish.

A file is written in one go when its repetition is complete: a run that is killed loses what was in flight and nothing
else, and several runs may share a folder. The table has one row per step. Without times it is byte for byte the same
for the same results, because all else is the same whenever it is run again.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

from taut.base.errors import StorageError
from taut_paper import jsonfile
from taut_paper.experiments import Key, Repetition
from taut_paper.repetition import Step
from taut_paper.traces import Results, Trace, trace_of
from taut_paper.versions import versions

FILES, ASKED, TABLE = "repetitions", "asked", "steps.parquet"
OLD = "results.sqlite"
FORMAT = 2
"""Of a file; 1 was a single database, OLD."""
HEADS = b"taut.repetitions"
"""Where the metadata of a table has the settings of its repetitions."""
TIMES = ("ask_seconds", "recommend_seconds")


def load(folder: str | Path) -> Results:
    """The results of a folder: its files if it has such, otherwise its table."""
    place = Path(folder)
    if (place / FILES).exists():
        return Store(place).results()
    if (place / TABLE).exists():
        return _published(place / TABLE)
    _refuse_old(place)
    raise StorageError(
        f"Results {str(place)!r}: expected {FILES} or {TABLE} there, got neither; run taut bench run --out {place}, or "
        "name the folder of the results."
    )


def _refuse_old(folder: Path) -> None:
    if (folder / OLD).exists() and not (folder / FILES).exists():
        raise StorageError(
            f"Results {str(folder)!r}: expected the folder {FILES} there, got {OLD} of an earlier version of taut; "
            f"write it to {str(folder / TABLE)!r} with that version (taut bench export), or give another folder."
        )


# --- A file per repetition


class Store:
    """The folder of running experiments. Any number of processes may write and look."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        _refuse_old(self.folder)
        try:
            (self.folder / FILES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"Results {str(folder)!r}: expected a folder that can be written, got an error ({error}); give another "
                "folder."
            ) from error

    def path(self, run: Repetition) -> Path:
        return self.folder / FILES / run.experiment / run.method / run.preset / f"{run.seed:04d}.json"

    def add(self, run: Repetition, steps: Sequence[Step]) -> None:
        """Store one finished repetition, all of it or nothing; one that is there already stays as it is."""
        if not self.path(run).exists():
            columns = {field.name: [getattr(step, field.name) for step in steps] for field in fields(Step)}
            self._write(run, columns, versions())

    def adopt(self, results: Results) -> int:
        """Store repetitions of other results, made with whatever version; returns how many were not there yet."""
        new = [trace for trace in results if not self._has(trace.repetition)]
        for trace in new:
            self._write(trace.repetition, _steps(trace), trace.versions)
        return len(new)

    def _write(self, run: Repetition, steps: Mapping[str, Sequence[Any]], made_with: Mapping[str, str]) -> None:
        content = {"format": FORMAT, "repetition": _head(run), "versions": dict(made_with), "steps": dict(steps)}
        jsonfile.write(self.path(run), content)

    def results(self) -> Results:
        """All that is stored."""
        found = map(_content, (self.folder / FILES).glob("*/*/*/*.json"))
        return Results(trace_of(_repetition(each["repetition"]), each["steps"], each["versions"]) for each in found)

    def missing(self, runs: Iterable[Repetition]) -> list[Repetition]:
        """Those not stored yet; an error if one is stored with another budget or initial design."""
        return [run for run in runs if not self._has(run)]

    def _has(self, run: Repetition) -> bool:
        if not self.path(run).exists():
            return False
        found = _content(self.path(run))["repetition"]
        if (found["budget"], found["initial"]) != (run.budget, run.initial):
            raise StorageError(
                f"Results {str(self.folder)!r}: {run.label} is stored with budget {found['budget']:g} and "
                f"{found['initial']} initial points, and now {run.budget:g} and {run.initial} are asked for; give "
                "another folder with --out."
            )
        return True

    def ask(self, runs: Iterable[Repetition]) -> None:
        """Note what is asked for, so that it can be said how far it is; the same once more changes nothing."""
        keys = [run.key for run in runs]
        jsonfile.write(self.folder / ASKED / f"{hashlib.sha256(repr(keys).encode()).hexdigest()[:16]}.json", keys)


def asked(folder: str | Path) -> set[Key]:
    """Keys of all repetitions that were ever asked for."""
    return {tuple(key) for path in (Path(folder) / ASKED).glob("*.json") for key in jsonfile.read(path)}


def _content(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = jsonfile.read(path)
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']!r}")
    except (ValueError, LookupError, TypeError) as error:
        raise StorageError(
            f"Results {str(path)!r}: expected a repetition in format {FORMAT}, got something else ({error}); use the "
            "version of taut that wrote it, or delete the file to run this repetition again."
        ) from error
    return found


def _head(run: Repetition) -> dict[str, Any]:
    return {**asdict(run), "costs": dict(run.costs)}


def _repetition(head: Mapping[str, Any]) -> Repetition:
    return Repetition(**{**head, "costs": tuple(sorted(head["costs"].items()))})


# --- The table


def publish(results: Results, path: str | Path, times: bool = True) -> int:
    """Write all steps to one Parquet file, replacing it; returns the number of rows."""
    pyarrow, parquet = _arrow()
    left = {*(() if times else TIMES), *(() if any(trace.said is not None for trace in results) else ("said",))}
    columns = {name: kind for name, kind in _columns(pyarrow).items() if name not in left}
    rows = [_rows(trace) for trace in results]
    made = {name: [cell for each in rows for cell in each[name]] for name in columns}
    heads = json.dumps([_packed_head(trace) for trace in results])
    table = pyarrow.table(made, schema=pyarrow.schema(list(columns.items()), {HEADS: heads}))
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}.partial")
    parquet.write_table(table, half, compression="zstd", compression_level=19)
    half.replace(target)
    return int(table.num_rows)


def _columns(pyarrow: Any) -> dict[str, Any]:
    text, whole = pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), pyarrow.int32()
    number, numbers = pyarrow.float64(), pyarrow.list_(pyarrow.float64())
    return {
        "experiment": text, "method": text, "preset": text, "seed": whole, "step": whole, "spent": number,
        "functions": text, "decided": text, "point": numbers, "recommended": numbers, "oc": number,
        **dict.fromkeys(TIMES, pyarrow.float32()), "said": numbers,
    }  # fmt: skip


def _rows(trace: Trace) -> dict[str, Sequence[Any]]:
    run, count = trace.repetition, len(trace.spent)
    return {
        **{name: [getattr(run, name)] * count for name in ("experiment", "method", "preset", "seed")},
        **{name: getattr(trace, name) for name in ("spent", "recommended", "oc", *TIMES)},
        "step": range(count),
        "functions": ["+".join(compress(trace.names, row)) for row in trace.evaluated],
        "decided": ["+".join(compress(trace.names, row)) for row in trace.decided],
        "point": [[], *trace.point[1:]],
        "said": _said(trace),
    }


def _steps(trace: Trace) -> dict[str, list[Any]]:
    """The fields of its steps, the inverse of trace_of."""
    chosen = {"functions": trace.evaluated, "decided": trace.decided}
    return {
        **{name: [list(compress(trace.names, row)) for row in rows] for name, rows in chosen.items()},
        **{name: getattr(trace, name).tolist() for name in ("spent", "recommended", "oc", *TIMES)},
        "point": [[], *trace.point[1:].tolist()],
        "said": _said(trace),
    }


def _said(trace: Trace) -> list[list[float] | None]:
    return trace.said.tolist() if trace.said is not None else [None] * len(trace.spent)


def _packed_head(trace: Trace) -> dict[str, Any]:
    head = _head(trace.repetition)
    return {**head, "costs": json.dumps(head["costs"]), "versions": json.dumps(trace.versions)}


def _published(path: Path) -> Results:
    """What `publish` wrote; times that were left out are NaN."""
    _, parquet = _arrow()
    table = parquet.read_table(path)
    columns: dict[str, list[Any]] = dict.fromkeys(TIMES, [math.nan] * table.num_rows)
    columns |= {name: table.column(name).to_pylist() for name in table.column_names}
    columns |= {name: [text.split("+") for text in columns[name]] for name in ("functions", "decided")}
    begins = [row for row, step in enumerate(columns["step"]) if step == 0]
    traces = []
    for head, (begin, end) in zip(
        json.loads(table.schema.metadata[HEADS]), pairwise([*begins, table.num_rows]), strict=True
    ):  # both in order of their keys
        made_with, costs = (json.loads(head.pop(name)) for name in ("versions", "costs"))
        steps = {name: column[begin:end] for name, column in columns.items()}
        traces.append(trace_of(_repetition({**head, "costs": costs}), steps, made_with))
    return Results(traces)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise StorageError("Parquet needs pyarrow, which is not installed; run pip install 'taut[parquet]'.") from error
    return pyarrow, pyarrow.parquet
