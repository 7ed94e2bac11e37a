"""The setup: the mesh of a panel, which all analyses of it share. Leaves mesh.inp in the folder of the setup."""

import json
import sys
from pathlib import Path

from panel import Panel, model

asked = json.load(sys.stdin)
(setup,) = asked["setups"]
Path(setup["folder"], "mesh.inp").write_text(model(Panel.of(asked["parameters"])))
