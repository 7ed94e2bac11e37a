"""Opening a stored study: with the same declaration, or with none."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest
import toy

import taut
from taut.storage.base import ConflictError
from taut.storage.memory import MemoryStorage

X, Y = taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)
C, D = taut.Constraint("c", at_most=0.0), taut.Constraint("d", at_most=0.0, cost=3.0)


def declare(**changes: object) -> taut.Problem:
    parts: dict[str, object] = {
        "parameters": [X, Y],
        "objective": taut.Objective("f"),
        "constraints": [C, taut.Constraint("d", at_most=0.0)],
        "groups": [taut.Group("cd", ("c", "d"), cost=2.0)],
    }
    return taut.Problem(**(parts | changes))  # type: ignore[arg-type]


CASES: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "bound": ({"parameters": [X, taut.Real("y", 0.0, 2.0)]}, {}, "parameters[1].high is 1.0 there and 2.0 here"),
    "name": ({"parameters": [X, taut.Real("z", 0.0, 1.0)]}, {}, "parameters[1].name is 'y' there and 'z' here"),
    "fewer": ({"groups": []}, {}, "groups is [{'name': 'cd', 'functions': ['c', 'd'], 'cost': 2.0}] there and [] here"),
    "goal": ({"objective": taut.Objective("f", cost=2.0)}, {}, "objective.cost is 1.0 there and 2.0 here"),
    "cost": ({"constraints": [C, D]}, {}, "constraints[1].cost is 1.0 there and 3.0 here"),
    "seed": ({}, {"seed": 6}, "seed is 5 there and 6 here"),
    "initial": ({}, {"initial": 3}, "initial is 6 there and 3 here"),
    "design": ({}, {"initial_design": "independent"}, "initial_design is 'coupled' there and 'independent' here"),
    "method": ({}, {"method": "cei"}, "method is 'dckg' there and 'cei' here"),
    "preset": ({}, {"preset": "paper"}, "preset is None there and 'paper' here"),
    "option": ({}, {"options": {"draws": 4}}, "options.draws is 8 there and 4 here"),
    "no option": ({}, {"options": {}}, "options.draws is 8 there and None here"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_difference_is_named(case: str) -> None:
    problem_change, settings_change, words = CASES[case]
    storage, settings = MemoryStorage(), {"seed": 5, "initial": 6, "options": {"draws": 8}}
    taut.Study(declare(), storage=storage, **settings)  # type: ignore[arg-type]
    taut.Study(declare(), storage=storage, **settings)  # type: ignore[arg-type]
    with pytest.raises(taut.StorageError, match="'memory' holds another study") as caught:
        taut.Study(declare(**problem_change), storage=storage, **(settings | settings_change))  # type: ignore[arg-type]
    assert f"in which {words}. Go on with that one by taut.Study.open(storage), or" in str(caught.value)


def stored_before_scales(storage: MemoryStorage) -> dict[str, object]:
    """A study as it was stored when parameters were linear unless declared otherwise, and objectives had no scale."""
    problem = declare(parameters=[taut.Real("x", 0.01, 100.0, log=False), Y]).to_dict()
    del problem["objective"]["scale"]
    settings: dict[str, object] = {"method": "random", "seed": 5, "initial": 6, "preset": None}
    storage.create(problem, settings | {"initial_design": "coupled", "options": {}})
    return {"method": "random", "seed": 5, "initial": 6}


def test_scales_that_are_left_open_are_those_of_the_stored_study() -> None:
    storage = MemoryStorage()
    settings = stored_before_scales(storage)
    left_open = declare(parameters=[taut.Real("x", 0.01, 100.0), Y])
    assert left_open.parameters[0].log and left_open.objective.scale is None
    for study in (taut.Study(left_open, storage=storage, **settings), taut.Study.open(storage)):  # type: ignore[arg-type]
        assert (study.problem.parameters[0].log, study.problem.objective.scale) == (False, "linear")


def test_other_declared_scales_are_another_study() -> None:
    storage = MemoryStorage()
    settings = stored_before_scales(storage)
    for change, words in (
        ({"parameters": [taut.Real("x", 0.01, 100.0, log=True), Y]}, "parameters[0].log is False there and True here"),
        (
            {
                "parameters": [taut.Real("x", 0.01, 100.0, log=False), Y],
                "objective": taut.Objective("f", scale="log"),
            },
            "objective.scale is 'linear' there and 'log' here",
        ),
    ):
        with pytest.raises(taut.StorageError) as caught:
            taut.Study(declare(**change), storage=storage, **settings)  # type: ignore[arg-type]
        assert words in str(caught.value)


def test_many_differences_are_not_all_named(path: Path) -> None:
    taut.Study(declare(), storage=path)
    with pytest.raises(taut.StorageError) as caught:
        taut.Study(toy.problem(), method="random", seed=4, storage=path)
    assert str(path) in str(caught.value)
    assert str(caught.value).count(" there and ") == 3 and "more). Go on" in str(caught.value)


def test_a_stored_study_opens_by_itself(path: Path) -> None:
    made = taut.Study(
        declare(), method="random", seed=5, initial=3, storage=path, initial_design="independent", preset="paper"
    )
    for _ in range(8):
        suggestion = made.ask()
        made.tell(suggestion, dict.fromkeys(suggestion.functions, 1.0))
    opened = taut.Study.open(path)
    assert (opened.problem, opened.method, opened.seed) == (made.problem, "random", 5)
    assert (opened.suggestions, opened.observations) == (made.suggestions, made.observations)
    assert [opened.replay(row.number) for row in opened.suggestions] == list(made.suggestions)
    assert taut.Study.open(str(path)).ask() == made.suggestions[-1]


def test_a_real_method_goes_on_where_it_was(path: Path) -> None:
    """dckg keeps hyperparameters in its memory; they come back to the last bit."""
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.3)])
    functions = {"f": lambda p: np.sin(5 * p["x"]), "c": lambda p: p["x"] ** 2}
    options = {"inner": 32, "raw": 16, "starts": 1, "search_raw": 64, "search_starts": 2}

    def play(study: taut.Study, asks: int) -> None:
        for _ in range(asks):
            suggestion = study.ask()
            study.tell(suggestion, {name: functions[name](suggestion.point) for name in suggestion.functions})

    straight = taut.Study(problem, initial=3, options=options)
    play(straight, 6)
    play(taut.Study(problem, initial=3, options=options, storage=path), 4)
    reopened = taut.Study.open(path)
    play(reopened, 2)
    assert reopened.suggestions == straight.suggestions
    assert reopened.recommend() == straight.recommend()


def test_a_method_object_is_given_again(path: Path) -> None:
    toy.play(toy.study(storage=path), 3)
    with pytest.raises(taut.StorageError, match=r"'dckg'.*got 'ToyPolicy'.*Study.open\(storage, method=...\)"):
        taut.Study.open(path)
    assert len(taut.Study.open(path, toy.ToyPolicy()).suggestions) == 3

    class OtherPolicy(toy.ToyPolicy):
        pass

    with pytest.raises(taut.StorageError, match="method is 'ToyPolicy' there and 'OtherPolicy' here"):
        taut.Study.open(path, OtherPolicy())


def test_a_study_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(taut.StorageError, match=r"expected a study in the storage .*x\.db.*got none"):
        taut.Study.open(tmp_path / "x.db")
    assert list(tmp_path.iterdir()) == []


class Late(MemoryStorage):
    """Somebody else declares the study, with seed 1, between the look and the leap."""

    def create(self, problem, settings):  # type: ignore[no-untyped-def]
        super().create(problem, dict(settings, seed=1))
        raise ConflictError("too late")


def test_of_two_that_declare_at_once_both_go_on() -> None:
    assert toy.study(seed=1, storage=Late()).ask().number == 1
    with pytest.raises(taut.StorageError, match="seed is 1 there and 2 here"):
        toy.study(seed=2, storage=Late())


def test_a_study_is_readable_without_taut(path: Path) -> None:
    study = toy.study(initial=1, storage=path)
    study.tell(study.ask(), {"f": 0.1, "c": None}, note=ValueError("diverged"))  # type: ignore[arg-type]
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT suggestion, function, value, note FROM observations ORDER BY id").fetchall()
    connection.close()
    assert found == [(1, "f", 0.1, '""'), (1, "c", None, '"diverged"')]


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
