"""Running the user's functions: one by one, in executors, and when they fail."""

import logging
import math
import sys

import numpy as np
import pytest
import toy

import taut
from taut.study.programs import PythonProgram, Task


def test_the_point_is_the_functions_own() -> None:
    def f(point: dict[str, float]) -> float:
        point["x1"] = 99.0
        return 1.0

    study = toy.study(initial=1)
    study.run(toy.FUNCTIONS | {"f": f}, budget=1)
    assert all(row.point["x1"] <= 5.0 for row in study.observations)


# --- failures


def test_an_exception_is_a_failure_of_that_function(caplog: pytest.LogCaptureFixture) -> None:
    def c(point: dict[str, float]) -> float:
        raise ValueError("mesh is bad")

    study = toy.study(initial=3)
    with caplog.at_level(logging.WARNING, "taut"):
        study.run(toy.FUNCTIONS | {"c": c}, budget=4)
    failed = [row for row in study.observations if row.value is None]
    assert {row.function for row in failed} == {"c"} and len(failed) == study.counts["c"] >= 3
    assert {row.note for row in failed} == {"ValueError: mesh is bad"}
    assert all(row.note == "" for row in study.observations if row.value is not None)
    assert "suggestion 1, c failed: ValueError: mesh is bad" in caplog.text


def test_leaving_python_is_a_failure_of_that_function() -> None:
    def c(point: dict[str, float]) -> float:
        sys.exit("no licence")

    study = toy.study(initial=2)
    study.run(toy.FUNCTIONS | {"c": c}, budget=4)
    assert study.spent == 4.0
    failed = [row for row in study.observations if row.value is None]
    assert {(row.function, row.note) for row in failed} == {("c", "SystemExit: no licence")}


def test_an_error_that_cannot_be_printed_is_a_failure() -> None:
    class Strange(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def c(point: dict[str, float]) -> float:
        raise Strange

    assert PythonProgram("c", ("c",), c, False).evaluate(Task(1, {"x": 1.0}, ("c",))).note == "Strange"


BAD_VALUES = [math.nan, math.inf, 1e151, 10**5000, None, "3.0", [1.0], np.array([1.0, 2.0]), True, np.True_, {}]


@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda value: type(value).__name__)
def test_what_is_not_a_finite_number_is_a_failure(value: object) -> None:
    outcome = PythonProgram("c", ("c",), lambda point: value, False).evaluate(Task(1, {"x": 1.0}, ("c",)))
    assert outcome.values == {"c": None} and outcome.failed
    assert "c returned" in outcome.note and "finite number" in outcome.note


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2.0), np.array(2.0), np.array([2.0]), np.int64(2)])
def test_what_is_a_finite_number_is_taken(value: object) -> None:
    outcome = PythonProgram("c", ("c",), lambda point: value, False).evaluate(Task(1, {"x": 1.0}, ("c",)))
    assert outcome.values == {"c": 2.0} and not outcome.failed and outcome.note == ""
    assert type(outcome.values["c"]) is float


# --- groups


def fg(point: dict[str, float]) -> dict[str, float]:
    return {"g": point["x2"], "f": point["x1"], "extra": 1.0}


def test_one_callable_for_a_group() -> None:
    study = toy.study(initial=2, groups=True)
    study.run({"fg": fg, "c": toy.FUNCTIONS["c"]}, budget=6)
    assert study.counts["f"] == study.counts["g"] >= 3
    assert all(row.value == row.point["x1"] for row in study.observations if row.function == "f")
    assert study.spent == 6.0


def test_one_callable_for_each_function_of_a_group() -> None:
    study = toy.study(initial=2, groups=True)
    study.run(toy.FUNCTIONS, budget=6)
    assert study.counts["f"] == study.counts["g"] >= 3 and study.spent == 6.0


def test_a_group_that_returns_less_fails_for_what_is_missing() -> None:
    study = toy.study(initial=1, groups=True)
    study.run({"fg": lambda point: {"f": 1.0, "g": math.nan}, "c": toy.FUNCTIONS["c"]}, budget=2.5)
    values = {row.function: row.value for row in study.observations if row.suggestion == 1}
    assert values["f"] == 1.0 and values["g"] is None
    outcome = PythonProgram("fg", ("f", "g"), lambda point: 3.0, True).evaluate(Task(1, {}, ("f", "g")))
    assert outcome.values == {"f": None, "g": None} and "instead of a dict with 'f', 'g'" in outcome.note


def test_a_group_and_its_function_at_once_is_ambiguous() -> None:
    study = toy.study(groups=True)
    with pytest.raises(taut.StudyError, match="'fg'.*got both; drop 'fg' or 'f'"):
        study.run({"fg": fg, "f": abs, "c": abs}, budget=9)
    with pytest.raises(taut.UnknownNameError, match="No callable for 'g'"):
        study.run({"f": abs, "c": abs}, budget=9)
    assert study.suggestions == ()
