"""What a host runs: it calls those of the user's functions that are asked for, and returns nan for all others."""

import logging
import math
import time
from collections.abc import Iterable, Mapping
from typing import Any

from taut.base.errors import StudyError, listed
from taut.base.numbers import finite, shown
from taut.hosts.names import Renamed
from taut.hosts.requests import REQUEST, SECONDS, Requests
from taut.problem.discrete import Choice, Parameter
from taut.problem.problem import Problem
from taut.study.programs import Function, PythonProgram, programs

SHORTEST = 1e-9
"""Seconds that an evaluation takes at least, where a clock cannot tell: zero would say that there was none."""

_log = logging.getLogger("taut")


class Simulator:
    """To be called with the inputs, a dict; gives a dict of outputs. Optimas hands over where to put them, too.

    functions: as for taut.Study.run, one for each function, or one for a group, which returns a dict. fixed: what they
    get besides the parameters. seen: other outputs that the host keeps; nan, unless the dict of a group has them.
    names: those of the host, by which functions get and give values. (No dataclass: libEnsemble makes dicts of them.)
    """

    def __init__(
        self,
        problem: Problem,
        functions: Mapping[str, Function],
        fixed: Mapping[str, Any] | None = None,
        seen: Iterable[str] = (),
        names: Renamed | None = None,
    ) -> None:
        self.names = names or Renamed()
        calls = self.names.to_ours(functions) if isinstance(functions, Mapping) else functions
        self.requests, self.programs = Requests.of(problem), programs(problem, calls)
        self.__name__ = self.__qualname__ = "Simulator"  # Xopt writes it down
        self.parameters, self.fixed = problem.parameters, dict(fixed or {})
        self.seen = [name for name in seen if name not in (*self.requests.outputs, SECONDS)]

    def __call__(self, inputs: Mapping[str, Any], outputs: Any = None) -> dict[str, Any]:
        inputs = self.names.to_ours(inputs)
        if REQUEST not in inputs and len(self.requests.bundles) > 1:
            way = "hand generator.vocs to the host, not the VOCS that the generator was made with"
            raise StudyError.of(f"Simulator: {REQUEST!r}", "what is asked for", "no such input", way)
        asked = self.requests.bundles[self.requests.code_of(inputs.get(REQUEST, 0))]
        point = {each.name: _own(each, inputs) for each in self.parameters} | self.fixed  # Optimas keeps constants
        begun = time.perf_counter()
        found: dict[str, Any] = dict.fromkeys((*self.requests.outputs, *self.seen), math.nan)
        for program in self.programs:
            if not set(asked).isdisjoint(program.functions):
                found |= self._run(program, point)
        found[SECONDS] = max(time.perf_counter() - begun, SHORTEST)
        found = self.names.to_theirs(found)
        if outputs is not None:
            for name, value in found.items():
                outputs[name] = value
        return found

    def _run(self, program: PythonProgram, point: dict[str, Any]) -> dict[str, Any]:
        """What raises, or gives no finite number, has failed there: nan. What is left out of a dict is a mistake."""
        try:
            result = program.call(self.names.to_theirs(point))
        except Exception as error:
            _log.warning("%s failed at %s: %s: %s", program.name, point, type(error).__name__, error)
            return dict.fromkeys(program.functions, math.nan)
        if not program.returns_dict:
            result = {program.name: result}
        elif isinstance(result, Mapping):
            result = self.names.to_ours(result)
        if not isinstance(result, Mapping) or any(name not in result for name in program.functions):
            expected = f"a dict with {listed(program.functions)}"
            way = "return all of them, nan for one that failed: nothing that is left out may pass for a value"
            raise StudyError.of(f"Simulator: {program.name!r}", expected, shown(result), way)
        numbers = {name: finite(result[name]) for name in program.functions}
        seen = {name: result[name] for name in self.seen if name in result}
        return seen | {name: math.nan if number is None else number for name, number in numbers.items()}


def _own(parameter: Parameter, inputs: Mapping[str, Any]) -> Any:
    """A value as the problem declares it: hosts cast whole numbers to floats, and numbers among texts to texts."""
    if parameter.name not in inputs:
        way = "hand every variable to the simulator"
        raise StudyError.of(f"Simulator: {parameter.name!r}", "a value", "no such input", way)
    value = inputs[parameter.name]
    value = value.item() if hasattr(value, "item") else value
    texts = {str(option): option for option in parameter.options} if isinstance(parameter, Choice) else {}
    return parameter.check(texts.get(value, value) if isinstance(value, str) else value)
