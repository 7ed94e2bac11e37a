"""From responses, and what is run for them, to a problem."""

import math
from typing import Any

import numpy as np
import pytest

import taut
from taut.hosts.dataflow import Bundle, owners, setups
from taut.hosts.declare import CHEAP, Declared, Goals, as_before, check_fixed, families, holds, limits, part_costs
from taut.hosts.responses import Design, Limits, Response, Variable

INF = math.inf
PARTS = {name: frozenset({name}) for name in ("geo", "cfd", "fem", "mass")}
DESIGN = Design.of([Variable("x", np.zeros(2), np.ones(2))])
GOALS = Goals.of(
    "mass",
    "minimize",
    [
        Response("lift", np.array([5.0]), np.array([INF])),
        Response("drag", np.array([-INF]), np.array([9.0])),
        Response("stress", np.full(3, -INF), np.full(3, 100.0)),
    ],
    most=10,
)
BUNDLES = (
    Bundle(("mass",), frozenset({"geo", "mass"}), "mass"),
    Bundle(("lift", "drag"), frozenset({"geo", "cfd"}), "cfd"),
    Bundle(("stress",), frozenset({"geo", "fem"}), "fem"),
)
OWNED = owners(BUNDLES, PARTS)


def declared(costs: dict[str, float] | None, weights: dict[str, float]) -> Declared:
    return Declared(DESIGN, GOALS, BUNDLES, PARTS, setups(OWNED, weights), costs)


def test_given_costs() -> None:
    costs = {"geo": 2.0, "cfd": 30.0, "fem": 10.0, "mass": 0.0}
    problem = declared(costs, costs).problem()
    assert problem.functions == ("mass", "lift", "drag", "stress.0", "stress.1", "stress.2")
    cheap = CHEAP * 42.0
    assert problem.groups == (
        taut.Group("cfd", ("lift", "drag"), 30.0),
        taut.Group("fem", ("stress.0", "stress.1", "stress.2"), 10.0),
    )
    assert problem.objective == taut.Objective("mass", "minimize", cost=cheap)
    assert problem.setups == (taut.Setup("geo", problem.functions, 2.0),)
    assert [parameter.name for parameter in problem.parameters] == ["x.0", "x.1"]


def test_measured_costs() -> None:
    problem = declared(None, {"geo": 2.0, "cfd": 1.0, "fem": 1.0}).problem()
    assert problem.measured and [each.cost for each in (*problem.groups, *problem.setups)] == ["measured"] * 3


def test_a_stored_problem_is_declared_again_as_it_was() -> None:
    """Whatever the times are now."""
    first = declared(None, {"geo": 2.0, "cfd": 1.0, "fem": 1.0})
    stored = first.problem().to_dict()
    again = Declared(DESIGN, GOALS, BUNDLES, PARTS, as_before(families(stored, GOALS, BUNDLES), OWNED, None), None)
    assert again.problem().to_dict() == stored and again.shared == first.shared
    assert declared(None, {"geo": 0.0, "cfd": 1.0}).problem().setups == ()


def test_values_are_those_of_the_entries() -> None:
    arrays = {"mass": np.array([7.0]), "stress": np.array([1.0, 2.0, 3.0])}
    assert GOALS.values(arrays) == {"mass": 7.0, "stress.0": 1.0, "stress.1": 2.0, "stress.2": 3.0}


def test_an_objective_may_be_limited_too() -> None:
    goals = Goals.of("f", "maximize", [Response("f", np.array([-INF]), np.array([3.0]))], most=10)
    assert goals.functions(["f"]) == ["f", "f_2"] and goals.values({"f": np.array([2.0])}) == {"f": 2.0, "f_2": 2.0}


class TestCosts:
    def test_of_a_part_and_of_what_is_inside_it(self) -> None:
        assert part_costs({"aero": 2.0, "wing.spar.fem": 3.0}, ["aero", "wing.spar", "mass"]) == {
            "aero": 2.0,
            "wing.spar": 3.0,
            "mass": 0.0,
        }
        assert part_costs("measured", ["aero"]) is None
        assert part_costs({"a.b": 1.0}, [""]) == {"": 1.0}

    def test_of_a_group_whose_parts_are_run_one_by_one(self) -> None:
        with pytest.raises(taut.ProblemError, match="'wing': expected a component.*give costs of 'wing.a', 'wing.b'"):
            part_costs({"wing": 1.0}, ["wing.a", "wing.b", "mass"])

    @pytest.mark.parametrize(
        "costs, words",
        [
            (3.0, "'measured' or a dict"),
            ({"areo": 1.0}, "'areo' is nothing that is run here.*closest is 'aero'"),
            ({"aero": -1.0}, "'aero': expected a number of 0 or more"),
            ({"aero": math.nan}, "'aero': expected a number of 0 or more"),
            ({"aero": 0.0}, "at least one above 0"),
            ({"aerodynamics": 1.0}, "nothing that is run"),
        ],
    )
    def test_mistakes(self, costs: Any, words: str) -> None:
        with pytest.raises(taut.ProblemError, match=words):
            part_costs(costs, ["aero", "fem"])


def test_limits_that_nothing_changes_are_checked_once() -> None:
    limits = Limits.of(Response("g", np.array([0.0]), np.array([1.0])), most=10)
    check_fixed(limits, np.array([1.0]))
    with pytest.raises(taut.ProblemError, match="'g' depends on no design variable and is 1.5"):
        check_fixed(limits, np.array([1.5]))


def test_holds() -> None:
    both = taut.Constraint("g", at_least=0.0, at_most=1.0)
    assert limits(both) == "at least 0 and at most 1" and limits(taut.Constraint("g", at_most=2.5)) == "at most 2.5"
    assert [holds(both, value) for value in (0.0, 1.0, 1.1, -0.1, math.nan, None)] == [True, True, *[False] * 4]
