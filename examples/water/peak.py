"""The lowest pressure in the busiest hour, m of water: one moment is simulated."""

import json
import sys

import town

BUSIEST = 1.7  # of the mean demand


def run(design):
    return {"peak": town.lowest(town.build(design), BUSIEST)}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin)["parameters"])))
