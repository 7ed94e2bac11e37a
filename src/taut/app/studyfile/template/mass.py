"""Mass of a steel bar of 1 m. Reads one JSON object from standard input and prints one as its last line."""

import json
import sys

asked = json.load(sys.stdin)  # {"study": ..., "suggestion": ..., "parameters": {...}, "functions": [...]}
width = asked["parameters"]["width"]  # mm
height = asked["parameters"]["height"]  # mm

mass = 7.85e-3 * width * height  # kg
print(json.dumps({"mass": mass}))
