"""Finished runs as lines of a JSON file. Each row is a run, and some of its fields, the key, tell it from all others.

A row is appended when its run is complete, so a measurement that is killed goes on where it was. What is kept for good
is merged: each run once, in the order of the keys, in whichever order they were run, so that the same runs make the
same file byte for byte.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Key = tuple[Any, ...]


def rows(path: Path) -> Iterator[Row]:
    """The rows of a file; none if there is no file. A line that a kill left half-written is no row."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def append(path: Path, row: Row) -> None:
    """One line, written at once; after a half-written line it begins a new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        torn = False
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            torn = file.read(1) != b"\n"
        file.write((b"\n" if torn else b"") + json.dumps(row).encode() + b"\n")


@dataclass(frozen=True)
class Store:
    """A file of rows, and the fields that are their key."""

    path: Path
    key: tuple[str, ...]

    def rows(self) -> list[Row]:
        """Runs that ended; those that raised are left out."""
        return [row for row in rows(self.path) if "error" not in row]

    def of(self, row: Row) -> Key:
        return tuple(row[name] for name in self.key)

    def missing(self, wanted: Iterable[Row], again: bool = False) -> list[Row]:
        """Of runs given by their keys, those without a row. again: those that raised as well."""
        done = {self.of(row) for row in rows(self.path) if not (again and "error" in row)}
        return [each for each in wanted if self.of(each) not in done]

    def append(self, row: Row) -> None:
        append(self.path, row)

    def merge(self, new: Iterable[Row]) -> int:
        """Add rows, which replace those of the same key, and write the file in one go; how many it has then."""
        found = {self.of(row): row for row in [*self.rows(), *(row for row in new if "error" not in row)]}
        half = self.path.with_name(f".{self.path.name}.partial")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text("".join(json.dumps(found[key]) + "\n" for key in sorted(found)), encoding="utf-8")
        half.replace(self.path)
        return len(found)
