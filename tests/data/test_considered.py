"""What was considered for a decision, as it is kept and as it is shown."""

import json

import numpy as np
import pytest
import toy

import taut
from taut.data.considered import CONSIDERED, considered, kept

PROBLEM = toy.problem()


def suggestion(*rows: object) -> taut.Suggestion:
    return taut.Suggestion(7, {"x1": 1.0, "x2": 1.0}, ("f",), 1.0, memory={CONSIDERED: json.loads(json.dumps(rows))})


def test_kept_and_shown_again_in_the_users_units() -> None:
    first = kept(PROBLEM, ["c", "f"], np.array([0.123456789, 0.5]), 0.25, 1.5, True)
    second = kept(PROBLEM, ["g"], np.array([1.0, 0.0]), 1.0 / 3.0, 3.0, False)
    one, two = considered(PROBLEM, suggestion(first, second))
    assert one.functions == ("f", "c") and one.point == {"x1": 0.6172839, "x2": 1.0}  # seven digits
    assert (one.value, one.cost, one.value_per_cost) == (0.25, 1.5, 0.25 / 1.5)
    assert (one.chosen, one.precise, two.chosen, two.precise) == (True, True, False, False)
    assert two.value == 0.3333333 and two.point == {"x1": 5.0, "x2": 0.01}


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan, -1.0])
def test_what_was_given_no_value_has_none(value: float) -> None:
    (row,) = considered(PROBLEM, suggestion(kept(PROBLEM, ["f"], np.zeros(2), value, 1.0, True)))
    assert row.value is None and row.value_per_cost is None


def test_older_suggestions_have_nothing() -> None:
    assert considered(PROBLEM, taut.Suggestion(1, {}, ("f",), 1.0)) == ()


def test_a_study_tells_what_each_decision_considered(tmp_path: object) -> None:
    made = taut.bench.problem("mystery")
    study = taut.Study(made.problem, seed=1, storage=f"{tmp_path}/s.db", options={"search_raw": 64, "search_starts": 2})
    study.run(made.functions, budget=2, verify=False)
    last = study.suggestions[-1]
    rows = taut.Study.open(f"{tmp_path}/s.db").decision(last.number)
    assert [row.chosen for row in rows] == [True] + [False] * (len(rows) - 1) and len(rows) >= 2
    whole = tuple(last.memory.get("whole", last.functions))
    assert set(rows[0].functions) == set(whole) and rows[0].point == pytest.approx(last.point, rel=1e-6)
    assert f"value per cost {rows[0].value_per_cost:.3g}" in last.note
    assert len({row.functions for row in rows}) == len(rows)
    precise = [row.value_per_cost for row in rows if row.precise]
    assert precise == sorted(precise, reverse=True)
    assert study.decision(1) == ()  # of the initial design
    assert study.replay(last.number).memory == last.memory
