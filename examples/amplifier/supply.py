"""The operating point: current from the supply, mA."""

import json
import sys

import circuit

parts = json.load(sys.stdin)["parameters"]
found = circuit.simulate(parts, "op\nlet amps = -i(vcc)\nprint amps")
print(json.dumps({"supply": 1000 * found["amps"]}))
