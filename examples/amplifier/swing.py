"""Far too large a sine: how far the output gets on the side where it clips first, V. Ten periods are looked at."""

import json
import sys

import circuit

COMMANDS = """tran 2u 15m 5m 2u
meas tran top max v(out)
meas tran bottom min v(out)
"""

parts = json.load(sys.stdin)["parameters"]
found = circuit.simulate(parts, COMMANDS, "sin(0 0.3 1k)")
print(json.dumps({"swing": min(found["top"], -found["bottom"])}))
