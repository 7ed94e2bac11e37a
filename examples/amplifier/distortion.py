"""A sine of 10 mV: harmonic distortion at the output, percent. Dear: small steps, and long until all has settled."""

import json
import sys

import circuit

parts = json.load(sys.stdin)["parameters"]
found = circuit.simulate(parts, "tran 1u 200m 190m 1u\nfourier 1k v(out)", "sin(0 10m 1k)")
print(json.dumps({"distortion": found["THD"]}))
