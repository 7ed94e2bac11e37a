"""Standardised errors of predictions, by hand and in a study."""

import math
from typing import Any

import pytest
import toy

import taut
from taut.data import honesty
from taut.data.results import Error
from taut.policy import METHODS

PROBLEM = toy.problem()  # f maximised, c at most 0, g at least 1
POINT = {"x1": 1.0, "x2": 1.0}


def asked(kept: Any, number: int = 1) -> taut.Suggestion:
    memory = {"predicted": {"f": kept, "c": kept, "g": kept}}
    return taut.Suggestion(number, POINT, ("f", "c", "g"), 4.5, memory=memory)


def error(kept: Any, name: str, value: float | None) -> Error | None:
    return honesty.error_of(PROBLEM, asked(kept), taut.Observation(name, POINT, value, 1))


def z(kept: Any, name: str, value: float) -> float:
    found = error(kept, name, value)
    assert found is not None
    return found.z


def test_in_standard_deviations_of_the_inner_form() -> None:
    normal = [1.0, 0.5, None, 0.0, 1.0]
    found = error(normal, "f", 2.0)
    assert found is not None and found.point == pytest.approx((0.2, 0.5))
    assert (found.number, found.z, found.nu) == (1, 2.0, math.inf)
    assert z(normal, "c", 0.5) == -1.0
    assert z(normal, "g", 0.5) == -1.0  # 1 - value: positive is a violation


def test_a_student_t_has_a_larger_standard_deviation() -> None:
    assert z([1.0, 0.5, 4.0, 0.0, 1.0], "f", 2.0) == pytest.approx(2.0 / math.sqrt(2.0))
    assert z([1.0, 0.5, 2.0, 0.0, 1.0], "f", 2.0) == 2.0  # has none: its scale
    found = error([1.0, 0.5, 4.0, 0.0, 1.0], "f", 2.0)
    assert found is not None and found.nu == 4.0


def test_on_the_scale_of_the_model() -> None:
    assert z([1.0, 0.5, None, 2.0, 1.0], "c", 2.0 * math.expm1(2.0)) == pytest.approx(2.0)
    assert z([-1.0, 0.5, None, 2.0, 1.0], "c", -2.0 * math.expm1(2.0)) == pytest.approx(-2.0)
    assert z([1.0, 0.5, None, 0.0, 2.0], "f", 1.0) == 2.0
    assert z([0.0, 1e-300, None, 0.0, 2.0**500], "f", 1e150) == 1e60  # finite, whatever comes


def test_without_prediction_or_value_there_is_none() -> None:
    assert error([1.0, 0.5, None, 0.0, 1.0], "f", None) is None
    for other in (None, "text", [1.0], {"mean": 1.0}, [1.0, 0.0, None, 0.0, 1.0]):
        assert error(other, "f", 1.0) is None
    own = taut.Suggestion(1, POINT, ("f",), 1.0, memory={"predicted": "something of a user's own method"})
    assert honesty.error_of(PROBLEM, own, taut.Observation("f", POINT, 1.0, 1)) is None


def test_only_what_counts_in_the_order_it_came() -> None:
    row, later = asked([0.0, 1.0, None, 0.0, 1.0]), asked([0.0, 1.0, None, 0.0, 1.0], 2)
    rows = [
        taut.Observation("f", POINT, 5.0, 2),
        taut.Observation("f", POINT, 1.0, 1),
        taut.Observation("f", POINT, 9.0),  # measured elsewhere
        taut.Observation("f", POINT, 7.0, 2, "", 1),  # corrected
        taut.Observation("c", POINT, None, 1),
        taut.Observation("c", POINT, None, 1, "", 5, withdrawn=True),
    ]
    found = honesty.errors(PROBLEM, [row, later], rows)
    assert [(each.number, each.z) for each in found["f"]] == [(1, 1.0), (2, 7.0)]
    assert found["c"] == found["g"] == ()


@pytest.mark.parametrize("method", ["cei", "random"])
def test_the_method_is_told_how_its_predictions_fared(method: str) -> None:
    assert method in METHODS
    study = taut.Study(PROBLEM, method=method, initial=4, seed=1)
    for _ in range(7):
        suggestion = study.ask()
        study.tell(suggestion, {name: toy.FUNCTIONS[name](suggestion.point) for name in suggestion.functions})
    then = study._moment()
    assert {name: len(found) for name, found in then.errors.items()} == dict.fromkeys("fcg", 3 * (method == "cei"))
    assert study._decision.request(then, math.inf, False).errors == then.errors
    assert study._question().request.errors == study._question({"c": {"at_most": 9.0}}).request.errors == then.errors
    again = honesty.errors(PROBLEM, study.suggestions, study.observations)
    assert again == then.errors
    assert study.replay(7) == study.suggestions[6]
