"""Decisions: what was compared, and what came of it."""

from shown import known

import taut
from taut.plot import data


def test_the_latest_decisions_newest_first() -> None:
    study = known()
    found = data.decisions(study, 4)
    assert [each.number for each in found] == [10, 9, 8, 7]
    assert found[0].outcome == {}, "still open"
    for each in found:
        best, second = each.chosen, each.runner_up
        assert best is not None and best.value_per_cost
        assert second is None or (second.value_per_cost or 0.0) <= best.value_per_cost * (1.0 + 1e-6)
        assert set(each.functions) <= set(best.functions)
        assert each.purpose == "" and not each.initial
    assert found[1].outcome == {row.function: row.value for row in study.observations if row.suggestion == 9}


def test_of_the_initial_design_nothing_was_compared() -> None:
    first = data.decisions(known(), 100)[-1]
    assert first.number == 1 and first.purpose == "initial design"
    assert first.candidates == () and first.chosen is None and first.runner_up is None


def test_verification_is_named() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.5)])
    study = taut.Study(problem, initial=4)
    study.run({"f": lambda p: p["x"], "c": lambda p: p["x"]}, budget=4.0)
    assert "verification" in {each.purpose for each in data.decisions(study)}
