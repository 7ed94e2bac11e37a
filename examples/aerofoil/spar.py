"""Depth at the rear spar, percent of the chord: geometry alone."""

import json
import sys

from section import Section

print(json.dumps({"spar": Section.of(json.load(sys.stdin)["parameters"]).spar()}))
