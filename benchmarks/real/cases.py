"""The two cases: what is declared in their study files, and the programs of the examples as Python calls them."""

import json
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.real import solver
from examples.panel.panel import Panel

import taut

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER.parents[1] / "examples"
Function = Callable[[Mapping[str, float]], float]
DECIMALS = 4


def _program(function: str, script: str, setup: str | None = None) -> Function:
    """What a program of an example says of a point, after the program that makes its setup."""

    def value(point: Mapping[str, float]) -> float:
        with tempfile.TemporaryDirectory(prefix="real-") as name:
            folder = Path(name)
            made = {"name": "setup", "folder": name, "made": True}
            asked = json.dumps({"parameters": dict(point), "functions": [function], "setups": [made] if setup else []})
            if setup:
                solver.run(sys.executable, (str(EXAMPLES / setup),), folder, asked)
            said = solver.run(sys.executable, (str(EXAMPLES / script),), folder, asked)
            return round(float(json.loads(said.splitlines()[-1])[function]), DECIMALS)

    return value


@dataclass(frozen=True)
class Case:
    """Values have the digits with which the solvers print them."""

    name: str
    functions: dict[str, Function]
    needs: tuple[str, ...]
    problem: taut.Problem = field(init=False)
    budget: float = field(init=False)

    def __post_init__(self) -> None:
        declared = tomllib.loads((FOLDER / f"{self.name}.toml").read_text())
        object.__setattr__(self, "problem", problem(declared))
        object.__setattr__(self, "budget", float(declared["study"]["budget"]))


def problem(declared: Mapping[str, Any]) -> taut.Problem:
    """Of a study file that has only real parameters, as these have."""
    parameters = [taut.Real(name, each["low"], each["high"]) for name, each in declared["parameters"].items()]
    constraints = [taut.Constraint(**_known(each)) for each in declared["constraints"]]
    return taut.Problem(parameters, taut.Objective(**_known(declared["objective"])), constraints)


def _known(table: Mapping[str, Any]) -> dict[str, Any]:
    """Without what only programs need."""
    return {key: table[key] for key in ("name", "goal", "cost", "at_most", "at_least") if key in table}


def violated(problem: taut.Problem, values: Mapping[str, float | None]) -> list[str]:
    """The constraints that these values do not meet; one without a value is not met. The objective must have one."""
    bad = [problem.objective.name] if values.get(problem.objective.name) is None else []
    for each in problem.constraints:
        value = values.get(each.name)
        low = -float("inf") if each.at_least is None else each.at_least
        high = float("inf") if each.at_most is None else each.at_most
        if value is None or not low <= value <= high:
            bad.append(each.name)
    return bad


AEROFOIL = Case(
    "aerofoil",
    {
        "drag": _program("drag", "aerofoil/cruise.py"),
        "moment": _program("moment", "aerofoil/moment.py"),
        "climb": _program("climb", "aerofoil/climb.py"),
        "stall": _program("stall", "aerofoil/stall.py"),
        "spar": _program("spar", "aerofoil/spar.py"),
    },
    ("xfoil", "Xvfb"),
)
PANEL = Case(
    "panel",
    {
        "mass": lambda point: round(Panel.of(point).mass, DECIMALS),
        "stress": _program("stress", "panel/static.py", "panel/mesh.py"),
        "frequency": _program("frequency", "panel/modal.py", "panel/mesh.py"),
        "buckling": _program("buckling", "panel/buckling.py", "panel/mesh.py"),
    },
    ("ccx",),
)
CASES = {case.name: case for case in (AEROFOIL, PANEL)}
