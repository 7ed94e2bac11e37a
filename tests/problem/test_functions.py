"""Objective, constraints and groups: what is accepted and refused."""

import math
from typing import Any

import numpy as np
import pytest
import toy

import taut


def test_numbers_become_floats() -> None:
    assert type(taut.Objective("f", cost=np.int64(2)).cost) is float
    both = taut.Constraint("c", np.float32(2), np.array([1]), 3, "learned")
    assert both == taut.Constraint("c", 2.0, 1.0, 3.0, "learned")
    assert all(type(number) is float for number in (both.at_most, both.at_least, both.cost))


def test_what_a_dict_holds() -> None:
    assert taut.Objective("f", "minimize").to_dict() == {
        "name": "f",
        "goal": "minimize",
        "cost": 1.0,
        "noise": None,
        "scale": None,
    }
    assert taut.Constraint("c", at_least=2).to_dict() == {
        "name": "c",
        "at_most": None,
        "at_least": 2.0,
        "cost": 1.0,
        "noise": None,
    }
    assert taut.Group("g", (name for name in "fc"), 2).to_dict() == {"name": "g", "functions": ["f", "c"], "cost": 2.0}


BAD = {
    "name with a space": (lambda: taut.Objective("my f"), ["'my f'", "letter"]),
    "name not a string": (lambda: taut.Constraint(3, at_most=0.0), ["Constraint", "letter", "3"]),
    "unknown goal": (lambda: taut.Objective("f", goal="maximise"), ["'f'", "'maximise'", "closest is 'maximize'"]),
    "unknown scale": (lambda: taut.Objective("f", scale="lineal"), ["'f'", "'lineal'", "closest is 'linear'"]),
    "scale a flag": (lambda: taut.Objective("f", scale=True), ["'f'", "'log', 'linear' or None", "True"]),
    "goal an array": (lambda: taut.Objective("f", goal=np.array(["a", "b"])), ["'f'", "'maximize' or 'minimize'"]),
    "cost zero": (lambda: taut.Objective("f", cost=0.0), ["'f'", "above 0", "0.0"]),
    "cost too large": (lambda: taut.Objective("f", cost=1e151), ["'f'", "1e+151", "1e+150", "compared"]),
    "cost too small": (lambda: taut.Objective("f", cost=1e-200), ["'f'", "1e-200", "1e-150"]),
    "cost negative": (lambda: taut.Constraint("c", at_most=0.0, cost=-1), ["'c'", "above 0", "-1"]),
    "cost NaN": (lambda: taut.Group("g", ["f"], cost=math.nan), ["'g'", "above 0", "nan"]),
    "cost a boolean": (lambda: taut.Objective("f", cost=True), ["'f'", "above 0", "True"]),
    "noise zero": (lambda: taut.Objective("f", noise=0.0), ["'f'", "'learned'", "0.0"]),
    "noise an array": (lambda: taut.Objective("f", noise=np.array([1.0, 2.0])), ["'f'", "'learned'", "array"]),
    "noise too large": (lambda: taut.Objective("f", noise=1e151), ["'f'", "1e+150", "1e+151"]),
    "noise a word": (lambda: taut.Constraint("c", at_most=0, noise="yes"), ["'c'", "'learned'", "'yes'"]),
    "no bound": (lambda: taut.Constraint("stress"), ["'stress'", "at_most", "at_least"]),
    "crossed bounds": (lambda: taut.Constraint("c", at_most=1.0, at_least=2.0), ["'c'", "1.0", "2.0"]),
    "equal bounds": (lambda: taut.Constraint("c", at_most=1.0, at_least=1.0), ["'c'", "1.0"]),
    "bound of constraint NaN": (lambda: taut.Constraint("c", at_most=math.nan), ["'c'", "at_most", "nan"]),
    "bound of constraint too large": (lambda: taut.Constraint("c", at_least=-1e151), ["'c'", "at_least", "leave it"]),
    "bound of constraint infinite": (lambda: taut.Constraint("c", at_most=math.inf), ["'c'", "inf", "leave it out"]),
    "group of a string": (lambda: taut.Group("g", "f", 1.0), ["'g'", "list", "'f'"]),
    "group of None": (lambda: taut.Group("g", None, 1.0), ["'g'", "list", "None", "['f', 'c']"]),
    "group of a number": (lambda: taut.Group("g", 5, 1.0), ["'g'", "list", "5"]),
    "group of lists": (lambda: taut.Group("g", [["f"]], 1.0), ["'g'", "list", "['f']"]),
    "group of nothing": (lambda: taut.Group("g", [], 1.0), ["'g'", "at least one", "nothing"]),
    "group with a double": (lambda: taut.Group("g", ["f", "f"], 1.0), ["'g'", "each once", "'f'"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_declarations_are_refused(case: str) -> None:
    declare, fragments = BAD[case]
    message = toy.refusal(declare, taut.ProblemError)
    assert all(fragment in message for fragment in fragments)


def test_a_known_function_costs_nothing_and_is_in_no_bundle() -> None:
    problem = taut.Problem(
        [taut.Real("w", 0, 1)],
        taut.Objective("m", goal="minimize", formula="2 * w"),
        [taut.Constraint("c", at_most=1.0, cost=3.0), taut.Constraint("g", at_least=0.2, formula="w ** 2")],
    )
    assert problem.simulated == ("c",) and problem.functions == ("m", "c", "g")
    assert [bundle.name for bundle in problem.bundles] == ["c"]
    assert problem.cost(problem.functions) == 3.0 and problem.complete(["m", "c"]) == ("c",)
    assert taut.Problem.from_dict(problem.to_dict()) == problem


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"formula": 3}, "a text or a Python function"),
        ({"formula": "w", "cost": 2.0}, "what is known costs nothing"),
        ({"formula": "w", "noise": 0.1}, "a formula has no noise"),
        ({"formula": "w", "scale": "log"}, "what is known has no model to scale"),
        ({"formula": "w", "gradient": len}, "the gradient of a text is exact"),
        ({"gradient": len}, "add formula"),
        ({"formula": "w +"}, "column"),
    ],
)
def test_formulas_that_are_none_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(taut.TautError, match=says):
        taut.Objective("m", **given)


def test_a_known_function_is_in_no_group() -> None:
    with pytest.raises(taut.TautError, match="never run"):
        taut.Problem(
            [taut.Real("w", 0, 1)],
            taut.Objective("m", formula="w"),
            [taut.Constraint("c", at_most=1.0)],
            [taut.Group("g", ("m", "c"), 1.0)],
        )


def test_equal_limits_are_not_said_to_be_beyond_every_value() -> None:
    with pytest.raises(taut.ProblemError, match="leave as much room between them as is good enough"):
        taut.Constraint("c", at_least=1.0, at_most=1.0)
    with pytest.raises(taut.ProblemError, match="no value could meet both"):
        taut.Constraint("c", at_least=2.0, at_most=1.0)
