"""Every formula against values of an independent implementation, and where one has a pole."""

import json
import math
from pathlib import Path

import pytest

from taut import bench
from taut.bench import formulas

KNOWN = json.loads((Path(__file__).parent / "known_values.json").read_text())


@pytest.mark.parametrize("name", KNOWN)
def test_functions_match_stored_values(name):
    problem = bench.problem(name)
    for known in KNOWN[name]["points"]:
        point = {f"x{i}": value for i, value in enumerate(known["x"], start=1)}
        got = list(problem.evaluate(point).values())
        assert got == pytest.approx([known["f"], *known["c"]], rel=1e-12, abs=1e-12)


def test_every_formula_belongs_to_a_problem():
    written = {name for name, value in vars(formulas).items() if callable(value)}
    problems = [bench.problem(name) for name in bench.names()]
    assert written == {each.formula.__name__ for problem in problems for each in problem.functions.values()}


def test_spring_is_infinite_at_its_pole():
    spring = bench.problem("spring")
    pole = {"x1": 0.5, "x2": 0.5, "x3": 5.0}
    assert spring.functions["c2"](pole) == math.inf
    assert not spring.is_feasible(pole)
