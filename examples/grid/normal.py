"""All lines in service, one power flow: what the fuel costs, and the highest loading of a line."""

import json
import sys

import grid

design = json.load(sys.stdin)["parameters"]
net = grid.build(design)
loading = grid.highest_loading(net)
print(json.dumps({"fuel": grid.fuel(net, design), "loading": loading}))
