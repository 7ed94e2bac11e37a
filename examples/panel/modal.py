"""The lowest frequency at which the panel swings, Hz."""

import json
import sys
from pathlib import Path

import calculix

(setup,) = json.load(sys.stdin)["setups"]
tables = calculix.compute(Path(setup["folder"], "mesh.inp"), ["*FREQUENCY", "1"], Path.cwd())
print(json.dumps({"frequency": calculix.cycles(tables)}))
