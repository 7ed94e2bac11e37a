"""The conversation: ask, tell, recommend, and what it costs."""

import json
import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import toy

import taut
from taut.base.quasirandom import latin_hypercube
from taut.storage.memory import MemoryStorage


def snapshot(study: taut.Study) -> object:
    return study.suggestions, study.observations, study.spent, study.counts


# --- the initial design


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


def test_independent_design_gives_each_unit_its_own_latin_hypercube() -> None:
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


@pytest.mark.parametrize(("n", "d"), [(0, 2), (1, 1), (7, 3)])
def test_latin_hypercube(n: int, d: int) -> None:
    points = latin_hypercube(n, d, np.random.default_rng(0))
    assert points.shape == (n, d)
    np.testing.assert_array_equal(np.sort(np.floor(points * n), axis=0), np.arange(n)[:, None].repeat(d, 1))


def test_the_axes_of_a_latin_hypercube_are_shuffled_apart() -> None:
    order = np.argsort(latin_hypercube(50, 3, np.random.default_rng(0)), axis=0)
    assert not np.array_equal(order[:, 0], np.arange(50))
    assert not np.array_equal(order[:, 0], order[:, 1])
    assert not np.array_equal(order[:, 1], order[:, 2])


# --- ask and tell


def test_suggestion_carries_what_the_user_needs() -> None:
    study = toy.study(initial=0, groups=True)
    suggestion = study.ask()
    assert suggestion.functions == ("f", "g")  # the method named one; its group mate comes along
    assert (suggestion.cost, suggestion.note) == (2.5, "turn 0, 0 pending")
    assert study.problem.check_point(suggestion.point) == suggestion.point
    assert (suggestion.seen, suggestion.remaining) == (0, None)


def test_the_second_ask_knows_of_the_first() -> None:
    policy = toy.ToyPolicy()
    study = toy.study(initial=1, method=policy)
    study.ask()
    study.ask()
    study.tell(1, {"f": 1.0})
    study.ask()
    assert [[len(points) for points in request.dataset.pending] for request in policy.requests] == [
        [1, 1, 1],
        [1, 1, 1],
    ]
    assert policy.requests[1].dataset.y[0].tolist() == [1.0]
    assert policy.requests[1].memory == {"turn": 1}


def test_tell_in_parts_and_by_number() -> None:
    study = toy.study()
    suggestion = study.ask()
    study.tell(suggestion, {"c": 0.31})
    study.tell(suggestion.number, {"f": np.float64(-1.0), "g": 2})
    assert [(row.function, row.value, row.suggestion) for row in study.observations] == [
        ("c", 0.31, 1),
        ("f", -1.0, 1),
        ("g", 2.0, 1),
    ]
    assert study.observations[0].point == suggestion.point
    assert all(type(row.value) is float for row in study.observations)


def test_a_failure_concerns_one_function() -> None:
    policy = toy.ToyPolicy()
    study = toy.study(initial=1, method=policy)
    suggestion = study.ask()
    study.tell(suggestion, {"f": None}, note="diverged")
    study.tell(suggestion, {"c": 1.0})
    study.ask()
    data = policy.requests[0].dataset
    assert [len(points) for points in data.failed] == [1, 0, 0]
    assert [len(points) for points in data.X] == [0, 1, 0]
    assert [len(points) for points in data.pending] == [0, 0, 1]
    assert study.observations[0].note == "diverged"


def test_repeating_a_tell_is_harmless() -> None:
    study = toy.study()
    suggestion = study.ask()
    study.tell(suggestion, {"f": 1.0, "c": None})
    before = snapshot(study)
    study.tell(suggestion, {"f": 1.0, "c": None})
    assert snapshot(study) == before
    study.tell(suggestion, {"f": 1.0, "g": 5.0})
    assert [row.function for row in study.observations] == ["f", "c", "g"]


def test_add_counts_as_data_and_costs_nothing() -> None:
    policy = toy.ToyPolicy()
    study = toy.study(initial=0, method=policy)
    study.add({"x1": 1.0, "x2": 2.0}, {"f": -3.2, "g": None})
    study.add({"x1": 1.0, "x2": 2.0}, {"f": -3.2})
    assert (study.spent, study.counts) == (0.0, {"f": 0, "c": 0, "g": 0})
    study.ask()
    assert policy.requests[0].dataset.y[0].tolist() == [-3.2, -3.2]
    assert len(policy.requests[0].dataset.failed[2]) == 1


def test_changing_a_suggestion_does_not_change_the_study() -> None:
    study = toy.study(initial=0)
    suggestion = study.ask()
    kept = dict(suggestion.point)
    study.suggestions[0].point["x1"] = 99.0
    suggestion.memory["turn"] = 77
    assert study.suggestions[0].point == kept
    assert study.ask().note == "turn 1, 1 pending"


def test_recommend_and_relevance_need_no_suggestion() -> None:
    study = toy.study()
    best = study.recommend()
    assert best.objective == (1.0, 0.1)
    assert best.constraints == {"c": (2.0, 0.2, 0.5), "g": (1.0 - 3.0, pytest.approx(0.3), 0.5)}
    assert (best.feasibility, best.note) == (0.25, "best seen")
    assert study.recommend() == best
    assert [row.cost for row in study.relevance()] == [0.0, 0.0]


def test_no_constraints_no_relevance() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    assert taut.Study(problem, method=toy.ToyPolicy()).relevance() == []


# --- spent, counts, relevance


def test_spent_counts_what_was_told_after_the_initial_design() -> None:
    study = toy.study(initial=1, method=toy.ToyPolicy(coupled=True))
    study.tell(study.ask(), {"f": 1.0, "c": 1.0, "g": 1.0})
    assert (study.spent, study.counts) == (0.0, {"f": 1, "c": 1, "g": 1})
    suggestion = study.ask()
    assert study.spent == 0.0  # pending
    study.tell(suggestion, {"c": 1.0})
    assert study.spent == 0.5
    study.tell(suggestion, {"g": None})
    assert (study.spent, study.counts) == (3.5, {"f": 1, "c": 2, "g": 2})


def test_a_group_is_charged_once_per_suggestion() -> None:
    study = toy.study(initial=0, groups=True)
    suggestion = study.ask()
    study.tell(suggestion, {"f": 1.0})
    assert study.spent == 2.5
    study.tell(suggestion, {"g": 1.0})
    assert (study.spent, study.counts) == (2.5, {"f": 1, "c": 0, "g": 1})


def test_relevance_rows_tell_what_a_constraint_cost() -> None:
    study = toy.study(initial=1)
    study.tell(study.ask(), {"f": 1.0, "c": 1.0, "g": 1.0})
    for _ in range(4):  # f, c, g, f
        suggestion = study.ask()
        study.tell(suggestion, {suggestion.functions[0]: 1.0})
    study.ask()  # c, pending: no location yet
    c, g = study.relevance()
    assert (c.constraint, c.matters, c.binds, c.verdict) == ("c", 0.9, 0.8, "binding")
    assert (c.evaluations, c.cost, c.coupled_cost) == (1, 0.5, 4 * 0.5)
    assert (g.constraint, g.verdict, g.evaluations, g.cost, g.coupled_cost) == (
        "g",
        "irrelevant",
        1,
        3.0,
        12.0,
    )


def test_relevance_shares_the_cost_of_a_group() -> None:
    study = toy.study(initial=0, groups=True)
    for _ in range(2):  # the group, then c
        suggestion = study.ask()
        study.tell(suggestion, dict.fromkeys(suggestion.functions, 1.0))
    c, g = study.relevance()
    assert (c.cost, c.coupled_cost) == (0.5, 1.0)
    assert (g.cost, g.coupled_cost) == (1.25, 2.5)


def test_locations_evaluated_twice_count_once() -> None:
    class OnePlace(toy.ToyPolicy):
        def suggest(self, request, rng):  # type: ignore[no-untyped-def]
            proposal = super().suggest(request, rng)
            return type(proposal)(np.array([0.5, 0.5]), proposal.functions, memory=proposal.memory)

    study = toy.study(initial=0, method=OnePlace())
    for _ in range(3):
        suggestion = study.ask()
        study.tell(suggestion, {suggestion.functions[0]: 1.0})
    assert [row.coupled_cost for row in study.relevance()] == [0.5, 3.0]


# --- the same seed and history give the same suggestion


def test_every_suggestion_can_be_recomputed() -> None:
    study = toy.study(initial=3, seed=11)
    toy.play(study, 20)
    study.add({"x1": 1.0, "x2": 2.0}, {"f": 0.5})
    study.tell(3, {"f": 1.0})  # late
    study.ask(remaining=0.75)
    for suggestion in study.suggestions:
        assert study.replay(suggestion.number) == suggestion


def test_the_same_history_gives_the_same_study() -> None:
    first, second, other = toy.study(seed=5), toy.study(seed=5), toy.study(seed=6)
    for study in (first, second, other):
        toy.play(study, 12)
    assert first.suggestions == second.suggestions
    assert first.recommend() == second.recommend()
    assert first.suggestions[5].point != other.suggestions[5].point


def test_a_reopened_study_goes_on_where_it_was() -> None:
    straight, storage = toy.study(seed=5), MemoryStorage()
    toy.play(straight, 12)
    toy.play(toy.study(seed=5, storage=storage), 7)
    reopened = toy.study(seed=5, storage=storage)
    toy.play(reopened, 5)
    assert reopened.suggestions == straight.suggestions
    assert reopened.replay(9) == straight.suggestions[8]


def test_a_storage_belongs_to_one_study() -> None:
    storage = MemoryStorage()
    toy.play(toy.study(seed=5, storage=storage), 3)
    for change in ({"seed": 6}, {"initial": 3}, {"groups": True}, {"initial_design": "independent"}):
        with pytest.raises(taut.StorageError, match="holds another study"):
            toy.study(storage=storage, **({"seed": 5} | change))  # type: ignore[arg-type]
    assert len(storage.rows()[0]) == 3


def test_only_what_differs_from_the_stored_study_is_named() -> None:
    storage = MemoryStorage()
    toy.study(seed=5, storage=storage)
    with pytest.raises(taut.StorageError) as caught:
        toy.study(seed=6, storage=storage)
    assert "seed is 5 there and 6 here" in str(caught.value)
    assert "x1" not in str(caught.value) and "method" not in str(caught.value)
    with pytest.raises(taut.StorageError, match=r"groups is \[\] there and \[.*'fg'.*\] here"):
        toy.study(seed=5, groups=True, storage=storage)
    wider = taut.Problem([taut.Real("x1", 0.0, 6.0), toy.problem().parameters[1]], toy.problem().objective)
    with pytest.raises(taut.StorageError, match=r"parameters\[0\]\.high is 5\.0 there and 6\.0 here"):
        taut.Study(wider, toy.ToyPolicy(), seed=5, initial=2, storage=storage)


def test_numpy_options_are_stored_as_plain_numbers() -> None:
    storage = MemoryStorage()
    toy.study(storage=storage, options={"inner": np.int64(3)})
    assert toy.study(storage=storage, options={"inner": 3}).suggestions == ()


def test_another_process_gives_the_same_suggestions() -> None:
    script = (
        "import json, sys; sys.path.insert(0, 'tests'); import toy\n"
        "study = toy.study(seed=5); toy.play(study, 8)\n"
        "print(json.dumps([[row.point, row.functions, row.memory] for row in study.suggestions]))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    study = toy.study(seed=5)
    toy.play(study, 8)
    here = [[row.point, list(row.functions), row.memory] for row in study.suggestions]
    assert json.loads(run.stdout) == here


def test_ask_within_a_budget() -> None:
    policy = toy.ToyPolicy()
    study = toy.study(initial=1, method=policy)
    assert study.ask(remaining=0.0).initial  # the initial design is not part of the budget
    suggestion = study.ask(remaining=0.75)
    assert (suggestion.functions, suggestion.remaining, policy.requests[0].remaining) == (("c",), 0.75, 0.75)
    before = snapshot(study)
    with pytest.raises(taut.StudyError, match=r"0\.25.*'f', 'c', 'g'.*0\.5"):
        study.ask(remaining=0.25)
    assert snapshot(study) == before and len(policy.requests) == 1


def test_a_method_that_wants_more_than_is_left() -> None:
    study = toy.study(initial=0, method=toy.ToyPolicy(coupled=True))
    with pytest.raises(taut.StudyError, match=r"4\.0.*ToyPolicy"):
        study.ask(remaining=4.0)
    assert study.suggestions == ()


class AllOrNothing(toy.ToyPolicy):
    """Evaluates everything at each point, and says so."""

    def __init__(self) -> None:
        super().__init__(coupled=True)

    def least_cost(self, problem: taut.Problem) -> float:
        return problem.cost(problem.functions)


def test_a_budget_below_one_step_of_the_method_is_refused_before_anything_is_evaluated() -> None:
    study = toy.study(initial=3, method=AllOrNothing())
    with pytest.raises(taut.StudyError, match=r"budget.*at least 4\.5.*'AllOrNothing'.*'f', 'c', 'g'.*got 4"):
        study.run(toy.FUNCTIONS, budget=4)
    assert study.suggestions == ()
    study.run(toy.FUNCTIONS, budget=4.5)
    assert study.spent == 4.5


def test_ask_names_what_one_step_of_the_method_costs() -> None:
    policy = AllOrNothing()
    with pytest.raises(taut.StudyError, match=r"remaining is 4\.0.*'AllOrNothing' needs at least 4\.5"):
        toy.study(initial=0, method=policy).ask(remaining=4.0)
    assert policy.requests == []  # the method was not troubled


def test_a_budget_of_rounded_costs_is_enough() -> None:
    functions = [taut.Constraint(name, at_most=0.0, cost=0.1) for name in "ab"]
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", cost=0.7), functions)
    study = taut.Study(problem, AllOrNothing(), initial=0)
    study.run(dict.fromkeys(("f", "a", "b"), toy.square), budget=0.1 + 0.1 + 0.7)
    study = taut.Study(problem, AllOrNothing(), initial=0)
    study.run(dict.fromkeys(("f", "a", "b"), toy.square), budget=0.9 - 1e-16)
    assert study.counts["f"] == 1


def test_suggestions_can_be_keys() -> None:
    study = toy.study()
    first, second = study.ask(), study.ask()
    waiting = {first: "a", second: "b"}
    assert waiting[study.suggestions[1]] == "b" and len({first, first, second}) == 2


def test_a_study_introduces_itself() -> None:
    assert repr(toy.study(seed=3)) == "<taut.Study: maximize 'f' subject to 'c', 'g', method 'ToyPolicy', seed 3>"
    free = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", "minimize"))
    assert repr(taut.Study(free, toy.ToyPolicy())) == "<taut.Study: minimize 'f', method 'ToyPolicy', seed 0>"


# --- mistakes


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
        ["Suggestion 2", "'g'", "failed", "1.0", "study.add"],
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
        ({"initial_design": "sobol"}, ["initial_design", "'coupled'", "'independent'", "'sobol'"]),
        ({"method": 3}, ["method", "suggest", "3"]),
        ({"method": toy.ToyPolicy}, ["method", "ToyPolicy"]),
    ],
)
def test_bad_settings(settings: dict[str, object], fragments: list[str]) -> None:
    with pytest.raises(taut.TautError) as caught:
        toy.study(**settings)  # type: ignore[arg-type]
    assert all(fragment in str(caught.value) for fragment in fragments)


def test_methods_are_found_by_name() -> None:
    with pytest.raises(taut.UnknownNameError, match="'dckg'.*'magic'"):
        taut.Study(toy.problem(), method="magic")
    with pytest.raises(taut.UnknownNameError, match="closest is 'dckg'"):
        taut.Study(toy.problem(), method="dcgk")
    study = taut.Study(toy.problem(), method="random", initial=3)
    toy.play(study, 6)
    assert study.method == "random"
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


def test_a_study_needs_a_problem() -> None:
    with pytest.raises(taut.StudyError, match="taut.Problem"):
        taut.Study("problem", method=toy.ToyPolicy())  # type: ignore[arg-type]


# --- several threads


def test_threads_may_share_a_study() -> None:
    study = toy.study(initial=4)

    def work(_: int) -> None:
        for _ in range(10):
            suggestion = study.ask()
            for name in suggestion.functions:
                study.tell(suggestion, {name: toy.FUNCTIONS[name](suggestion.point)})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert [row.number for row in study.suggestions] == list(range(1, 41))
    assert sum(study.counts.values()) == 4 * 3 + 36
    for suggestion in study.suggestions:
        assert study.replay(suggestion.number) == suggestion


def test_tell_does_not_wait_for_a_slow_ask() -> None:
    started, go_on = threading.Event(), threading.Event()

    class Slow(toy.ToyPolicy):
        def suggest(self, request, rng):  # type: ignore[no-untyped-def]
            started.set()
            assert go_on.wait(10)
            return super().suggest(request, rng)

    study = toy.study(initial=1, method=Slow())
    first = study.ask()
    asking = threading.Thread(target=study.ask)
    asking.start()
    assert started.wait(10)
    study.tell(first, {"f": 1.0})  # would hang if the lock were held while the method thinks
    assert study.counts["f"] == 1
    go_on.set()
    asking.join(10)
    assert [row.seen for row in study.suggestions] == [0, 0]
