"""Stress in that bar with a load of 2 kN at its free end. Reads one JSON object from standard input and prints one as its last line."""

import json
import sys

asked = json.load(sys.stdin)  # {"study": ..., "suggestion": ..., "parameters": {...}, "functions": [...]}
width = asked["parameters"]["width"]  # mm
height = asked["parameters"]["height"]  # mm

stress = 1.2e7 / (width * height**2)  # MPa
print(json.dumps({"stress": stress}))
