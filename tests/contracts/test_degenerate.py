"""Every method goes on in any number of dimensions where the values say nothing: flat, failed, missing, hopeless."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import taut
from taut.policy import METHODS

DIMENSIONS = (1, 2, 4, 10)
RECOMMENDED = (1, 4)  # all methods recommend alike, and with many digits
# Small searches: what is missing does not depend on how hard a method looks.
FAST = {"inner": 24, "raw": 16, "starts": 2, "search_raw": 32, "search_starts": 2, "paths": 2, "vectors": 2}
Value = Callable[[dict[str, float]], float | None]


def slope(point: dict[str, float]) -> float:
    return sum(point.values()) / len(point) - 0.4


@dataclass(frozen=True)
class Case:
    """What the objective f and the constraint c <= 0 return."""

    f: Value = slope
    c: Value = slope
    initial: int = 2


CASES = {
    "flat objective": Case(f=lambda point: 3.0),
    "no value of the objective": Case(f=lambda point: None),
    "nothing known": Case(initial=0),
    "flat constraint": Case(c=lambda point: -2.0),
    "everything flat": Case(f=lambda point: 0.0, c=lambda point: 0.0),
    "never feasible": Case(c=lambda point: 5.0 + slope(point)),
    "flat and never feasible": Case(f=lambda point: 1e6, c=lambda point: 1e6),
    "no value at all": Case(f=lambda point: None, c=lambda point: None),
}


def study(dimension: int, method: str, initial: int) -> taut.Study:
    parameters = [taut.Real(f"x{k}", 0.0, 1.0) for k in range(dimension)]
    objective, constraint = taut.Objective("f", goal="minimize"), taut.Constraint("c", at_most=0.0)
    problem = taut.Problem(parameters, objective, [constraint])
    return taut.Study(problem, method=method, seed=dimension, initial=initial, options=FAST)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_method_goes_on(method: str, case: str) -> None:
    given = CASES[case]
    functions = {"f": given.f, "c": given.c}
    for dimension in DIMENSIONS:
        played = study(dimension, method, given.initial)
        for _ in range(max(given.initial + 1, 2)):
            suggestion = played.ask()
            assert suggestion.functions and all(0.0 <= value <= 1.0 for value in suggestion.point.values())
            played.tell(suggestion, {name: functions[name](suggestion.point) for name in suggestion.functions})
        if dimension not in RECOMMENDED:
            continue
        best = played.recommend()
        assert all(map(math.isfinite, (*best.objective, *best.constraints["c"], best.feasibility)))
        assert all(0.0 <= value <= 1.0 for value in best.point.values())
