"""The lowest pressure while a pipe of the ring is shut after a burst, m of water: one moment for each pipe."""

import json
import sys

import town

BUSY = 1.2  # of the mean demand


def run(design):
    found = []
    for name in town.build(design).pipe_name_list:
        if name.startswith(("north", "south")):
            network = town.build(design)
            network.get_link(name).initial_status = "Closed"
            found.append(town.lowest(network, BUSY))
    return {"burst": min(found)}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin)["parameters"])))
