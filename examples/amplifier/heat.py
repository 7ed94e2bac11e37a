"""The operating point at 70 degrees: voltage that is left across the first transistor, V."""

import json
import sys

import circuit

parts = json.load(sys.stdin)["parameters"]
found = circuit.simulate(parts, "set temp=70\nop\nlet volts = v(c) - v(e)\nprint volts")
print(json.dumps({"heat": found["volts"]}))
