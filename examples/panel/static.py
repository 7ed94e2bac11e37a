"""A pressure of 0.02 MPa from below: the largest von Mises stress, MPa. One linear system."""

import json
import sys
from pathlib import Path

import calculix

(setup,) = json.load(sys.stdin)["setups"]
step = ["*STATIC", "*DLOAD", "PLATE,P1,0.02", "*EL PRINT,ELSET=ALL", "S"]
tables = calculix.compute(Path(setup["folder"], "mesh.inp"), step, Path.cwd())
print(json.dumps({"stress": calculix.mises(tables)}))
