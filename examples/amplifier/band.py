"""Small signals, 1 Hz to 100 MHz: gain at 1 kHz, and the frequencies (Hz) between which it falls by 3 dB at most."""

import json
import sys

import circuit

COMMANDS = """ac dec 100 1 100meg
let size = vm(out)
meas ac gain find size at=1k
let edge = gain / sqrt(2)
meas ac low when size=edge rise=1
meas ac high when size=edge fall=last
"""

parts = json.load(sys.stdin)["parameters"]
found = circuit.simulate(parts, COMMANDS)
print(json.dumps({name: found[name] for name in ("gain", "low", "high")}))
