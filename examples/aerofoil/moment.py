"""Moment about the quarter chord at high speed: lift 0.1, Reynolds number 6e6."""

import json
import sys

import xfoil
from section import Section

section = Section.of(json.load(sys.stdin)["parameters"])
print(json.dumps({"moment": xfoil.at_lift(section, 6e6, 0.1).moment}))
