"""Declarations: what is accepted, what is refused, and that nothing gets lost on the way to plain dicts."""

import json
import math

import numpy as np
import pytest
import toy
from hypothesis import given
from hypothesis import strategies as st

import taut

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,8}", fullmatch=True)
NUMBERS = st.floats(-1e6, 1e6)
COSTS = st.floats(1e-3, 1e3)
NOISE = st.one_of(st.none(), st.just("learned"), st.floats(1e-6, 10.0))


@st.composite
def reals(draw: st.DrawFn, name: str = "x") -> taut.Real:
    log = draw(st.booleans())
    low = draw(st.floats(1e-6, 1e3) if log else NUMBERS)
    return taut.Real(name, low, low + draw(st.floats(1e-3, 1e6)), log)


@st.composite
def problems(draw: st.DrawFn) -> taut.Problem:
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    constraints = []
    for name in names[1:]:
        side = draw(st.sampled_from(["at_most", "at_least", "both"]))
        bound = draw(NUMBERS)
        at_most = bound if side != "at_least" else None
        at_least = {"at_most": None, "at_least": bound, "both": bound - draw(st.floats(0.1, 10.0))}[side]
        constraints.append(taut.Constraint(name, at_most, at_least, draw(COSTS), draw(NOISE)))
    members = draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    groups = [taut.Group("a-group-longer-than-any-function", members, draw(COSTS))] if draw(st.booleans()) else []
    parameters = [draw(reals(name)) for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))]
    goal = draw(st.sampled_from(["maximize", "minimize"]))
    return taut.Problem(parameters, taut.Objective(names[0], goal, draw(COSTS), draw(NOISE)), constraints, groups)


@given(problems())
def test_a_problem_survives_json(problem: taut.Problem) -> None:
    plain = json.loads(json.dumps(problem.to_dict()))
    assert taut.Problem.from_dict(plain) == problem
    assert taut.Problem.from_dict(plain).to_dict() == problem.to_dict()


@given(problems())
def test_units_partition_the_functions(problem: taut.Problem) -> None:
    bought = [name for bundle in problem.bundles for name in bundle.functions]
    assert sorted(bought) == sorted(problem.functions)
    firsts = [problem.functions.index(bundle.functions[0]) for bundle in problem.bundles]
    assert firsts == sorted(firsts)
    assert problem.cost(problem.functions) == pytest.approx(sum(bundle.cost for bundle in problem.bundles))


def test_names_in_declared_order() -> None:
    problem = toy.problem()
    assert problem.functions == ("f", "c", "g")
    assert [parameter.name for parameter in problem.parameters] == ["x1", "x2"]
    assert problem.dimension == 2
    assert (problem.parameters[0].low, problem.parameters[0].high) == (0.0, 5.0)


def test_costs_without_groups() -> None:
    problem = toy.problem()
    assert problem.complete(["g", "f"]) == ("f", "g")
    assert problem.cost(["g", "f"]) == 4.0
    assert problem.cost([]) == 0.0


def test_a_group_is_bought_as_a_whole_and_once() -> None:
    problem = toy.problem(groups=True)
    assert [(bundle.name, bundle.functions, bundle.cost) for bundle in problem.bundles] == [
        ("fg", ("f", "g"), 2.5),
        ("c", ("c",), 0.5),
    ]
    assert problem.complete(["g"]) == ("f", "g")
    assert problem.cost(["g"]) == problem.cost(["f", "g"]) == 2.5
    assert problem.cost(["g", "c"]) == 3.0


def test_declarations_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        toy.problem().parameters[0].low = 1.0  # type: ignore[misc]


X = taut.Real("x", 0.0, 1.0)
F = taut.Objective("f")
C = taut.Constraint("c", at_most=0.0)

BAD = {
    "empty problem": (lambda: taut.Problem([], F), ["at least one parameter", "none", "taut.Real"]),
    "one parameter without list": (lambda: taut.Problem(X, F), ["parameters", "list", "Real"]),
    "objective a string": (lambda: taut.Problem([X], "f"), ["objective", "taut.Objective", "'f'"]),
    "constraint a string": (lambda: taut.Problem([X], F, ["c"]), ["constraints", "taut.Constraint", "'c'"]),
    "parameter twice": (lambda: taut.Problem([X, X], F), ["parameters", "'x'", "2 times"]),
    "function twice": (lambda: taut.Problem([X], F, [C, C]), ["functions", "'c'", "2 times"]),
    "objective and constraint of one name": (
        lambda: taut.Problem([X], F, [taut.Constraint("f", at_most=0.0)]),
        ["functions", "'f'", "2 times"],
    ),
    "two groups share": (
        lambda: taut.Problem([X], F, [C], [taut.Group("g", ["f"], 1.0), taut.Group("h", ["f", "c"], 1.0)]),
        ["'f'", "one group", "'g'", "'h'"],
    ),
    "group named like a function": (
        lambda: taut.Problem([X], F, [C], [taut.Group("c", ["f", "c"], 1.0)]),
        ["'c'", "same name"],
    ),
    "not the form of to_dict": (lambda: taut.Problem.from_dict({"objective": {}}), ["to_dict", "parameters"]),
    "unknown type of parameter": (
        lambda: taut.Problem.from_dict(
            taut.Problem([X], F).to_dict() | {"parameters": [{"type": "colour", "name": "x"}]}
        ),
        ["'x'", "real", "'colour'"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_declarations_are_refused(case: str) -> None:
    declare, fragments = BAD[case]
    message = toy.refusal(declare, taut.ProblemError)
    assert all(fragment in message for fragment in fragments)


def test_group_of_an_unknown_function() -> None:
    with pytest.raises(taut.UnknownNameError, match="'h'.*'q'.*'f', 'c'"):
        taut.Problem([X], F, [C], [taut.Group("h", ["q"], 1.0)])


@pytest.mark.parametrize("use", ["cost", "complete"])
def test_unknown_function(use: str) -> None:
    with pytest.raises(taut.UnknownNameError, match="'q' is unknown.*'f', 'c', 'g'"):
        getattr(toy.problem(), use)(["f", "q"])


def test_point_is_checked() -> None:
    problem = toy.problem()
    assert problem.check_point({"x2": 1, "x1": np.float64(2.0)}) == {"x1": 2.0, "x2": 1.0}
    assert list(problem.check_point({"x2": 1, "x1": 2})) == ["x1", "x2"]
    for point, fragments in [
        ({"x1": 1.0}, ["'x2'"]),
        ({"x1": 1.0, "x2": 100.1}, ["'x2'", "[0.01, 100.0]", "100.1"]),
        ({"x1": math.nan, "x2": 1.0}, ["'x1'", "nan", "[0.0, 5.0]"]),
        ({"x1": "1", "x2": 1.0}, ["'x1'", "'1'"]),
        ({"x1": np.True_, "x2": 1.0}, ["'x1'", "True"]),
        ({"x1": 10**5000, "x2": 1.0}, ["'x1'", "int"]),
        ([1.0, 2.0], ["dict", "[1.0, 2.0]"]),
    ]:
        with pytest.raises(taut.ValueRefusedError) as caught:
            problem.check_point(point)  # type: ignore[arg-type]
        assert all(fragment in str(caught.value) for fragment in fragments)
    with pytest.raises(taut.UnknownNameError, match="'x3' is unknown.*'x1', 'x2'"):
        problem.check_point({"x1": 1.0, "x2": 1.0, "x3": 1.0})
