"""Requests as numbers, and what may come back."""

import math
from typing import Any

import pytest

import taut
from taut.hosts.requests import REQUEST, SECONDS, GestError, Requests, answered

PROBLEM = taut.Problem(
    [taut.Real("x", 0.0, 1.0)],
    taut.Objective("f"),
    [taut.Constraint(name, at_most=0.0) for name in "abc"],
    groups=[taut.Group("cfd", ("f", "b"), 3.0)],
)
REQUESTS = Requests.of(PROBLEM)
NAN = math.nan


def test_codes_are_bundles() -> None:
    assert REQUESTS.bundles == (("f", "b"), ("a",), ("c",)) and list(REQUESTS.codes) == [0, 1, 2]
    ids = {REQUESTS.id(number, code) for number in range(1, 50) for code in REQUESTS.codes}
    assert len(ids) == 49 * 3 and all(REQUESTS.id(*REQUESTS.row(id)) == id for id in ids)


@pytest.mark.parametrize("value", [3, -1, 0.5, NAN, None, "1", math.inf])
def test_other_codes_are_refused(value: object) -> None:
    with pytest.raises(GestError, match=f"{REQUEST}: expected a whole number from 0 to 2"):
        REQUESTS.code_of(value)


def test_hosts_cast_codes_to_floats() -> None:
    assert REQUESTS.code_of(2.0) == 2


def result(**given: Any) -> dict[str, Any]:
    return {"f": 1.0, "b": NAN, "a": NAN, "c": NAN, SECONDS: 2.0} | given


class TestAnswers:
    def test_nan_is_a_failure_of_what_was_asked_for_and_nothing_else(self) -> None:
        answer = answered(result(), ("f", "b"), PROBLEM.functions)
        assert answer.values == {"f": 1.0, "b": None} and answer.seconds == 2.0

    def test_what_is_missing_raises(self) -> None:
        gone = result()
        del gone["b"]
        with pytest.raises(GestError, match="'b': expected a number or nan, got nothing"):
            answered(gone, ("f", "b"), PROBLEM.functions)

    @pytest.mark.parametrize("seconds", [0.0, NAN, -1.0, None])
    def test_outputs_that_a_host_filled_with_zeros_raise(self, seconds: Any) -> None:
        zeros = {name: 0.0 for name in PROBLEM.functions} | {SECONDS: seconds}
        with pytest.raises(GestError, match="fill in as 0"):
            answered(zeros, ("f", "b"), PROBLEM.functions)

    def test_a_value_that_nobody_asked_for_raises(self) -> None:
        with pytest.raises(GestError, match="'c': expected nan, because it was not asked for, got 0.0"):
            answered(result(c=0.0), ("f", "b"), PROBLEM.functions)

    def test_infinities_have_failed(self) -> None:
        assert answered(result(f=math.inf), ("f",), PROBLEM.functions).values == {"f": None}

    @pytest.mark.parametrize("said", [{"xopt_error": True, "xopt_runtime": 3.0}, {"_status": "TrialStatus.FAILED"}])
    def test_what_a_host_calls_failed_has_failed(self, said: dict[str, Any]) -> None:
        assert answered(said, ("f", "b"), PROBLEM.functions).values == {"f": None, "b": None}
