"""The compact form of results: one Parquet table with a row per step, byte for byte the same for the same rows.

Points are lists of numbers; the repetitions' settings and the versions are in the metadata of the file. Times are left
out unless asked for, because they differ from run to run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from taut.base.errors import StorageError
from taut_paper.results import Store

HEADS = b"taut.repetitions"
_TEXT = ("experiment", "method", "preset", "functions", "decided")
_PLACES = ("point", "recommended")
_TIMES = ("ask_seconds", "recommend_seconds")


def write(store: Store, path: str | Path, times: bool = True) -> int:
    """Write all steps of a store to one file, replacing it; returns the number of rows."""
    pyarrow, parquet = _arrow()
    columns = store.table()
    if not times:
        columns = {name: column for name, column in columns.items() if name not in _TIMES}
    made: dict[str, Any] = {name: _column(pyarrow, name, column) for name, column in columns.items()}
    table = pyarrow.table(made).replace_schema_metadata({HEADS: json.dumps(store.heads())})
    target = Path(path)
    half = target.with_name(f".{target.name}.part")
    parquet.write_table(table, half, compression="zstd", compression_level=19)
    half.replace(target)
    return int(table.num_rows)


def read(path: str | Path) -> tuple[list[dict[str, Any]], Mapping[str, Sequence[Any]]]:
    """Heads and columns, as a store gives them; times that were left out are NaN."""
    _, parquet = _arrow()
    table = parquet.read_table(path)
    columns: dict[str, Any] = {name: table.column(name).to_pylist() for name in table.column_names}
    for name in _PLACES:
        columns[name] = [" ".join(repr(u) for u in place) for place in columns[name]]
    for name in _TIMES:
        columns.setdefault(name, [float("nan")] * table.num_rows)
    return json.loads(table.schema.metadata[HEADS]), columns


def _column(pyarrow: Any, name: str, column: Sequence[Any]) -> Any:
    if name in _TEXT:
        return pyarrow.array(column, pyarrow.string()).dictionary_encode()
    if name in _PLACES:
        places = [[float(u) for u in text.split()] for text in column]
        return pyarrow.array(places, pyarrow.list_(pyarrow.float64()))
    if name in _TIMES:
        return pyarrow.array(column, pyarrow.float32())
    return pyarrow.array(column, pyarrow.int32() if name in ("seed", "step") else pyarrow.float64())


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise StorageError("Parquet needs pyarrow, which is not installed; run pip install 'taut[parquet]'.") from error
    return pyarrow, pyarrow.parquet
