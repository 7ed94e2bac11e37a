"""What a host runs: only what is asked for, and nan for the rest."""

import math
import pickle
from typing import Any

import numpy as np
import pytest

import taut
from taut.hosts.requests import REQUEST, SECONDS, GestError
from taut.hosts.simulator import Simulator

PROBLEM = taut.Problem(
    [taut.Real("x", 0.0, 1.0)],
    taut.Objective("f"),
    [taut.Constraint("c", at_most=0.0), taut.Constraint("d", at_most=0.0)],
    groups=[taut.Group("both", ("c", "d"), 3.0)],
)
CALLS: list[str] = []


def f(point: dict[str, Any]) -> float:
    CALLS.append("f")
    if point["x"] > 0.9:
        raise ArithmeticError("beyond")
    return point["x"] * point["k"]


def both(point: dict[str, Any]) -> dict[str, float]:
    CALLS.append("both")
    return {"c": 1.0} if point["x"] > 0.9 else {"c": 1.0, "d": math.inf}


SIMULATOR = Simulator(PROBLEM, {"f": f, "both": both}, {"k": 4.0})


def run(code: float, x: float = 0.5, **more: Any) -> dict[str, float]:
    CALLS.clear()
    return SIMULATOR({"x": x, REQUEST: code, **more})


def test_only_what_is_asked_for_is_called() -> None:
    found = run(0)
    assert CALLS == ["f"] and found["f"] == 2.0 and found[SECONDS] > 0.0
    assert math.isnan(found["c"]) and math.isnan(found["d"])
    found = run(1.0, more=1)
    assert CALLS == ["both"] and found["c"] == 1.0 and math.isnan(found["d"]) and math.isnan(found["f"])


def test_what_raises_has_failed() -> None:
    found = run(0, x=0.95)
    assert math.isnan(found["f"]) and found[SECONDS] > 0.0


def test_what_is_left_out_raises() -> None:
    with pytest.raises(taut.StudyError, match="'both': expected a dict with 'c', 'd', got {'c': 1.0}"):
        run(1, x=0.95)


def test_without_a_request_nothing_is_run() -> None:
    with pytest.raises(taut.StudyError, match="generator.vocs"):
        SIMULATOR({"x": 0.5})
    with pytest.raises(GestError, match=REQUEST):
        run(7)


def test_functions_get_the_values_that_were_declared() -> None:
    """Xopt hands over floats for whole numbers, arrays of texts hold no numbers, and NumPy's kinds are not Python's."""
    seen: list[dict[str, Any]] = []
    parameters = [taut.Integer("n", 1, 4), taut.Ordinal("wire", (0.1, 0.3)), taut.Choice("mixed", (1, "thin"))]
    problem = taut.Problem([*parameters, taut.Choice("metal", ("steel", "lead"))], taut.Objective("f"))
    simulator = Simulator(problem, {"f": lambda point: seen.append(point) or float(len(range(point["n"])))})
    given = {"n": np.float64(3.0), "wire": 0.1 + 0.2, "mixed": np.str_("1"), "metal": np.str_("lead"), REQUEST: 0.0}
    assert simulator(given)["f"] == 3.0
    assert seen == [{"n": 3, "wire": 0.3, "mixed": 1, "metal": "lead"}]
    assert [type(value) for value in seen[0].values()] == [int, float, int, str]


def test_points_that_the_problem_does_not_have_are_refused() -> None:
    with pytest.raises(taut.TautError, match="'x': expected a number in"):
        run(0, x=1.5)
    with pytest.raises(taut.StudyError, match="'x': expected a value, got no such input"):
        SIMULATOR({REQUEST: 0})


def test_outputs_are_filled_in_where_a_host_wants_it() -> None:
    outputs = dict.fromkeys(("f", "c", "d", SECONDS), 0.0)
    SIMULATOR({"x": 0.5, REQUEST: 0}, outputs)
    assert outputs["f"] == 2.0 and math.isnan(outputs["c"])


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(SIMULATOR))({"x": 0.5, REQUEST: 0})["f"] == 2.0


def test_a_function_for_everything() -> None:
    with pytest.raises(taut.UnknownNameError, match="No callable for 'c', 'd'"):
        Simulator(PROBLEM, {"f": f})
