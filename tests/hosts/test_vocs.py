"""From a VOCS to a problem. Needs gest-api: make hosts."""

import math
from typing import Any

import pytest

pytest.importorskip("gest_api")

from gest_api.vocs import VOCS  # noqa: E402

import taut  # noqa: E402
from taut.hosts.requests import REQUEST, SECONDS, GestError, Requests  # noqa: E402
from taut.hosts.vocs import fixed, problem_of, with_requests  # noqa: E402

GIVEN: dict[str, Any] = {
    "variables": {"x": [0.0, 5.0], "n": {3, 1, 2}, "wire": {0.5, 0.2, 0.9}, "metal": {"steel", "lead"}, "one": {7}},
    "objectives": {"f": "MAXIMIZE"},
    "constraints": {"a": ["LESS_THAN", 0.0], "b": ["GREATER_THAN", 1.0], "c": ["BOUNDS", -1.0, 1.0]},
    "constants": {"k": 0.5},
}


def made(**given: Any) -> Any:
    return VOCS(**GIVEN | given)


def problem(**given: Any) -> taut.Problem:
    return problem_of(made(**given), {"a": 4.0}, (), ())


def test_variables() -> None:
    assert problem().parameters == (
        taut.Real("x", 0.0, 5.0),
        taut.Integer("n", 1, 3),
        taut.Ordinal("wire", (0.2, 0.5, 0.9)),
        taut.Choice("metal", ("lead", "steel")),
    )
    assert fixed(made()) == {"k": 0.5, "one": 7}


def test_strict_limits_are_strict() -> None:
    """In floating point, less than 0 is at most the next number below."""
    a, b, c = problem().constraints
    assert a.at_most is not None and a.at_most < 0.0 and math.nextafter(a.at_most, 1.0) == 0.0
    assert b.at_least is not None and b.at_least > 1.0 and math.nextafter(b.at_least, 0.0) == 1.0
    assert (c.at_least, c.at_most) == (-1.0, 1.0)
    assert [each.cost for each in problem().constraints] == [4.0, 1.0, 1.0]


def test_every_check_of_the_host_agrees_with_ours() -> None:
    for name, declared in made().constraints.items():
        ours = problem().function(name)
        for value in (-1.5, -1.0, -5e-324, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), 1.5):
            low = -math.inf if ours.at_least is None else ours.at_least
            high = math.inf if ours.at_most is None else ours.at_most
            assert (low <= value <= high) == declared.check(value), (name, value)


def test_a_value_on_a_strict_limit_is_no_answer() -> None:
    vocs = VOCS(variables={"x": [0.0, 1.0]}, objectives={"f": "MINIMIZE"}, constraints={"a": ["LESS_THAN", 0.0]})
    study = taut.Study(problem_of(vocs, {}, (), ()))
    study.add({"x": 0.5}, {"f": 1.0, "a": 0.0})
    assert study.incumbent() is None
    study.add({"x": 0.6}, {"f": 2.0, "a": -1e-300})
    best = study.incumbent()
    assert best is not None and best.point == {"x": 0.6}


def test_measured_costs() -> None:
    assert problem_of(made(), "measured", (), ()).measured


def test_the_host_gets_the_request_and_the_time() -> None:
    given = made()
    requests = Requests.of(problem())
    more = with_requests(given, requests)
    assert more.variables[REQUEST].values == {0, 1, 2, 3} and SECONDS in more.observables
    assert REQUEST not in given.variables and problem_of(more, {"a": 4.0}, (), ()) == problem()
    assert with_requests(more, requests).variable_names == more.variable_names


@pytest.mark.parametrize(
    "given, words",
    [
        ({"objectives": {"f": "MINIMIZE", "g": "MINIMIZE"}}, "objectives: expected one"),
        ({"objectives": {"f": "EXPLORE"}}, "MINIMIZE or MAXIMIZE"),
        ({"variables": {"x": "contextual"}}, "'x': expected a range"),
        ({"constraints": {"f": ["LESS_THAN", 1.0]}}, "names that are no objective"),
        ({"constraints": {"a": ["LESS_THAN", math.inf]}}, "'a': limit: expected a finite number.*observable"),
        ({"constraints": {"a": ["GREATER_THAN", math.nan]}}, "'a': limit: expected a finite number"),
        ({"constraints": {"a": ["BOUNDS", -math.inf, math.inf]}}, "'a': limit: expected a finite number"),
    ],
)
def test_what_taut_cannot_do_is_refused_as_a_value_error(given: dict[str, Any], words: str) -> None:
    with pytest.raises(GestError, match=words) as caught:
        problem_of(made(**given), {}, (), ())
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, taut.TautError)
    with pytest.raises(taut.UnknownNameError, match="'z' is unknown"):
        problem_of(made(), {"z": 1.0}, (), ())


def test_an_infinite_end_of_bounds_is_no_limit() -> None:
    (only,) = problem(constraints={"a": ["BOUNDS", -math.inf, 2.0]}).constraints
    assert (only.at_least, only.at_most) == (None, 2.0)
    (only,) = problem(constraints={"a": ["BOUNDS", 2.0, math.inf]}).constraints
    assert (only.at_least, only.at_most) == (2.0, None)


def test_columns_get_a_type_that_holds_their_values() -> None:
    """libEnsemble takes any constant for a float, and refuses sets of several types."""
    given = made(
        variables={"x": [0.0, 1.0], "n": {1, 2}, "size": {1, 2.5}, "any": {1, "b"}},
        constants={"k": 1.0, "mesh": "fine", "table": (1, 2)},
        constraints={},
    )
    more = with_requests(given, Requests.of(problem_of(given, {}, (), ())))
    kinds = {name: each.dtype for name, each in {**more.variables, **more.constants}.items()}
    plain = dict.fromkeys(("x", "n", "k", REQUEST))
    assert kinds == plain | {"size": float, "any": object, "mesh": "U4", "table": object}
    assert given.constants["mesh"].dtype is None
