"""The two cases: what is declared in their study files, and the functions as Python calls them."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.real import calculix, xfoil
from benchmarks.real.panel import Panel
from benchmarks.real.section import Section

import taut

FOLDER = Path(__file__).parent
Function = Callable[[Mapping[str, float]], float]
COUNTS = 1e4


def _section(value: Callable[[Section], float], decimals: int = 4) -> Function:
    return lambda point: round(value(Section.of(point)), decimals)


def _panel(value: Callable[[Panel], float]) -> Function:
    return lambda point: round(value(Panel.of(point)), 4)


@dataclass(frozen=True)
class Case:
    """Values have the digits with which the solvers print them; XFOIL gives five decimals of the drag."""

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
        "drag": _section(lambda section: COUNTS * xfoil.at_lift(section, 3e6, 0.5).drag, 1),
        "moment": _section(lambda section: xfoil.at_lift(section, 6e6, 0.1).moment),
        "climb": _section(lambda section: COUNTS * xfoil.at_lift(section, 2e6, 1.0).drag, 1),
        "stall": _section(lambda section: xfoil.largest_lift(section, 1.5e6)),
        "spar": _section(Section.spar),
    },
    xfoil.NEEDS,
)
PANEL = Case(
    "panel",
    {
        "mass": _panel(lambda panel: panel.mass),
        "stress": _panel(calculix.stress),
        "frequency": _panel(calculix.frequency),
        "buckling": _panel(calculix.buckling),
    },
    calculix.NEEDS,
)
CASES = {case.name: case for case in (AEROFOIL, PANEL)}
