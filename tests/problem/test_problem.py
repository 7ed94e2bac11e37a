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


@given(reals(), st.floats(0.0, 1.0))
def test_unit_cube_and_back(parameter: taut.Real, u: float) -> None:
    value = parameter.from_unit(u)
    assert parameter.low <= value <= parameter.high
    assert parameter.check(value) == value
    # a float value has about 16 digits, of which the interval may be a small part
    scale = max(abs(parameter.low), abs(parameter.high)) / (parameter.high - parameter.low)
    if parameter.log:
        scale = (1.0 + abs(math.log(parameter.low))) / math.log(parameter.high / parameter.low)
    assert parameter.to_unit(value) == pytest.approx(u, abs=1e-14 * max(scale, 1.0))


@given(reals(), st.floats(-1.0, 2.0))
def test_bounds_are_met_exactly(parameter: taut.Real, u: float) -> None:
    assert parameter.from_unit(0.0) == parameter.low
    assert parameter.from_unit(1.0) == parameter.high
    assert parameter.low <= parameter.from_unit(u) <= parameter.high
    assert (parameter.to_unit(parameter.low), parameter.to_unit(parameter.high)) == (0.0, 1.0)


def test_log_parameter_is_searched_on_a_logarithmic_scale() -> None:
    parameter = taut.Real("x", 0.01, 100.0, log=True)
    assert parameter.from_unit(0.5) == pytest.approx(1.0)
    assert parameter.to_unit(10.0) == pytest.approx(0.75)


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


def test_numpy_numbers_become_floats() -> None:
    parameter = taut.Real("x", np.float32(0.0), np.int64(2))
    assert type(parameter.low) is float and type(parameter.high) is float
    assert type(taut.Objective("f", cost=np.int64(2)).cost) is float
    assert taut.Real("x", np.array([1.0]), np.array(2.0)) == taut.Real("x", 1.0, 2.0)


def test_numpy_booleans_are_booleans() -> None:
    assert taut.Real("x", 1.0, 2.0, log=np.True_).log is True
    assert taut.Real("x", 1.0, 2.0, log=np.False_).log is False


def test_declarations_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        toy.problem().parameters[0].low = 1.0  # type: ignore[misc]


X = taut.Real("x", 0.0, 1.0)
F = taut.Objective("f")
C = taut.Constraint("c", at_most=0.0)

BAD = {
    "low above high": (lambda: taut.Real("width", 0.5, 0.2), ["width", "0.5", "0.2", "high must exceed low"]),
    "low equals high": (lambda: taut.Real("width", 0.5, 0.5), ["width", "0.5", "high must exceed low"]),
    "bound NaN": (lambda: taut.Real("width", math.nan, 1.0), ["width", "low", "finite", "nan"]),
    "bound infinite": (lambda: taut.Real("width", 0.0, math.inf), ["width", "high", "finite", "inf"]),
    "bound a string": (lambda: taut.Real("width", "0", 1.0), ["width", "low", "number", "'0'"]),
    "bound too large": (lambda: taut.Real("width", 0.0, 1e151), ["width", "high", "1e+150", "1e+151", "unit"]),
    "bound with too many digits": (lambda: taut.Real("width", 0, 10**5000), ["width", "1e+150", "int"]),
    "bounds of booleans": (lambda: taut.Real("width", np.False_, np.True_), ["width", "low", "False", "give"]),
    "bound an array": (lambda: taut.Real("width", 0.0, np.array([1.0, 2.0])), ["width", "high", "array"]),
    "log from zero": (lambda: taut.Real("width", 0.0, 1.0, log=True), ["width", "low > 0", "0.0"]),
    "log not a boolean": (lambda: taut.Real("width", 1.0, 2.0, log=1), ["width", "True or False", "1", "leave it out"]),
    "log an array": (lambda: taut.Real("width", 1.0, 2.0, log=np.array([True, False])), ["width", "log", "array"]),
    "empty name": (lambda: taut.Real("", 0.0, 1.0), ["name", "letter", "''"]),
    "name with a space": (lambda: taut.Objective("my f"), ["'my f'", "letter"]),
    "name not a string": (lambda: taut.Constraint(3, at_most=0.0), ["Constraint", "letter", "3"]),
    "unknown goal": (lambda: taut.Objective("f", goal="maximise"), ["'f'", "'maximise'", "closest is 'maximize'"]),
    "goal an array": (lambda: taut.Objective("f", goal=np.array(["a", "b"])), ["'f'", "'maximize' or 'minimize'"]),
    "cost zero": (lambda: taut.Objective("f", cost=0.0), ["'f'", "above 0", "0.0"]),
    "cost too large": (lambda: taut.Objective("f", cost=1e151), ["'f'", "1e+151", "1e+150", "compared"]),
    "cost too small": (lambda: taut.Objective("f", cost=1e-200), ["'f'", "1e-200", "1e-150"]),
    "cost negative": (lambda: taut.Constraint("c", at_most=0.0, cost=-1), ["'c'", "above 0", "-1"]),
    "cost NaN": (lambda: taut.Group("g", ["f"], cost=math.nan), ["'g'", "above 0", "nan"]),
    "cost a boolean": (lambda: taut.Objective("f", cost=True), ["'f'", "above 0", "True"]),
    "noise zero": (lambda: taut.Objective("f", noise=0.0), ["'f'", "'learned'", "0.0"]),
    "noise an array": (lambda: taut.Objective("f", noise=np.array([1.0, 2.0])), ["'f'", "'learned'", "array"]),
    "noise too large": (lambda: taut.Objective("f", noise=1e151), ["'f'", "1e+150", "1e+151"]),
    "noise a word": (lambda: taut.Constraint("c", at_most=0, noise="yes"), ["'c'", "'learned'", "'yes'"]),
    "no bound": (lambda: taut.Constraint("stress"), ["'stress'", "at_most", "at_least"]),
    "crossed bounds": (lambda: taut.Constraint("c", at_most=1.0, at_least=2.0), ["'c'", "1.0", "2.0"]),
    "equal bounds": (lambda: taut.Constraint("c", at_most=1.0, at_least=1.0), ["'c'", "1.0"]),
    "bound of constraint NaN": (lambda: taut.Constraint("c", at_most=math.nan), ["'c'", "at_most", "nan"]),
    "bound of constraint too large": (lambda: taut.Constraint("c", at_least=-1e151), ["'c'", "at_least", "leave it"]),
    "bound of constraint infinite": (lambda: taut.Constraint("c", at_most=math.inf), ["'c'", "inf", "leave it out"]),
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
    "group of a string": (lambda: taut.Group("g", "f", 1.0), ["'g'", "list", "'f'"]),
    "group of None": (lambda: taut.Group("g", None, 1.0), ["'g'", "list", "None", "['f', 'c']"]),
    "group of a number": (lambda: taut.Group("g", 5, 1.0), ["'g'", "list", "5"]),
    "group of lists": (lambda: taut.Group("g", [["f"]], 1.0), ["'g'", "list", "['f']"]),
    "group of nothing": (lambda: taut.Group("g", [], 1.0), ["'g'", "at least one", "nothing"]),
    "group with a double": (lambda: taut.Group("g", ["f", "f"], 1.0), ["'g'", "each once", "'f'"]),
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
        ["'x'", "'real'", "'colour'"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_declarations_are_refused(case: str) -> None:
    declare, fragments = BAD[case]
    with pytest.raises(taut.ProblemError) as caught:
        declare()
    for fragment in fragments:
        assert fragment in str(caught.value)


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
