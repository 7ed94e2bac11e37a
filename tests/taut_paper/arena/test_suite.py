"""COCO's suite as test problems: names, numbers of constraints, best values, strict feasibility, the feasible start."""

import math
from pathlib import Path

import fake_coco
import numpy as np
import pytest

from taut.base.errors import TautError, UnknownNameError
from taut_paper.arena import suite
from taut_paper.arena.plan import places, repetition
from taut_paper.arena.suite import Place, any_problem, given, place, suite_problem
from taut_paper.repetition import repeat

SECOND = Place(2, 2, 1)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch):
    fake_coco.install(monkeypatch)
    yield
    suite.opened.cache_clear()


@pytest.mark.parametrize(
    ("d", "counts"), [(2, (1, 3, 9, 10, 12, 18)), (5, (1, 3, 9, 12, 16, 31)), (10, (1, 3, 9, 16, 24, 54))]
)
def test_numbers_of_constraints(d: int, counts: tuple[int, ...]) -> None:
    assert tuple(Place(function, d, 1).constraints for function in range(1, 7)) == counts
    assert Place(54, d, 1).constraints == counts[-1]


def test_names_are_those_of_the_suite() -> None:
    assert Place(7, 10, 2).name == "bbob-constrained_f007_i02_d10"
    assert place("bbob-constrained_f007_i02_d10") == Place(7, 10, 2)
    with pytest.raises(UnknownNameError, match="bbob-constrained_f001_i01_d02"):
        place("bbob-constrained_7")


def test_without_coco_a_sentence_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "find_spec", lambda name: None)
    with pytest.raises(TautError, match=r"coco-experiment.*pip install 'taut\[arena\]'"):
        suite.require()


def test_a_problem_can_be_read_without_coco() -> None:
    bench = suite_problem(SECOND)
    assert bench.problem.functions == ("f", "c1", "c2", "c3") and bench.problem.objective.goal == "minimize"
    assert suite_problem(Place(1, 2, 1)).problem.functions == ("f", "c")
    assert [(p.low, p.high) for p in bench.problem.parameters] == [(-5.0, 5.0)] * 2
    assert any_problem("mystery", {"c": 5.0}).problem.cost(("c",)) == 5.0 and given(any_problem("mystery", {})) == []


def test_an_optimum_that_is_not_known_names_the_way_out() -> None:
    with pytest.raises(UnknownNameError, match="optima --dimensions 40 --instances 7"):
        suite.optimum(Place(1, 40, 7))


def test_best_values_were_confirmed_by_searches() -> None:
    known = suite.optima()
    for d, instances in (("2", "1-5"), ("5", "1-5"), ("10", "1-2")):
        assert all(where.name in known for where in places(dimensions=d, instances=instances))
    assert all(below <= 1e-4 and 0 <= hits <= starts for _, below, hits, starts in known.values())
    assert sum(hits > 0 for _, _, hits, _ in known.values()) > 0.8 * len(known)


def test_feasible_is_exact_and_the_precision_is_scored(fake: None) -> None:
    bench = suite_problem(SECOND)
    assert bench.start() == {"x1": 4.0, "x2": 4.0} and given(bench) == [bench.start()]
    assert bench.opportunity_cost({"x1": 1.0, "x2": 2.0}) == 0.0
    assert bench.opportunity_cost({"x1": 2.0, "x2": 2.0}) == pytest.approx(3.0)
    assert bench.opportunity_cost({"x1": 1.0 - 1e-12, "x2": 2.0}) == math.inf
    assert bench.is_feasible({"x1": 1.0 - 1e-12, "x2": 2.0}, tolerance=1e-9)
    assert bench.evaluate({"x1": 0.0, "x2": 0.0}) == {"f": 0.0, "c1": 1.0, "c2": 2.0, "c3": -100.0}


def test_a_run_begins_with_the_start_and_a_smaller_design(fake: None, tmp_path: Path) -> None:
    steps = repeat(repetition(SECOND, "cei+", 0, budget=6.0))
    assert steps[0].spent == 0.0 and steps[-1].spent == 6.0
    assert suite.opened(SECOND).calls >= 6
    assert steps[0].oc <= 32.0 - fake_coco.BEST + 1e-9  # the feasible start is known, so no answer is worse


def test_the_suite_itself() -> None:
    pytest.importorskip("cocoex")
    suite.opened.cache_clear()
    for where in (Place(1, 2, 1), Place(12, 5, 2), Place(54, 10, 1)):
        problem = suite.opened(where)
        assert problem.id == where.name and problem.number_of_constraints == where.constraints
        assert (problem.constraint(problem.initial_solution) <= 0.0).all()
        assert problem(problem.initial_solution) >= suite.optimum(where)
        assert np.allclose([problem.lower_bounds, problem.upper_bounds], [[-5.0], [5.0]])
