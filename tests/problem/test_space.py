"""The unit cube, and the initial design in it."""

import math

import numpy as np
import toy
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.problem.space import from_unit, to_unit


def test_default_size_of_the_initial_design() -> None:
    for dimension, size in [(1, 6), (2, 6), (3, 8), (6, 14)]:
        parameters = [taut.Real(f"x{i}", 0.0, 1.0) for i in range(dimension)]
        study = taut.Study(taut.Problem(parameters, taut.Objective("f")), method=toy.ToyPolicy())
        asked = [study.ask() for _ in range(size + 1)]
        assert [each.initial for each in asked] == [True] * size + [False]


def test_coupled_design_names_all_functions_at_the_points_of_one_latin_hypercube() -> None:
    study = toy.study(initial=5, seed=3)
    asked = [study.ask() for _ in range(5)]
    assert [each.number for each in asked] == [1, 2, 3, 4, 5]
    assert {each.functions for each in asked} == {("f", "c", "g")}
    assert {each.cost for each in asked} == {4.5}
    assert sorted(int(each.point["x1"]) for each in asked) == [0, 1, 2, 3, 4]
    assert sorted(math.floor(5 * (math.log10(each.point["x2"]) + 2) / 4) for each in asked) == [0, 1, 2, 3, 4]
    assert "initial design" in asked[0].note


def test_independent_design_gives_each_bundle_its_own_latin_hypercube() -> None:
    study = toy.study(initial=4, groups=True, initial_design="independent")
    asked = [study.ask() for _ in range(9)]
    assert [each.initial for each in asked] == [True] * 8 + [False]
    assert [each.functions for each in asked[:4]] == [("f", "g"), ("c",)] * 2
    for functions in [("f", "g"), ("c",)]:
        mine = [each for each in asked[:8] if each.functions == functions]
        assert sorted(int(each.point["x1"] / 1.25) for each in mine) == [0, 1, 2, 3]
    assert asked[0].point != asked[1].point


def test_the_design_depends_on_the_seed_only() -> None:
    first = [toy.study(seed=seed, initial=3).ask().point for seed in (1, 1, 2)]
    assert first[0] == first[1] != first[2]


def test_no_initial_design() -> None:
    suggestion = toy.study(initial=0).ask()
    assert (suggestion.number, suggestion.initial) == (1, False)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2))
def test_points_to_the_unit_cube_and_back(u: list[float]) -> None:
    problem = toy.problem()
    there = from_unit(problem, np.array(u))
    assert problem.check_point(there) == there
    np.testing.assert_allclose(to_unit(problem, there), u, atol=1e-14)
