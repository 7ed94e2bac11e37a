"""What all benchmarks share: finished runs as rows of a file, one way to run what is missing, one way to print a table.

Reading order: words, rows, runs, table. What is computed of runs (stuck, honest, repeats, CPU) is in taut_paper.stuck
and taut_paper.conduct, so that the report of the published experiments counts in the same way.

To be imported before NumPy: every library gets one thread, here and in child processes. And taut_paper is that of this
checkout, whichever taut PYTHONPATH chooses to be measured: other versions are counted by the same rules.
"""

import importlib.util
import os
import sys
from pathlib import Path

for library in ("OPENBLAS", "OMP", "MKL", "RAYON"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

if "taut_paper" not in sys.modules:
    _folder = Path(__file__).parents[2] / "src" / "taut_paper"
    _spec = importlib.util.spec_from_file_location("taut_paper", _folder / "__init__.py")
    if _spec is None or _spec.loader is None:
        raise ImportError(f"no taut_paper in {_folder}")
    sys.modules["taut_paper"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["taut_paper"])
