"""One evaluation as a study file asks for it: a JSON object on standard input, a JSON object as the last line.

command = ["python", "program.py", "aerofoil"] in a study file beside this one.
"""

import json
import sys
from pathlib import Path

if __name__ == "__main__":  # started as a file from anywhere: the package is two folders up
    sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.real.cases import CASES  # noqa: E402
from benchmarks.real.solver import NoValueError, missing  # noqa: E402


def main(case: str, asked: str) -> str:
    """The line to print. NoValueError where a function has no value."""
    order = json.loads(asked)
    values = {name: CASES[case].functions[name](order["parameters"]) for name in order["functions"]}
    return json.dumps(values)


if __name__ == "__main__":
    lacking = missing(CASES[sys.argv[1]].needs)
    if lacking:
        sys.exit(f"The case {sys.argv[1]!r} needs Debian packages that are missing: apt install {' '.join(lacking)}")
    try:
        print(main(sys.argv[1], sys.stdin.read()))
    except NoValueError as error:
        sys.exit(str(error))
