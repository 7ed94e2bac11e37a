"""What the entropy methods say and do besides the common contract."""

import re

import numpy as np
import pytest

import taut
from taut import bench

FAST = {"raw": 24, "starts": 2, "search_raw": 128, "search_starts": 6, "paths": 5}


def played(method: str, steps: int, problem: str = "test_function_2", **settings: object) -> taut.Study:
    tested = bench.problem(problem)
    study = taut.Study(tested.problem, method=method, seed=1, initial=6, options={**FAST, **settings})
    for _ in range(6 + steps):
        suggestion = study.ask()
        study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
    return study


def test_clamps_appear_in_the_note() -> None:
    notes = [s.note for s in played("pesc", 4).suggestions[6:]]
    assert any(re.search(r"\d+ of \d+ values were negative and count as 0", note) for note in notes)


@pytest.mark.parametrize("method, single", [("pesc", True), ("pesc-coupled", False)])
def test_one_function_or_all(method: str, single: bool) -> None:
    for suggestion in played(method, 3).suggestions[6:]:
        assert len(suggestion.functions) == (1 if single else 4)


def test_sets_compete_in_max_value_search() -> None:
    """Complementary functions are bought together; with subsets="paper" only single ones or all uncertain ones."""
    assert any(len(s.functions) > 1 for s in played("cmes", 6).suggestions[6:])
    played("cmes", 2, subsets="paper")


@pytest.mark.parametrize("method", ["pesc", "cmes"])
def test_no_feasible_path_yet(method: str) -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("e", at_most=0.0)],
    )
    study = taut.Study(problem, method=method, seed=0, initial=0, options=FAST)
    for x in np.linspace(0.0, 1.0, 9):
        study.add({"x": float(x)}, {"f": float(x), "c": 50.0 + np.sin(3.0 * x), "e": -5.0 + x})
    suggestion = study.ask()
    assert suggestion.functions == ("c",) or method == "cmes"
    words = "no sample path has a feasible point" if method == "pesc" else "have no feasible point|no feasible region"
    assert re.search(words, suggestion.note)
