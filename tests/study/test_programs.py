"""Running the user's functions: one by one, in executors, and when they fail."""

import logging
import math
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import toy

import taut
from taut.study.programs import PythonProgram, call


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


def test_pending_suggestions_are_evaluated_first() -> None:
    study = toy.study(initial=2)
    study.tell(study.ask(), {"f": 123.0})
    called = []

    def f(point: dict[str, float]) -> float:
        called.append(point)
        return 1.0

    study.run(toy.FUNCTIONS | {"f": f}, budget=0.5)
    assert study.observations[0].value == 123.0
    assert all(row.functions == ("f", "c", "g") for row in study.suggestions[:2])
    assert study.counts["c"] >= 2 and len(called) == 1  # the value told by hand was kept


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


def test_the_point_is_the_functions_own() -> None:
    def f(point: dict[str, float]) -> float:
        point["x1"] = 99.0
        return 1.0

    study = toy.study(initial=1)
    study.run(toy.FUNCTIONS | {"f": f}, budget=1)
    assert all(row.point["x1"] <= 5.0 for row in study.observations)


# --- failures


def test_an_exception_is_a_failure_of_that_function(caplog: pytest.LogCaptureFixture) -> None:
    def c(point: dict[str, float]) -> float:
        raise ValueError("mesh is bad")

    study = toy.study(initial=3)
    with caplog.at_level(logging.WARNING, "taut"):
        study.run(toy.FUNCTIONS | {"c": c}, budget=4)
    failed = [row for row in study.observations if row.value is None]
    assert {row.function for row in failed} == {"c"} and len(failed) == study.counts["c"] >= 3
    assert {row.note for row in failed} == {"ValueError: mesh is bad"}
    assert all(row.note == "" for row in study.observations if row.value is not None)
    assert "suggestion 1, c failed: ValueError: mesh is bad" in caplog.text


def test_leaving_python_is_a_failure_of_that_function() -> None:
    def c(point: dict[str, float]) -> float:
        sys.exit("no licence")

    study = toy.study(initial=2)
    study.run(toy.FUNCTIONS | {"c": c}, budget=4)
    assert study.spent == 4.0
    failed = [row for row in study.observations if row.value is None]
    assert {(row.function, row.note) for row in failed} == {("c", "SystemExit: no licence")}


def test_an_error_that_cannot_be_printed_is_a_failure() -> None:
    class Strange(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def c(point: dict[str, float]) -> float:
        raise Strange

    assert call(PythonProgram("c", ("c",), c, False), {"x": 1.0}).note == "Strange"


BAD_VALUES = [math.nan, math.inf, 1e151, 10**5000, None, "3.0", [1.0], np.array([1.0, 2.0]), True, np.True_, {}]


@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda value: type(value).__name__)
def test_what_is_not_a_finite_number_is_a_failure(value: object) -> None:
    outcome = call(PythonProgram("c", ("c",), lambda point: value, False), {"x": 1.0})
    assert outcome.values == {"c": None} and outcome.failed
    assert "c returned" in outcome.note and "finite number" in outcome.note


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2.0), np.array(2.0), np.array([2.0]), np.int64(2)])
def test_what_is_a_finite_number_is_taken(value: object) -> None:
    outcome = call(PythonProgram("c", ("c",), lambda point: value, False), {"x": 1.0})
    assert outcome.values == {"c": 2.0} and not outcome.failed and outcome.note == ""
    assert type(outcome.values["c"]) is float


def test_ten_failures_in_a_row_stop_the_run() -> None:
    calls = []

    def f(point: dict[str, float]) -> float:
        calls.append(point)
        raise RuntimeError("licence expired")

    study = toy.study(initial=12)
    with pytest.raises(
        taut.StudyError, match=r"'f'.*10 failed evaluations in a row.*RuntimeError: licence expired.*run again"
    ):
        study.run(toy.FUNCTIONS | {"f": f}, budget=100)  # although c and g succeed in between
    assert len(calls) == study.counts["f"] == 10
    study.run(toy.FUNCTIONS, budget=100)  # and it can go on
    assert study.spent > 90.0


def test_failures_of_a_group_are_counted_by_group() -> None:
    def broken(point: dict[str, float]) -> dict[str, float]:
        raise RuntimeError("no mesh")

    study = toy.study(initial=12, groups=True)
    with pytest.raises(taut.StudyError, match="'fg': stopped after 10 failed evaluations.*no mesh"):
        study.run({"fg": broken, "c": toy.FUNCTIONS["c"]}, budget=9)
    assert study.counts == {"f": 10, "g": 10, "c": 9}


def test_failures_of_different_functions_are_not_added_up() -> None:
    def broken(point: dict[str, float]) -> float:
        raise RuntimeError("no")

    study = toy.study(initial=0)
    study.run(dict.fromkeys("fcg", broken), budget=20)
    assert len(study.observations) > 10


def test_nine_failures_in_a_row_do_not() -> None:
    count = iter(range(1000))

    def sometimes(point: dict[str, float]) -> float:
        if next(count) % 10:
            raise RuntimeError("no")
        return 1.0

    study = toy.study(initial=0)
    study.run(toy.FUNCTIONS | {"f": sometimes}, budget=60)
    assert study.spent > 55.0 and study.counts["f"] > 10


# --- groups


def fg(point: dict[str, float]) -> dict[str, float]:
    return {"g": point["x2"], "f": point["x1"], "extra": 1.0}


def test_one_callable_for_a_group() -> None:
    study = toy.study(initial=2, groups=True)
    study.run({"fg": fg, "c": toy.FUNCTIONS["c"]}, budget=6)
    assert study.counts["f"] == study.counts["g"] >= 3
    assert all(row.value == row.point["x1"] for row in study.observations if row.function == "f")
    assert study.spent == 6.0


def test_one_callable_for_each_function_of_a_group() -> None:
    study = toy.study(initial=2, groups=True)
    study.run(toy.FUNCTIONS, budget=6)
    assert study.counts["f"] == study.counts["g"] >= 3 and study.spent == 6.0


def test_a_group_that_returns_less_fails_for_what_is_missing() -> None:
    study = toy.study(initial=1, groups=True)
    study.run({"fg": lambda point: {"f": 1.0, "g": math.nan}, "c": toy.FUNCTIONS["c"]}, budget=2.5)
    values = {row.function: row.value for row in study.observations if row.suggestion == 1}
    assert values["f"] == 1.0 and values["g"] is None
    outcome = call(PythonProgram("fg", ("f", "g"), lambda point: 3.0, True), {})
    assert outcome.values == {"f": None, "g": None} and "instead of a dict with 'f', 'g'" in outcome.note


def test_a_group_and_its_function_at_once_is_ambiguous() -> None:
    study = toy.study(groups=True)
    with pytest.raises(taut.StudyError, match="'fg'.*got both; drop 'fg' or 'f'"):
        study.run({"fg": fg, "f": abs, "c": abs}, budget=9)
    with pytest.raises(taut.UnknownNameError, match="No callable for 'g'"):
        study.run({"f": abs, "c": abs}, budget=9)
    assert study.suggestions == ()


# --- executors


def test_an_executor_keeps_its_workers_busy() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def f(point: dict[str, float]) -> float:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return point["x"]

    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=4)
    with ThreadPoolExecutor(3) as pool:
        study.run({"f": f}, budget=12, executor=pool)
    assert most == 3
    assert study.counts == {"f": 16} and study.spent == 12.0
    for suggestion in study.suggestions:
        assert study.replay(suggestion.number) == suggestion


def test_a_slow_evaluation_does_not_hold_up_the_others() -> None:
    release, lock = threading.Event(), threading.Lock()
    done: list[int] = []
    calls: list[float] = []

    def f(point: dict[str, float]) -> float:
        with lock:
            calls.append(point["x"])
            first = len(calls) == 1
        if first:
            assert release.wait(10)
        return point["x"]

    def callback(study: taut.Study, suggestion: taut.Suggestion) -> None:
        done.append(suggestion.number)
        if len(done) == 5:
            release.set()

    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=0)
    with ThreadPoolExecutor(2) as pool:
        study.run({"f": f}, budget=8, executor=pool, callback=callback)
    assert sorted(done) == list(range(1, 9))
    stuck = next(each.number for each in study.suggestions if each.point["x"] == calls[0])
    assert done.index(stuck) >= 5  # five others came and went in the meantime


def test_workers_limit_the_suggestions_in_flight() -> None:
    policy = toy.ToyPolicy()
    study = toy.study(initial=0, method=policy)
    with ThreadPoolExecutor(3) as pool:
        study.run(toy.FUNCTIONS, budget=9, executor=pool, workers=1)
    assert all(sum(len(p) for p in request.dataset.pending) == 0 for request in policy.requests)


def test_a_process_pool() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", goal="minimize"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=2)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        study.run({"f": toy.square}, budget=2, executor=pool)
        assert [row.value for row in study.observations] == [row.point["x"] ** 2 for row in study.observations]
        with pytest.raises(taut.StudyError, match="'f': the executor could not run it"):
            study.run({"f": lambda point: 1.0}, budget=4, executor=pool)
    assert study.counts == {"f": 4} and len(study.suggestions) == 5  # nothing was recorded as failed


def test_a_closed_executor() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    study = toy.study()
    with pytest.raises(taut.StudyError, match="the executor could not run it"):
        study.run(toy.FUNCTIONS, budget=4, executor=pool)
    assert study.observations == ()
    study.run(toy.FUNCTIONS, budget=4)
    assert study.counts["g"] >= 2


@pytest.mark.parametrize(
    ("submit", "words"), [(lambda *args: 3, "returned 3"), (lambda call: None, "takes 1 positional argument")]
)
def test_an_executor_of_another_kind(submit: Callable[..., object], words: str) -> None:
    class Other:
        pass

    other, study = Other(), toy.study()
    other.submit = submit  # type: ignore[attr-defined]
    with pytest.raises(taut.StudyError, match=f"the executor could not run it .*{words}"):
        study.run(toy.FUNCTIONS, budget=4, executor=other)  # type: ignore[arg-type]
    assert study.observations == ()


def test_two_runs_share_the_work() -> None:
    study = toy.study(initial=6)

    def work(executor: Executor | None) -> None:
        study.run(toy.FUNCTIONS, budget=10, executor=executor)

    threads = [threading.Thread(target=work, args=(None,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert total(study) == study.spent == 10.0
    assert len(study.observations) == sum(len(each.functions) for each in study.suggestions)


def test_a_second_run_leaves_alone_what_the_first_is_evaluating() -> None:
    study = toy.study(initial=0)
    inside, go_on = threading.Event(), threading.Event()

    def slow(point: dict[str, float]) -> float:
        inside.set()
        assert go_on.wait(10)
        return 77.0

    first = threading.Thread(target=study.run, args=(dict.fromkeys("fcg", slow), 1))
    first.start()
    assert inside.wait(10)
    study.run(toy.FUNCTIONS, budget=8)
    assert 1 not in [row.suggestion for row in study.observations]
    assert study.spent == 8.0 - study.suggestions[0].cost
    go_on.set()
    first.join(10)
    assert [row.value for row in study.observations if row.suggestion == 1] == [77.0]
