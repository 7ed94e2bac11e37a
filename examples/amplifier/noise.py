"""Noise at the input, 20 Hz to 20 kHz, microvolts."""

import json
import sys

import circuit

parts = json.load(sys.stdin)["parameters"]
found = circuit.simulate(parts, "noise v(out) vin dec 50 20 20k\nsetplot noise2\nprint inoise_total")
print(json.dumps({"noise": 1e6 * found["inoise_total"]}))
