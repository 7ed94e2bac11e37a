"""The largest lift, Reynolds number 1.5e6: a sweep over 29 angles, the dear one."""

import json
import sys

import xfoil
from section import Section

section = Section.of(json.load(sys.stdin)["parameters"])
print(json.dumps({"stall": xfoil.largest_lift(section, 1.5e6)}))
