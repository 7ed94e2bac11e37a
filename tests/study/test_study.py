"""The conversation: ask, tell, recommend, and what it costs."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import toy

import taut
from taut.storage.memory import MemoryStorage


def snapshot(study: taut.Study) -> object:
    return study.suggestions, study.observations, study.spent, study.counts


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


def test_a_study_introduces_itself() -> None:
    assert repr(toy.study(seed=3)) == "<taut.Study: maximize 'f' subject to 'c', 'g', method 'ToyPolicy', seed 3>"
    free = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", "minimize"))
    assert repr(taut.Study(free, toy.ToyPolicy())) == "<taut.Study: minimize 'f', method 'ToyPolicy', seed 0>"


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


# --- run


def total(study: taut.Study) -> float:
    return sum(each.cost for each in study.suggestions if not each.initial)


def test_run_uses_the_budget_and_not_more() -> None:
    study = toy.study(initial=2)
    best = study.run(toy.FUNCTIONS, budget=10)
    assert study.spent == total(study) == 10.0
    assert study.counts["f"] >= 2 and all(row.value is not None for row in study.observations)
    for row in study.observations:
        assert row.value == toy.FUNCTIONS[row.function](row.point)
    assert best == study.recommend()


def test_budget_counts_from_the_beginning() -> None:
    study = toy.study(initial=2)
    study.run(toy.FUNCTIONS, budget=4)
    rows = study.observations
    study.run(toy.FUNCTIONS, budget=4)
    assert study.observations == rows
    study.run(toy.FUNCTIONS, budget=6)
    assert study.spent == 6.0 and study.observations[: len(rows)] == rows


def test_budget_that_floats_cannot_divide() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", cost=0.1))
    study = taut.Study(problem, toy.ToyPolicy(), initial=0)
    study.run({"f": toy.square}, budget=0.3)
    assert study.counts == {"f": 3}


def test_serial_runs_are_repeatable() -> None:
    first, second = toy.study(seed=4), toy.study(seed=4)
    assert first.run(toy.FUNCTIONS, budget=10) == second.run(toy.FUNCTIONS, budget=10)
    assert first.suggestions == second.suggestions


def test_a_coupled_method_stops_when_it_cannot_pay() -> None:
    study = toy.study(initial=1, method=toy.ToyPolicy(coupled=True))
    study.run(toy.FUNCTIONS, budget=10)
    assert study.spent == 9.0


def test_an_interrupted_run_keeps_what_it_has() -> None:
    study = toy.study(initial=2)
    calls = []

    def c(point: dict[str, float]) -> float:
        calls.append(point)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return 0.0

    with pytest.raises(KeyboardInterrupt):
        study.run(toy.FUNCTIONS | {"c": c}, budget=4)
    assert study.counts == {"f": 2, "c": 1, "g": 1}
    study.run(toy.FUNCTIONS | {"c": c}, budget=4)
    assert study.spent == 4.0 and all(count >= 2 for count in study.counts.values())
    assert {name for each in study.suggestions for name in each.functions} == {"f", "c", "g"}
    assert len(study.observations) == sum(len(each.functions) for each in study.suggestions)


def test_callback_sees_each_complete_suggestion() -> None:
    study, seen = toy.study(initial=2), []

    def callback(inside: taut.Study, suggestion: taut.Suggestion) -> None:
        assert inside is study
        told = [row.function for row in inside.observations if row.suggestion == suggestion.number]
        assert told == list(suggestion.functions)
        seen.append(suggestion.number)

    study.run(toy.FUNCTIONS, budget=5, callback=callback)
    assert seen == [row.number for row in study.suggestions]
