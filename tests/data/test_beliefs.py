"""Values inside and outside: signs, bounds, and what is believed in the user's units."""

import numpy as np
import pytest
import toy
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.data.beliefs import mean_from_inner, prediction, recommendation, value_to_inner
from taut.data.dataset import Belief, views

VALUES = st.floats(-1e3, 1e3)
ALL_KINDS = taut.Problem(
    parameters=[taut.Real("x", 0.0, 1.0)],
    objective=taut.Objective("low", goal="minimize", cost=2.0, noise=0.1),
    constraints=[
        taut.Constraint("most", at_most=3.0, noise="learned"),
        taut.Constraint("least", at_least=-2.0),
        taut.Constraint("both", at_least=0.1, at_most=0.7),
    ],
)


@given(st.sampled_from(ALL_KINDS.functions), VALUES)
def test_inner_values_and_back(name: str, value: float) -> None:
    inner = value_to_inner(ALL_KINDS, name, value)
    assert mean_from_inner(ALL_KINDS, name, inner) == pytest.approx(value, abs=1e-12)


@given(st.sampled_from(["most", "least", "both"]), st.one_of(VALUES, st.sampled_from([3.0, -2.0, 0.1, 0.7])))
def test_feasible_outside_is_feasible_inside(name: str, value: float) -> None:
    declared = next(each for each in ALL_KINDS.constraints if each.name == name)
    view = views(ALL_KINDS)[ALL_KINDS.functions.index(name)]
    outside = (declared.at_most is None or value <= declared.at_most) and (
        declared.at_least is None or value >= declared.at_least
    )
    inner = value_to_inner(ALL_KINDS, name, value)
    if outside:
        assert view.lower <= inner <= view.upper
    elif min(abs(value - bound) for bound in (declared.at_most, declared.at_least) if bound is not None) > 1e-12:
        assert not view.lower <= inner <= view.upper


def test_a_smaller_value_of_a_minimised_objective_is_better_inside() -> None:
    assert value_to_inner(ALL_KINDS, "low", 1.0) > value_to_inner(ALL_KINDS, "low", 2.0)
    assert value_to_inner(toy.problem(), "f", 1.0) < value_to_inner(toy.problem(), "f", 2.0)


def test_recommendation_is_in_user_units() -> None:
    belief = Belief(
        point=np.array([0.25]),
        mean=np.array([-5.0, -1.0, -1.0, 0.1]),
        sd=np.array([0.5, 0.1, 0.2, 0.3]),
        probability=np.array([1.0, 0.9, 0.8, 0.7]),
        feasibility=0.6,
        note="why",
    )
    best = recommendation(ALL_KINDS, belief)
    assert best.point == {"x": 0.25}
    assert best.objective == (5.0, 0.5)
    assert best.constraints["most"] == (2.0, 0.1, 0.9)
    assert best.constraints["least"] == (-1.0, 0.2, 0.8)
    assert best.constraints["both"] == (pytest.approx(0.5), 0.3, 0.7)
    assert (best.feasibility, best.note) == (0.6, "why")
    assert all(type(number) is float for row in best.constraints.values() for number in row)
    there = prediction(ALL_KINDS, belief)
    assert (there.point, there.constraints, there.note) == (best.point, best.constraints, "why")
    assert list(there.functions) == list(ALL_KINDS.functions)
    assert there["low"] == (5.0, 0.5, 1.0) and there["most"] == best.constraints["most"]
