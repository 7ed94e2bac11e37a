"""What is asked for, as a number: hosts that know points only carry it to the simulator as one more variable.

Code k stands for the k-th bundle: a function, or a group that comes together. A suggestion of several bundles is
several rows with the same point, so that a host may give each to another worker. Row (number, code) has the id
number m + code, with m codes in all.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.base.errors import TautError
from taut.base.numbers import as_float, finite, shown
from taut.problem.problem import Problem

ID = "_id"
"""What gest-api calls the identity of a row."""
REQUEST = "taut_request"
"""The variable that says what is asked for."""
SECONDS = "taut_seconds"
"""An observable: how long the evaluation took, above 0. Hosts hand out zeros for what nobody computed, and zero is a
value that constraints can have; a time is never zero."""


class GestError(TautError, ValueError):
    """What a generator refuses; gest-api wants a ValueError."""


@dataclass(frozen=True)
class Requests:
    """By code, the functions; outputs: all of them, in order."""

    bundles: tuple[tuple[str, ...], ...]
    outputs: tuple[str, ...]

    @staticmethod
    def of(problem: Problem) -> "Requests":
        return Requests(tuple(bundle.functions for bundle in problem.bundles), problem.functions)

    @property
    def codes(self) -> range:
        return range(len(self.bundles))

    def id(self, number: int, code: int) -> int:
        """Of a row."""
        return number * len(self.bundles) + code

    def row(self, id: int) -> tuple[int, int]:
        """The suggestion's number and the code of a row."""
        return divmod(id, len(self.bundles))

    def code_of(self, value: object) -> int:
        """The code that came as a number of whatever kind."""
        number = as_float(value)
        if number is None or number not in self.codes:
            expected = f"a whole number from 0 to {len(self.bundles) - 1}"
            way = "hand the variable of that name to the simulator and back as it is"
            raise GestError.of(REQUEST, expected, shown(value), way)
        return int(number)


@dataclass(frozen=True)
class Answer:
    """What a row brought: by function asked for, a value or None for a failure, and the seconds it took in all."""

    values: Mapping[str, float | None]
    seconds: float | None


def answered(result: Mapping[str, Any], asked: tuple[str, ...], outputs: tuple[str, ...]) -> Answer:
    """Read a result. Raises if something asked for is missing, or something else is there: that was never computed."""
    if result.get("xopt_error") is True or "FAILED" in str(result.get("_status", "")):
        return Answer(dict.fromkeys(asked), finite(result.get("xopt_runtime")) or None)
    for name in (*asked, SECONDS):
        if name not in result:
            way = "return every output, nan for what failed or was not asked for (generator.simulator(...) does)"
            raise GestError.of(f"Result: {name!r}", "a number or nan", "nothing", way)
    seconds = finite(result[SECONDS])
    if seconds is None or seconds <= 0.0:
        way = "let the simulator return it (generator.simulator(...) does); what nobody computes, hosts fill in as 0"
        raise GestError.of(f"Result: {SECONDS!r}", "the seconds it took, above 0", shown(result[SECONDS]), way)
    for name in outputs:
        if name not in asked and not absent(result.get(name)):
            way = "return nan for it: a host may have put this number there, not your simulator"
            raise GestError.of(f"Result: {name!r}", "nan, because it was not asked for", shown(result[name]), way)
    numbers = {name: None if absent(result[name]) else number_of(name, result[name]) for name in asked}
    return Answer({name: finite(number) for name, number in numbers.items()}, seconds)


def number_of(name: str, value: object) -> float:
    """An output as a number. A text may have been one before somebody wrote it down: it is no failure."""
    number = as_float(value)
    if number is None:
        raise GestError.of(f"Result: {name!r}", "a number or nan", shown(value), "hand numbers back as numbers")
    return number


def absent(value: object) -> bool:
    """Is it None or nan?"""
    number = as_float(value)
    return value is None or (number is not None and math.isnan(number))
