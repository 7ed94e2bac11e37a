"""Spending agrees with the books of the study."""

import pytest
from shown import known

import taut
from taut.plot import data


def test_it_agrees_with_the_books() -> None:
    study = known()
    found = data.spending(study)
    assert sum(row.spent for row in found.rows) == pytest.approx(found.spent) == study.spent
    assert sum(row.coupled for row in found.rows) == pytest.approx(found.coupled)
    assert {row.function: row.initial + row.chosen for row in found.rows} == study.counts
    relevance = {row.constraint: row for row in study.relevance()}
    for row in found.rows[1:]:
        assert (row.spent, row.coupled) == (relevance[row.function].cost, relevance[row.function].coupled_cost)
    assert [row.added for row in found.rows] == [0, 1, 1] and found.rows[2].failed == 0
    assert found.cost[-1] == study.spent
    assert found.evaluations[-1].tolist() == list(study.counts.values())


def test_a_group_is_shared() -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f"),
        [taut.Constraint("c", at_most=0.0)],
        [taut.Group("both", ("f", "c"), 6.0)],
    )
    study = taut.Study(problem, method="random", initial=0)
    study.add({"x": 0.1}, {"f": 1.0})
    study.tell(study.ask(), {"f": 1.0, "c": 1.0})
    study.tell(study.ask(), {"f": 1.0})
    found = data.spending(study)
    assert [row.spent for row in found.rows] == [6.0, 6.0]
    assert (found.spent, found.coupled, found.locations) == (12.0, 12.0, 2)


def test_nothing_yet() -> None:
    found = data.spending(taut.Study(taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))))
    assert found.coupled == found.spent == 0.0 and found.evaluations.tolist() == [[0.0]]
