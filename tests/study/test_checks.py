"""What a user may hand to a study, and what it says to everything else."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import toy

import taut
from taut.app.enter.manual import parse
from taut.storage.memory import MemoryStorage
from taut.study import checks


def snapshot(study: taut.Study) -> object:
    return study.suggestions, study.observations, study.spent, study.counts


MISTAKES = {
    "unknown function": (lambda s: s.tell(1, {"h": 1.0}), taut.UnknownNameError, ["'h'", "'f', 'c', 'g'"]),
    "one good, one unknown": (lambda s: s.tell(1, {"g": 1.0, "h": 1.0}), taut.UnknownNameError, ["'h'"]),
    "NaN": (lambda s: s.tell(1, {"g": math.nan}), taut.ValueRefusedError, ["'g'", "finite", "nan", "None"]),
    "infinite": (lambda s: s.tell(1, {"g": -math.inf}), taut.ValueRefusedError, ["'g'", "-inf", "None"]),
    "good, then NaN": (
        lambda s: s.tell(1, {"g": 1.0, "c": math.nan}),
        taut.ValueRefusedError,
        ["'c'", "nan"],
    ),
    "a word": (lambda s: s.tell(1, {"g": "1.0"}), taut.ValueRefusedError, ["'g'", "number", "'1.0'"]),
    "a boolean": (lambda s: s.tell(1, {"g": True}), taut.ValueRefusedError, ["'g'", "number", "True"]),
    "a NumPy boolean": (lambda s: s.tell(1, {"g": np.True_}), taut.ValueRefusedError, ["'g'", "number", "True"]),
    "too large": (lambda s: s.tell(1, {"g": -1e151}), taut.ValueRefusedError, ["'g'", "1e+150", "-1e+151", "None"]),
    "too many digits": (lambda s: s.tell(1, {"g": 10**5000}), taut.ValueRefusedError, ["'g'", "1e+150", "int"]),
    "a number with too many digits": (lambda s: s.tell(10**5000, {"g": 1.0}), taut.StudyError, ["int", "1 to 3"]),
    "an array": (lambda s: s.tell(1, {"g": [1.0]}), taut.ValueRefusedError, ["'g'", "number", "[1.0]"]),
    "nothing": (lambda s: s.tell(1, {}), taut.ValueRefusedError, ["at least one", "'f', 'c', 'g'", "{}"]),
    "not a dict": (lambda s: s.tell(1, 3.0), taut.ValueRefusedError, ["dict", "3.0"]),
    "unknown suggestion": (lambda s: s.tell(7, {"f": 1.0}), taut.StudyError, ["Suggestion 7", "1 to 3"]),
    "no number": (lambda s: s.tell("one", {"f": 1.0}), taut.StudyError, ["number", "'one'"]),
    "not asked for": (
        lambda s: s.tell(3, {"f": 1.0, "g": 2.0}),
        taut.StudyError,
        ["Suggestion 3", "'f'", "'g'"],
    ),
    "second value": (
        lambda s: s.tell(1, {"c": 1.0, "f": 2.5}),
        taut.ValueRefusedError,
        ["'f'", "1.5", "2.5"],
    ),
    "failed after a value": (
        lambda s: s.tell(1, {"f": None}),
        taut.ValueRefusedError,
        ["'f'", "1.5", "None"],
    ),
    "value after a failure": (
        lambda s: s.tell(2, {"g": 1.0}),
        taut.ValueRefusedError,
        ["Suggestion 2", "'g'", "failed", "1.0", "study.correct", "study.retry"],
    ),
    "suggestion of another study": (
        lambda s: s.tell(taut.Study(toy.problem(), toy.ToyPolicy(), seed=9).ask(), {"g": 1.0}),
        taut.StudyError,
        ["Suggestion 1", "another study"],
    ),
    "point out of bounds": (
        lambda s: s.add({"x1": 5.5, "x2": 1.0}, {"f": 1.0}),
        taut.ValueRefusedError,
        ["'x1'", "[0.0, 5.0]", "5.5"],
    ),
    "point with an unknown name": (
        lambda s: s.add({"x1": 1.0, "x3": 1.0}, {"f": 1.0}),
        taut.UnknownNameError,
        ["'x3'", "'x1', 'x2'"],
    ),
    "point with a gap": (lambda s: s.add({"x1": 1.0}, {"f": 1.0}), taut.ValueRefusedError, ["'x2'", "'x1'"]),
    "added NaN": (
        lambda s: s.add({"x1": 1.0, "x2": 1.0}, {"c": 1.0, "f": math.nan}),
        taut.ValueRefusedError,
        ["'f'", "nan"],
    ),
    "added too large": (
        lambda s: s.add({"x1": 1.0, "x2": 1.0}, {"f": 1e151}),
        taut.ValueRefusedError,
        ["'f'", "1e+151", "unit"],
    ),
    "added unknown": (lambda s: s.add({"x1": 1.0, "x2": 1.0}, {"h": 1.0}), taut.UnknownNameError, ["'h'"]),
    "remaining NaN": (lambda s: s.ask(remaining=math.nan), taut.StudyError, ["remaining", "nan"]),
    "remaining negative": (lambda s: s.ask(remaining=-1), taut.StudyError, ["remaining", "0 or more", "-1"]),
    "replay of nothing": (lambda s: s.replay(9), taut.StudyError, ["Suggestion 9", "1 to 3"]),
    "budget too small": (
        lambda s: s.run(toy.FUNCTIONS, budget=0.4),
        taut.StudyError,
        ["budget", "'f', 'c', 'g'", "0.5", "0.4"],
    ),
    "budget NaN": (lambda s: s.run(toy.FUNCTIONS, budget=math.nan), taut.StudyError, ["at least 0.5", "nan", "give"]),
    "budget negative": (lambda s: s.run(toy.FUNCTIONS, budget=-1), taut.StudyError, ["at least 0.5", "-1"]),
    "budget too large": (lambda s: s.run(toy.FUNCTIONS, budget=1e308), taut.StudyError, ["1e+150", "1e+308"]),
    "budget infinite": (lambda s: s.run(toy.FUNCTIONS, budget=math.inf), taut.StudyError, ["budget", "inf"]),
    "budget a word": (lambda s: s.run(toy.FUNCTIONS, budget="9"), taut.StudyError, ["budget", "'9'"]),
    "missing callable": (
        lambda s: s.run({"f": abs, "c": abs}, budget=9),
        taut.UnknownNameError,
        ["No callable for 'g'", "'f', 'c'"],
    ),
    "unknown callable": (
        lambda s: s.run(toy.FUNCTIONS | {"h": abs}, budget=9),
        taut.UnknownNameError,
        ["'h'", "'f', 'c', 'g'"],
    ),
    "not callable": (lambda s: s.run(toy.FUNCTIONS | {"c": 1.0}, budget=9), taut.StudyError, ["'c'", "1.0"]),
    "no functions": (lambda s: s.run([abs], budget=9), taut.StudyError, ["dict", "functions"]),
    "executor a number": (
        lambda s: s.run(toy.FUNCTIONS, 9, executor=5),
        taut.StudyError,
        ["executor", "submit", "5", "ThreadPoolExecutor"],
    ),
    "executor a class": (
        lambda s: s.run(toy.FUNCTIONS, 9, executor=ThreadPoolExecutor),
        taut.StudyError,
        ["executor", "ThreadPoolExecutor(4)"],
    ),
    "callback a number": (
        lambda s: s.run(toy.FUNCTIONS, 9, callback=5),
        taut.StudyError,
        ["callback", "callable", "5"],
    ),
    "no workers": (
        lambda s: s.run(toy.FUNCTIONS, 9, workers=0),
        taut.StudyError,
        ["workers", "1 or more", "0"],
    ),
    "workers without executor": (
        lambda s: s.run(toy.FUNCTIONS, 9, workers=2),
        taut.StudyError,
        ["workers=2", "executor", "ThreadPoolExecutor(2)"],
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_explained_and_change_nothing(case: str) -> None:
    action, error, fragments = MISTAKES[case]
    study = toy.study(initial=2)
    study.tell(study.ask(), {"f": 1.5})
    study.tell(study.ask(), {"g": None})
    assert study.ask().functions == ("f",)
    before = snapshot(study)
    with pytest.raises(error) as caught:
        action(study)
    assert isinstance(caught.value, taut.TautError)
    for fragment in fragments:
        assert fragment in str(caught.value)
    assert snapshot(study) == before


@pytest.mark.parametrize(
    ("settings", "fragments"),
    [
        ({"seed": -1}, ["seed", "0 or more", "-1"]),
        ({"seed": 1.5}, ["seed", "whole", "1.5"]),
        ({"seed": None}, ["seed", "whole", "None", "leave it out"]),
        ({"seed": 10**5000}, ["seed", "2**63", "int"]),
        ({"options": 5}, ["options", "dict", "5"]),
        ({"options": [("inner", 3)]}, ["options", "dict", "inner"]),
        ({"options": {3: 4}}, ["options", "by name", "3"]),
        ({"options": {"inner": object()}}, ["options", "stored"]),
        ({"preset": ["paper"]}, ["preset", "name", "['paper']", "preset='paper'"]),
        ({"initial_design": np.array(["coupled", "b"])}, ["initial_design", "'coupled'"]),
        ({"initial": True}, ["initial", "whole", "True"]),
        ({"initial": -3}, ["initial", "-3"]),
        ({"initial": 10**9}, ["initial", "at most 10000", "1000000000"]),
        ({"initial_design": "sobol"}, ["initial_design", "'coupled'", "'independent'", "'sobol'"]),
        ({"method": 3}, ["method", "suggest", "3"]),
        ({"method": toy.ToyPolicy}, ["method", "ToyPolicy"]),
    ],
)
def test_bad_settings(settings: dict[str, object], fragments: list[str]) -> None:
    with pytest.raises(taut.TautError) as caught:
        toy.study(**settings)  # type: ignore[arg-type]
    assert all(fragment in str(caught.value) for fragment in fragments)


def test_numpy_options_are_stored_as_plain_numbers() -> None:
    storage = MemoryStorage()
    toy.study(storage=storage, options={"inner": np.int64(3)})
    assert toy.study(storage=storage, options={"inner": 3}).suggestions == ()


def test_a_study_needs_a_problem() -> None:
    with pytest.raises(taut.StudyError, match="taut.Problem"):
        taut.Study("problem", method=toy.ToyPolicy())  # type: ignore[arg-type]


SHARED = taut.Problem(
    [taut.Real("x", 0.0, 1.0)],
    taut.Objective("f"),
    [taut.Constraint("c", at_most=0.0), taut.Constraint("g", at_most=0.0)],
    setups=[taut.Setup("mesh", ("c", "g"), 10.0)],
)


@pytest.mark.parametrize(
    ("given", "told", "taken"),
    [
        (None, "f", {}),
        ({"f": 2}, "f", {"f": (2.0, None)}),
        ({"c": 1.0, "g": 2.0, "mesh": 4.0}, "cg", {"c": (5.0, 4.0), "g": (2.0, None)}),
        ({"mesh": 4.0}, "g", {"g": (None, 4.0)}),
        ({"f": 0.0}, "fc", {"f": (0.0, None)}),
    ],
)
def test_seconds_by_function(given: dict[str, float] | None, told: str, taken: dict[str, object]) -> None:
    assert checks.seconds(SHARED, given, dict.fromkeys(told, 1.0)) == taken


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"c": 1.0}, ["seconds of 'f'", "'c'"]),
        ({"mesh": 1.0}, ["seconds of 'f'", "'mesh'"]),
        ({"f": -1.0}, ["'f'", "0 or more", "-1.0"]),
        ({"f": float("nan")}, ["'f'", "nan"]),
        ({"f": "long"}, ["'f'", "long"]),
        (3.0, ["dict by name", "3.0"]),
    ],
)
def test_other_seconds_are_refused(given: object, words: list[str]) -> None:
    with pytest.raises(taut.TautError) as caught:
        checks.seconds(SHARED, given, {"f": 1.0})  # type: ignore[arg-type]
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_where_money_is_no_object_nothing_is_called_unaffordable() -> None:
    problem = taut.Problem([taut.Integer("n", 1, 2)], taut.Objective("f"))
    assert "everything worth knowing is known" in str(checks.nothing_left(problem, "dckg", math.inf, 1.0))
    assert "remaining is 0.5" in str(checks.nothing_left(problem, "dckg", 0.5, 1.0))


GROUPED = taut.Problem(
    [taut.Real("x", 0.0, 1.0)],
    taut.Objective("f"),
    [taut.Constraint("c", at_most=0.0)],
    groups=[taut.Group("cfd", ("f", "c"), 1.0)],
)


def test_seconds_of_a_group_are_shared_by_its_functions() -> None:
    assert checks.seconds(GROUPED, {"cfd": 8.0}, {"f": 1.0, "c": 2.0}) == {"f": (4.0, None), "c": (4.0, None)}
    assert checks.seconds(GROUPED, {"cfd": 8.0}, {"c": 2.0}) == {"c": (8.0, None)}
    with pytest.raises(taut.ValueRefusedError, match="got both, with 'f'; give one time for the group"):
        checks.seconds(GROUPED, {"cfd": 8.0, "f": 1.0}, {"f": 1.0, "c": 2.0})


def test_examples_name_functions_that_are_evaluated() -> None:
    mass = taut.Objective("mass", formula="x")
    known = taut.Problem([taut.Real("x", 0.0, 1.0)], mass, [taut.Constraint("c", at_most=0.0)])
    assert "at least one of 'c'" in toy.refusal(lambda: checks.values(known, {}), taut.ValueRefusedError)
    assert "at least one of 'c', got nothing; write for example c=1.5" in toy.refusal(
        lambda: parse(known, []), taut.ValueRefusedError
    )
