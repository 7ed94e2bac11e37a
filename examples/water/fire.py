"""The lowest pressure while a fire engine draws water, m of water: one moment for each hydrant of a district."""

import json
import sys

import town

DISTRICTS = {
    "fire_north": ("N1", "N2", "N3", "N4", "X1"),
    "fire_south": ("S1", "S2", "S3", "S4", "X2"),
    "fire_east": ("B", "X3"),
}
BUSY = 1.2  # of the mean demand


def run(design, district):
    return {district: min(town.lowest(town.build(design), BUSY, extra=hydrant) for hydrant in DISTRICTS[district])}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(run(asked["parameters"], *asked["functions"])))
