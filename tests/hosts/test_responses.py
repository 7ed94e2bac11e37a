"""Arrays of a host as parameters and constraints."""

import math

import numpy as np
import pytest

import taut
from taut.hosts.responses import Design, Limits, Response, Variable

INF = math.inf


def array(*values: float) -> np.ndarray:
    return np.array(values)


class TestDesign:
    design = Design.of(
        [
            Variable("wing:span", array(1.0), array(2.0)),
            Variable("t", array(0.1, 0.2, 0.3), array(1.0, 0.2, 3.0)),
            Variable("ribs", array(1.0), array(5.0), whole=True),
        ]
    )

    def test_every_entry_is_a_parameter_and_what_has_no_room_is_none(self) -> None:
        assert self.design.parameters == [
            taut.Real("wing_span", 1.0, 2.0),
            taut.Real("t.0", 0.1, 1.0),
            taut.Real("t.2", 0.3, 3.0),
            taut.Integer("ribs", 1, 5),
        ]

    def test_there_and_back(self) -> None:
        point = {"wing_span": 1.5, "t.0": 0.4, "t.2": 2.0, "ribs": 3}
        values = self.design.values(point)
        assert {name: value.tolist() for name, value in values.items()} == {
            "wing:span": [1.5],
            "t": [0.4, 0.2, 2.0],
            "ribs": [3],
        }
        back = self.design.point(values)
        assert back == point and type(back["ribs"]) is int

    def test_a_start_outside_is_moved_inside(self) -> None:
        start = {"wing:span": array(9.0), "t": array(0.0, 5.0, 1.0), "ribs": array(2.6)}
        assert self.design.point(start) == {"wing_span": 2.0, "t.0": 0.1, "t.2": 1.0, "ribs": 3}

    @pytest.mark.parametrize("low, high", [(-1e30, 1.0), (0.0, INF), (2.0, 1.0)])
    def test_bounds_must_be_finite_and_in_order(self, low: float, high: float) -> None:
        with pytest.raises(taut.ProblemError, match="'x'.*finite lower and upper bound"):
            Design.of([Variable("x", array(low), array(high))])


class TestLimits:
    three = Response("g", array(-INF, 0.0, -INF), array(1.0, 2.0, INF))

    def test_an_entry_without_a_limit_is_left_out(self) -> None:
        limits = Limits.of(self.three, most=10)
        assert limits.constraints(2.0) == [
            taut.Constraint("g.0", at_most=1.0, cost=2.0),
            taut.Constraint("g.1", at_least=0.0, at_most=2.0, cost=2.0),
        ]
        assert limits.values(array(0.5, 1.5, 99.0)) == {"g.0": 0.5, "g.1": 1.5}

    def test_many_entries_are_one_constraint_the_worst(self) -> None:
        limits = Limits.of(self.three, most=1)
        assert limits.constraints("measured") == [taut.Constraint("g.worst", at_most=0.0, cost="measured")]
        assert limits.values(array(0.5, 2.25, 99.0)) == {"g.worst": 0.25}
        assert limits.values(array(-9.0, -0.5, 99.0)) == {"g.worst": 0.5}
        assert limits.values(array(0.5, 1.0, 99.0)) == {"g.worst": -0.5}
        assert math.isnan(limits.values(array(0.5, np.nan, 0.0))["g.worst"])

    def test_worst_holds_exactly_where_all_hold(self) -> None:
        rng = np.random.default_rng(0)
        low, high = -rng.random(6), rng.random(6)
        many = Limits.of(Response("g", low, high), most=1)
        for _ in range(200):
            v = rng.normal(size=6) * 0.8
            assert (many.values(v)["g.worst"] <= 0.0) == bool(((low <= v) & (v <= high)).all())

    def test_equalities_and_no_limits_are_refused(self) -> None:
        with pytest.raises(taut.ProblemError, match="'g'.*leave room.*equality"):
            Limits.of(Response("g", array(0.0, 1.0), array(1.0, 1.0)), most=9)
        with pytest.raises(taut.ProblemError, match="'g'.*a finite limit"):
            Limits.of(Response("g", array(-1e30), array(1e30)), most=9)

    def test_names_that_are_taken(self) -> None:
        assert Limits.of(Response("f", array(-INF), array(1.0)), 9, ["f"]).names == ("f_2",)
