"""What of a VOCS cannot be followed. Needs gest-api: make hosts."""

from typing import Any

import pytest

pytest.importorskip("gest_api")

from gest_api.vocs import (  # noqa: E402
    VOCS,
    ContinuousVariable,
    DiscreteVariable,
    GreaterThanConstraint,
    MinimizeObjective,
    Observable,
)

import taut  # noqa: E402
from taut.hosts.accepted import check  # noqa: E402
from taut.hosts.gest import TautGenerator  # noqa: E402
from taut.hosts.requests import REQUEST, SECONDS, GestError, Requests  # noqa: E402
from taut.hosts.vocs import problem_of, with_requests  # noqa: E402


def vocs(**given: Any) -> Any:
    plain = {"variables": {"x": [0.0, 5.0]}, "objectives": {"f": "MINIMIZE"}, "constraints": {"c": ["LESS_THAN", 0.0]}}
    return VOCS(**{**plain, **given})


@pytest.mark.parametrize(
    "given, words",
    [
        ({"constants": {"x": 1.0}}, "constants: expected names that nothing else has, got 'x'"),
        ({"constants": {"f": 1.0}}, "constants: expected names that nothing else has, got 'f'"),
        ({"observables": ["x"]}, "outputs: expected names that nothing else has, got 'x'"),
        ({"constants": {REQUEST: 1.0}}, f"constant '{REQUEST}'.*needs it for itself"),
        ({"constants": {"_id": 1.0}}, "constant '_id'.*needs it for itself"),
        ({"constraints": {SECONDS: ["LESS_THAN", 1.0]}}, f"output '{SECONDS}'.*needs it for itself"),
        ({"variables": {SECONDS: [0.0, 1.0]}}, f"variable '{SECONDS}'.*needs it for itself"),
        ({"observables": [REQUEST]}, f"observable '{REQUEST}'.*needs it for itself"),
    ],
)
def test_names_that_would_overwrite_each_other_in_a_row(given: dict[str, Any], words: str) -> None:
    with pytest.raises(GestError, match=words):
        TautGenerator(vocs(**given))


def test_an_observable_may_be_a_constraint_as_well() -> None:
    check(vocs(observables=["c", SECONDS]))


def test_a_range_for_the_request_is_refused() -> None:
    given = vocs(variables={"x": [0.0, 1.0], REQUEST: [0.0, 1.0]})
    with pytest.raises(GestError, match="expected a DiscreteVariable"):
        with_requests(given, Requests.of(problem_of(vocs(), {}, (), ())))


class TestTypes:
    """Of the columns in which a host keeps points."""

    def test_a_range_of_whole_numbers(self) -> None:
        """As a number with digits it would be cut off on the way to the simulator."""
        given = vocs(variables={"x": ContinuousVariable(domain=[0.5, 5.0], dtype=int)})
        assert problem_of(given, {}, (), ()).parameters == (taut.Integer("x", 1, 5),)

    @pytest.mark.parametrize(
        "variable, words",
        [
            (ContinuousVariable(domain=[0.0, 1.0], dtype=(float, (3,))), "expected one number, got an array"),
            (ContinuousVariable(domain=[0.0, 1.0], dtype="f4"), "expected float or int, got 'f4'"),
            (ContinuousVariable(domain=[0.0, 1.0], dtype="U8"), "expected float or int"),
            (ContinuousVariable(domain=[0.0, 1.0], dtype="number"), "expected one that NumPy knows, got 'number'"),
            (DiscreteVariable(values={0.5, 1.5}, dtype=int), "expected one that holds"),
            (DiscreteVariable(values={"steel", "lead"}, dtype="U4"), "expected one that holds 'steel'"),
            (DiscreteVariable(values={"steel", "lead"}, dtype=float), "expected one that holds"),
        ],
    )
    def test_those_that_cannot_hold_what_is_suggested(self, variable: Any, words: str) -> None:
        with pytest.raises(GestError, match=f"'x': dtype: {words}"):
            check(vocs(variables={"x": variable}))

    def test_those_that_can(self) -> None:
        for each in (
            ContinuousVariable(domain=[0.0, 1.0], dtype=float),
            DiscreteVariable(values={1, 2}, dtype=float),
            DiscreteVariable(values={"steel", "lead"}, dtype="U5"),
            DiscreteVariable(values={"steel", 1}, dtype=object),
        ):
            check(vocs(variables={"x": each}))

    @pytest.mark.parametrize("kind", [int, (float, (3,)), "U3", bool])
    def test_outputs_hold_one_number_or_nan(self, kind: Any) -> None:
        with pytest.raises(GestError, match="output 'f': dtype: expected float"):
            check(vocs(objectives={"f": MinimizeObjective(dtype=kind)}))
        with pytest.raises(GestError, match="output 'c': dtype: expected float"):
            check(vocs(constraints={"c": GreaterThanConstraint(value=0.0, dtype=kind)}))

    def test_other_outputs_may_be_anything(self) -> None:
        check(vocs(objectives={"f": MinimizeObjective(dtype="f4")}, observables={"o": Observable(dtype="U9")}))


@pytest.mark.parametrize("given", [None, {"variables": {"x": [0.0, 1.0]}}])
def test_what_is_no_vocs(given: Any) -> None:
    with pytest.raises(GestError, match="vocs: expected a VOCS"):
        TautGenerator(given)


def test_no_objective() -> None:
    with pytest.raises(GestError, match="objectives: expected one, got nothing; name what is to be least"):
        check(vocs(objectives={}))
