"""For Optimas, which carries objectives and observables only, and takes an objective that is nan for a failure."""

from typing import Any

from gest_api.vocs import VOCS, DiscreteVariable, Observable
from optimas.evaluators import FunctionEvaluator
from optimas.generators import ExternalGenerator

from taut.base.numbers import shown
from taut.hosts.gest import TautGenerator
from taut.hosts.requests import GestError
from taut.hosts.simulator import Simulator


def parts(generator: TautGenerator, simulator: Simulator) -> tuple[Any, Any]:
    """Generator and evaluator for an Exploration."""
    vocs = generator.vocs
    for name, each in vocs.variables.items():
        if isinstance(each, DiscreteVariable) and not _carried(each.values) and len(each.values) > 1:
            expected = "a range, or a set of whole numbers without gaps, which are what Optimas hands to an evaluator"
            way = "number the values, and look them up in your functions"
            raise GestError.of(f"VOCS: variable {name!r}", expected, shown(each.values), way)
    seen = {name: Observable(dtype="float") for name in vocs.constraints} | dict(vocs.observables)
    given = {name: dict(getattr(vocs, name)) for name in ("variables", "objectives", "constants")}
    evaluator = FunctionEvaluator(function=simulator)
    evaluator._fail_on_nan = False  # it was not asked for
    given["variables"] = {name: each for name, each in given["variables"].items() if len(_listed(each)) != 1}
    return ExternalGenerator(ext_gen=generator, vocs=VOCS(**given, observables=seen)), evaluator


def _listed(variable: Any) -> Any:
    return variable.values if isinstance(variable, DiscreteVariable) else ()


def _carried(values: Any) -> bool:
    whole = all(isinstance(value, int) for value in values)
    return whole and max(values) - min(values) == len(values) - 1
