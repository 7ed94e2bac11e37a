"""The files that `taut init` writes: a study that runs as it is, to be changed by the user."""

import os
from pathlib import Path

from taut.base.errors import StudyFileError, listed

STUDY = """\
# A study for taut: what is optimised, and the programs that evaluate it. Start it with
#     taut run study.toml

[study]
name = "bracket"
budget = 60             # cost to spend after the initial design, in the unit of the costs below
seed = 1                # the same seed gives the same suggestions
storage = "bracket.db"  # where everything is kept, beside this file; or "postgresql+psycopg://user:password@host/db"
# method = "dckg"       # how to decide what to evaluate next, and where
# initial = 6           # points of the initial design, at which everything is evaluated

# One table for each parameter, with the smallest and the largest value to try.
[parameters.width]
type = "real"
low = 10.0
high = 60.0

[parameters.height]
type = "real"
low = 20.0
high = 80.0
# log = true            # search on a logarithmic scale

# What is to become small (or large: goal = "maximize").
[objective]
name = "mass"
goal = "minimize"
cost = 1                # of one evaluation, compared with the others
command = ["python", "mass.py"]

# One table for each requirement: at_most, at_least, or both.
[[constraints]]
name = "stress"
at_most = 150.0
cost = 5
command = ["python", "stress.py"]
timeout = 60            # seconds; a program that takes longer has failed there
retries = 1             # further attempts after a failure

# A program that gives several functions in one go, at one cost:
# [[groups]]
# name = "solver"
# functions = ["mass", "stress"]
# cost = 5
# command = ["python", "solver.py"]

# How the programs are run.
# [run]
# workers = 2           # evaluations at the same time
"""

_PROGRAM = '''\
"""{title} Reads one JSON object from standard input and prints one as its last line."""

import json
import sys

asked = json.load(sys.stdin)  # {{"study": ..., "suggestion": ..., "parameters": {{...}}, "functions": [...]}}
width = asked["parameters"]["width"]  # mm
height = asked["parameters"]["height"]  # mm

{name} = {formula}  # {unit}
print(json.dumps({{"{name}": {name}}}))
'''

FILES = {
    "study.toml": STUDY,
    "mass.py": _PROGRAM.format(
        title="Mass of a steel bar of 1 m.", name="mass", formula="7.85e-3 * width * height", unit="kg"
    ),
    "stress.py": _PROGRAM.format(
        title="Stress in that bar with a load of 2 kN at its free end.",
        name="stress",
        formula="1.2e7 / (width * height**2)",
        unit="MPa",
    ),
}
"""By name."""


def write(folder: str) -> list[Path]:
    """Write the example into a folder, made if need be. Nothing is overwritten: either all of it is new, or none."""
    place = Path(folder)
    try:
        taken = [name for name in FILES if os.path.lexists(place / name)]
        if taken:
            raise StudyFileError(
                f"{folder!r}: expected a folder without {listed(taken)}, got one that has it; give another folder: "
                "taut init NAME."
            )
        place.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            with (place / name).open("x", encoding="utf-8") as file:  # x: nor what appeared a moment ago
                file.write(text)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise StudyFileError(
            f"{folder!r}: expected a folder to write to, got one that cannot be made or written ({why}); give another "
            "folder: taut init NAME."
        ) from error
    return [place / name for name in FILES]
