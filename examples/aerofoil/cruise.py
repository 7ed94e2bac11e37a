"""Drag in cruise, counts (1e-4): lift 0.5, Reynolds number 3e6. XFOIL prints five decimals."""

import json
import sys

import xfoil
from section import Section

section = Section.of(json.load(sys.stdin)["parameters"])
print(json.dumps({"drag": round(1e4 * xfoil.at_lift(section, 3e6, 0.5).drag, 1)}))
