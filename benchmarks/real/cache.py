"""Values that were computed once, on disk: the same point is not computed again in the next run.

The key is everything the value depends on: the case, the function, the point to the last digit, and the modules that
make the input and read the output (not the limits in the study files). Failures are kept as well, except those of time.
"""

import hashlib
import json
import os
import resource
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from benchmarks.real.cases import CASES, EXAMPLES
from benchmarks.real.solver import NoValueError, TimeLimitError

WAITED = "waited in vain: "
"""So begins the note of a failure that is not kept."""


@dataclass(frozen=True)
class Run:
    """One evaluation: its value or why there is none, and what it took."""

    value: float | None
    note: str
    cpu: float
    """Seconds of the solver."""
    seconds: float
    kept: bool = False
    """Read from the disk."""


@cache
def fingerprint(case: str) -> str:
    own = [Path(__file__).parent / f"{name}.py" for name in ("solver", "cases")]
    texts = [path.read_bytes() for path in (*own, *sorted((EXAMPLES / case).glob("*.py")))]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def compute(case: str, function: str, point: Mapping[str, float]) -> Run:
    """Run the solver, whatever is on the disk."""
    used, begun = _children(), time.monotonic()
    try:
        value, note = CASES[case].functions[function](point), ""
    except NoValueError as error:
        value, note = None, (WAITED if isinstance(error, TimeLimitError) else "") + str(error)
    return Run(value, note, round(_children() - used, 3), round(time.monotonic() - begun, 3))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Cache:
    folder: Path

    def run(self, case: str, function: str, point: Mapping[str, float]) -> Run:
        """From the disk if it is there, else from the solver."""
        path = self._path(case, function, point)
        if path.exists():
            return Run(**json.loads(path.read_text()) | {"kept": True})
        found = compute(case, function, point)
        if not found.note.startswith(WAITED):
            self._keep(path, found)
        return found

    def _path(self, case: str, function: str, point: Mapping[str, float]) -> Path:
        key = json.dumps([case, function, sorted(point.items()), fingerprint(case)])  # repr of a float is exact
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / case / name[:2] / f"{name[2:34]}.json"

    def _keep(self, path: Path, found: Run) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(asdict(found)) + "\n")
        new.replace(path)
