"""Convergence: costs and values against a slow and obvious computation."""

import numpy as np
import pytest
from shown import known

import taut
from taut.data import ledger
from taut.data.history import History
from taut.plot import data
from taut.plot.progress import MOST, measured_steps, recommended


def test_the_best_measured_design_step_by_step() -> None:
    """The same as asking for the incumbent and the spent cost after every row."""
    study = known()
    history, rows = study.history, study.history.observations
    steps = measured_steps(study.problem, history)
    slow: list[tuple[float, float]] = []
    for count in range(1, len(rows) + 1):
        then = History(study.problem)
        then.extend(history.suggestions, rows[:count])
        best = then.designs.incumbent()
        if best is not None and (not slow or slow[-1][1] != best.objective):
            slow.append((ledger.spent(study.problem, history.suggestions, rows[:count]), best.objective))
    assert steps.cost == pytest.approx([cost for cost, _ in slow])
    assert steps.objective.tolist() == [objective for _, objective in slow]
    assert len(steps.number) == len(slow) > 0


def test_what_was_recommended_is_judged_by_what_is_known_now() -> None:
    study = known()
    found = data.convergence(study)
    later = [row for row in study.suggestions if not row.initial]
    assert len(found.cost) == len(later) + 1, "one with every suggestion, and the present one"
    assert found.cost[-1] == found.spent == study.spent and (np.diff(found.cost) >= 0.0).all()
    best = study.recommend()
    assert found.objective[-1] == pytest.approx(best.objective[0], rel=1e-6)
    assert found.feasibility[-1] == pytest.approx(best.feasibility, abs=1e-6)
    u = later[0].memory["best"]
    then = study.predict({p.name: p.from_unit(v) for p, v in zip(study.problem.parameters, u, strict=True)})
    assert found.objective[0] == pytest.approx(then.objective[0], rel=1e-6)


def test_nothing_and_very_much() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    empty = data.convergence(taut.Study(problem))
    assert len(empty.cost) == len(empty.measured.cost) == 0 and empty.spent == 0.0
    history = History(problem)
    rows = [taut.Suggestion(i, {"x": 0.5}, ("f",), 1.0, memory={"best": [0.5]}) for i in range(1, 5000)]
    history.extend([*rows, taut.Suggestion(5000, {"x": 0.5}, ("f",), 1.0, memory={"best": "else"})], [])
    found = recommended(problem, history, None)
    assert found.points.shape == (MOST, 1)
    assert found.cost.max() == 0.0, "nothing is paid yet"
