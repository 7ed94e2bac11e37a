"""The recipes of docs/cluster.md for executors of others, as they stand there, on this machine.

    PYTHONPATH=tests python -m cluster.executors [dask submitit parsl]

Each is run as a program of its own, beside the page's beam.py. It must spend its budget without a failure, and
every value must be right. Ends with 1 if one does not.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pages

import taut

PAGE = pages.DOCS / "cluster.md"
RECIPES = {name: f'storage="{name}.db"' for name in ("dask", "submitit", "parsl")}
"""By which words a recipe is found in the page."""
BUDGET = 30.0
PATIENCE = 600.0


def run(name: str, folder: Path) -> None:
    """Run one recipe and judge what it has left behind."""
    (folder / "beam.py").write_text(pages.block(PAGE, "python", "# beam.py"))
    (folder / f"with_{name}.py").write_text(pages.block(PAGE, "python", RECIPES[name]))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # parsl starts programs by name
    done = subprocess.run(
        [sys.executable, f"with_{name}.py"], cwd=folder, env=dict(os.environ, PATH=path), timeout=PATIENCE,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    print(f"{name}: {done.stdout.strip().splitlines()[-1]}", flush=True)
    kept = taut.Study.open(folder / f"{name}.db")
    assert kept.spent == BUDGET and kept.recommend().verified
    keys = [(row.suggestion, row.function) for row in kept.observations]
    assert len(keys) == len(set(keys)) == sum(len(row.functions) for row in kept.suggestions)
    for row in kept.observations:
        width, height = row.point["width"], row.point["height"]
        right = {"stress": 1.2e7 / (width * height**2), "deflection": 3.81e7 / (width * height**3)}
        assert row.value == right[row.function]


def main() -> int:
    for name in sys.argv[1:] or RECIPES:
        with tempfile.TemporaryDirectory(prefix=f"taut-{name}-") as made:
            run(name, Path(made))
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
