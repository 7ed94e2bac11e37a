"""Drag while climbing, counts: lift 1.0, Reynolds number 2e6."""

import json
import sys

import xfoil
from section import Section

section = Section.of(json.load(sys.stdin)["parameters"])
print(json.dumps({"climb": round(1e4 * xfoil.at_lift(section, 2e6, 1.0).drag, 1)}))
