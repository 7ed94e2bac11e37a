"""A gradient that is not that of its function is refused before anything is paid for."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import taut
from taut.problem.design import initial_design

Point = Mapping[str, Any]


def square(point: Point) -> float:
    return float(point["x"] ** 2 + 3.0 * point["y"] + math.log(point["z"]))


def right(point: Point) -> dict[str, float]:
    return {"x": 2.0 * point["x"], "y": 3.0, "z": 1.0 / point["z"]}


def declared(formula: Callable[[Point], Any], gradient: Callable[[Point], Any]) -> taut.Problem:
    return taut.Problem(
        [taut.Real("x", -1, 2), taut.Real("y", 0, 5), taut.Real("z", 0.01, 10.0), taut.Integer("n", 1, 3)],
        taut.Objective("f", goal="minimize", formula=formula, gradient=gradient),
        [taut.Constraint("c", at_most=0.0)],
    )


@pytest.mark.parametrize(
    "formula",
    [square, lambda q: abs(q["x"]) + square(q) - q["x"] ** 2, lambda q: math.nan if q["x"] < 0.0 else square(q)],
    ids=["plain", "with a kink", "not everywhere"],
)
def test_the_right_one_is_taken(formula: Callable[[Point], Any]) -> None:
    kinked = {"x": lambda q: math.copysign(1.0, q["x"])} if formula(dict(x=-0.5, y=0.0, z=1.0)) == 0.5 else {}
    initial_design(declared(formula, lambda q: right(q) | {k: g(q) for k, g in kinked.items()}), "coupled", 4, 0)


def no_licence(point: Point) -> dict[str, float]:
    raise RuntimeError("no licence")


@pytest.mark.parametrize(
    ("gradient", "says"),
    [
        (lambda q: right(q) | {"y": -3.0}, r"expected about 3 for 'y' at .*, by differences, got -3; correct it"),
        (lambda q: right(q) | {"z": 1.0}, r"for 'z' at .*, got 1; correct it"),
        (lambda q: {"x": 2.0 * q["x"], "z": 1.0 / q["z"]}, "got no entry 'y'; correct it"),
        (lambda q: right(q) | {"x": math.nan}, "got nan; correct it"),
        (lambda q: [1.0, 2.0, 3.0], "got TypeError"),
        (lambda q: np.array([1.0, 2.0, 3.0]), "got IndexError"),
        (no_licence, "got RuntimeError: no licence"),
        (lambda q: {name: str(slope) for name, slope in right(q).items()}, "got '"),
    ],
)
def test_any_other_is_refused_with_the_place(gradient: Callable[[Point], Any], says: str) -> None:
    with pytest.raises(taut.ProblemError, match=says) as caught:
        taut.Study(declared(square, gradient))
    assert "Function 'f': gradient" in str(caught.value)
