"""Failures that are tried again, and values that were mistyped."""

import re
import threading
from collections.abc import Callable

import pytest
import toy

import taut
from taut.data import ledger
from taut.study import amendments
from taut.study.programs import PythonProgram
from taut.study.worker import Plan, RunListener


def failing(place: str | None = None) -> taut.Study:
    """Suggestions 1 and 2 are told, with two failures; 3 is told; 4 is pending."""
    study = toy.study(initial=4, storage=place)
    study.tell(study.ask(), {"f": None, "c": 1.0, "g": 2.0}, note="diverged")
    study.tell(study.ask(), {"f": 1.0, "c": None, "g": 2.0})
    study.tell(study.ask(), {"f": 1.5, "c": 1.0, "g": 2.0})
    study.ask()
    return study


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        ((), [(1, "f"), (2, "c")]),
        ((1,), [(1, "f")]),
        ((None, "c"), [(2, "c")]),
        ((2, "c"), [(2, "c")]),
        ((2, "f"), []),
        ((3,), []),
    ],
)
def test_failures_are_opened_again(words: tuple, opened: list[tuple[int, str]], place: str) -> None:  # type: ignore[type-arg]
    study = failing(place)
    before = study.observations
    assert study.retry(*words) == opened
    assert study.observations[: len(before)] == before  # nothing is changed
    for again in (study, taut.Study.open(place, toy.ToyPolicy())):
        assert sum(again.counts.values()) == 9 - len(opened)
        missing = {row.number: again.history.missing(row) for row in again.history.open.values()}
        assert {(n, name) for n, names in missing.items() if n < 4 for name in names} == set(opened)
    assert study.retry(*words) == []
    for number, name in opened:
        study.tell(number, {name: 7.0})
        study.tell(number, {name: 7.0})  # harmless
        with pytest.raises(taut.ValueRefusedError, match="already has the value 7.0"):
            study.tell(number, {name: 8.0})
    assert study.counts == {"f": 3, "c": 3, "g": 3}


def test_a_suggestion_itself_and_a_group_by_its_name() -> None:
    study = toy.study(initial=2, groups=True)
    first, second = study.ask(), study.ask()
    study.tell(first, {"f": None, "g": None, "c": None})
    study.tell(second, {"f": 1.0, "g": None, "c": None})
    assert study.retry(first, "fg") == [(1, "f"), (1, "g")] and study.retry(name="fg") == [(2, "g")]
    assert study.retry(first) == [(1, "c")]
    with pytest.raises(taut.UnknownNameError, match="'fg'.*got 'fgh'; the closest is 'fg'"):
        study.retry(name="fgh")


def test_what_is_opened_again_counts_no_more_and_is_evaluated_by_the_next_run() -> None:
    study = failing()
    assert [len(points) for points in study.history.moment().dataset.failed] == [1, 1, 0]
    study.retry()
    data = study.history.moment().dataset
    assert [len(points) for points in data.failed] == [0, 0, 0]
    assert [len(points) for points in data.pending] == [2, 2, 1]
    study.run(toy.FUNCTIONS, budget=0.5)
    assert all(row.value is not None for row in ledger.answers(study.observations).values())
    assert study.retry() == []


def test_it_may_fail_and_be_tried_again_and_again() -> None:
    study = failing()
    for _ in range(3):
        assert (1, "f") in study.retry(1)
        study.tell(1, {"f": None}, note="again")
    study.retry(1)
    study.tell(1, {"f": 3.0})
    assert study.history.answers[1, "f"].value == 3.0
    assert len([row for row in study.observations if row.suggestion == 1 and row.function == "f"]) == 9


def test_a_run_at_work_takes_what_is_opened_again(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    study.tell(study.ask(), {"f": None, "c": 1.0, "g": 1.0})
    done = threading.Event()

    class Retrying(RunListener):
        def started(self, job: object) -> None:
            if not done.is_set():
                done.set()
                assert taut.Study.open(place, toy.ToyPolicy()).retry() == [(1, "f")]

    programs = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]
    assert study.work(programs, 4, plan=Plan(listener=Retrying(), patient=True))
    assert study.history.answers[1, "f"].value is not None


def test_a_correction_takes_the_place_of_a_value(place: str) -> None:
    study = failing(place)
    before = study.observations
    assert study.correct(3, {"f": 2.5, "c": 1.0}) == ["f"]  # the other is known already
    assert study.correct(3, {"f": 2.5}) == []
    assert study.correct(1, {"f": 4.0}) == ["f"]  # was told as a failure
    assert study.correct(3, {"g": None}) == ["g"]
    assert study.observations[: len(before)] == before
    last = study.observations[-1]
    assert (last.replaces, last.withdrawn, last.value) == (9, False, None)
    assert re.fullmatch(r".+, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", last.who)
    for again in (study, taut.Study.open(place, toy.ToyPolicy())):
        answers = again.history.answers
        assert (answers[3, "f"].value, answers[1, "f"].value, answers[3, "g"].value) == (2.5, 4.0, None)
        assert again.counts == {"f": 3, "c": 3, "g": 3}
    assert study.correct(3, {"f": 1.5}) == ["f"]  # and back


def test_decisions_made_before_are_computed_again_as_they_were(place: str) -> None:
    study = toy.study(initial=2, storage=place)
    toy.play(study, 5)
    numbers = [row.suggestion for row in study.observations if row.function == "f"]
    study.correct(numbers[0], {"f": -9.0})
    toy.play(study, 3)
    study.tell(study.ask(), {study.suggestions[-1].functions[0]: None})
    study.retry()
    toy.play(study, 2)
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda study: study.correct(4, {"f": 1.0}), "Suggestion 4: expected functions with a value.*'f'.*taut tell"),
        (lambda study: study.correct(9, {"f": 1.0}), "Suggestion 9 is unknown"),
        (lambda study: study.correct(1, {"h": 1.0}), "'h'"),
        (lambda study: study.correct(1, {}), "at least one"),
        (lambda study: study.correct(1, {"f": float("nan")}), "finite"),
        (lambda study: study.retry(9), "Suggestion 9 is unknown"),
        (lambda study: study.retry(name="h"), "'h'"),
    ],
)
def test_what_cannot_be_amended(call: Callable[[taut.Study], object], message: str) -> None:
    study = failing()
    before = study.observations
    with pytest.raises(taut.TautError, match=message):
        call(study)
    assert study.observations == before


def test_an_author_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise KeyError("uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", unknown)
    assert amendments.author().startswith("somebody, ")


def test_a_corrected_value_took_as_long_as_before(place: str) -> None:
    study = toy.study(initial=1, storage=place)
    study.tell(study.ask(), {"f": 1.0, "c": 1.0, "g": 2.0}, seconds={"f": 12.5})
    study.correct(1, {"f": 3.0})
    assert [row.seconds for row in study.observations] == [12.5, None, None, 12.5]
