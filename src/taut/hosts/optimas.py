"""For Optimas, which carries objectives and observables only, and takes an objective that is nan for a failure."""

from typing import Any

from gest_api.vocs import VOCS, Observable
from optimas.evaluators import FunctionEvaluator
from optimas.generators import ExternalGenerator

from taut.hosts.gest import TautGenerator
from taut.hosts.simulator import Simulator


def parts(generator: TautGenerator, simulator: Simulator) -> tuple[Any, Any]:
    """Generator and evaluator for an Exploration."""
    vocs = generator.vocs
    seen = {name: Observable(dtype="float") for name in vocs.constraints} | dict(vocs.observables)
    given = {name: dict(getattr(vocs, name)) for name in ("variables", "objectives", "constants")}
    evaluator = FunctionEvaluator(function=simulator)
    evaluator._fail_on_nan = False  # it was not asked for
    return ExternalGenerator(ext_gen=generator, vocs=VOCS(**given, observables=seen)), evaluator
