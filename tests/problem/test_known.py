"""Known functions at points and over the cube."""

import math

import numpy as np
import pytest

import taut
from taut.problem.known import Known, known
from taut.problem.space import from_unit


def problem(formula: object, gradient: object = None) -> taut.Problem:
    parameters = [taut.Real("w", 1.0, 3.0), taut.Real("h", 0.01, 10.0, log=True)]
    return taut.Problem(parameters, taut.Objective("m", formula=formula, gradient=gradient))  # type: ignore[arg-type]


TEXT = "7.85 * w * h ** 2 - sqrt(w)"


def by_hand(point: dict[str, float]) -> float:
    return 7.85 * point["w"] * point["h"] ** 2 - math.sqrt(point["w"])


def slopes(point: dict[str, float]) -> dict[str, float]:
    w, h = point["w"], point["h"]
    return {"w": 7.85 * h**2 - 0.5 / math.sqrt(w), "h": 2 * 7.85 * w * h}


@pytest.mark.parametrize(("formula", "gradient"), [(TEXT, None), (by_hand, None), (by_hand, slopes)])
def test_value_and_gradient_over_the_cube(formula: object, gradient: object) -> None:
    declared = problem(formula, gradient)
    f, x, h = Known(declared, "m"), np.random.default_rng(0).random((12, 2)), 1e-6
    value, slope = f.with_gradient(x)
    exact = [by_hand(from_unit(declared, u)) for u in x]
    assert [f.value(from_unit(declared, u)) for u in x] == exact
    np.testing.assert_allclose(value, exact, rtol=1e-13)
    np.testing.assert_allclose(f.values(x), value, rtol=1e-15)
    for i in range(2):
        step = h * np.eye(2)[i]
        np.testing.assert_allclose(slope[:, i], (f.values(x + step) - f.values(x - step)) / (2 * h), rtol=1e-5)


def test_a_function_that_raises_cannot_be_computed_there() -> None:
    def half(point: dict[str, float]) -> float:
        if point["w"] < 2.0:
            raise ValueError("too thin")
        return 1e200 if point["w"] > 2.9 else point["w"]

    f = Known(problem(half), "m")
    value, slope = f.with_gradient(np.array([[0.1, 0.5], [0.6, 0.5], [0.99, 0.5]]))
    assert np.isnan(value[[0, 2]]).all() and value[1] == pytest.approx(2.2)
    assert slope[0].tolist() == [0.0, 0.0] and slope[1, 0] == pytest.approx(2.0)
    assert f.trouble({"w": 1.0, "h": 1.0}) == "it raised ValueError: too thin"


def test_a_python_function_is_asked_once_for_each_place() -> None:
    calls: list[dict[str, float]] = []

    def counted(point: dict[str, float]) -> float:
        calls.append(point)
        return by_hand(point)

    made, x = Known(problem(counted), "m"), np.random.default_rng(4).random((7, 2))
    value, gradient = made.with_gradient(x)
    count = len(calls)
    again, slope = made.with_gradient(x)
    assert len(calls) == count
    np.testing.assert_array_equal(value, again)
    np.testing.assert_array_equal(gradient, slope)
    made.values(x + 1e-9)
    assert len(calls) == count + 7


def test_a_function_that_was_not_handed_over_says_so() -> None:
    stored = taut.Problem.from_dict(problem(by_hand).to_dict())
    with pytest.raises(taut.TautError, match=r"Study.open\(storage, formulas="):
        Known(stored, "m").value({"w": 1.0, "h": 1.0})


def test_who_is_known() -> None:
    assert known(problem(TEXT), "m") is not None
    assert known(taut.Problem([taut.Real("w", 0, 1)], taut.Objective("m")), "m") is None
