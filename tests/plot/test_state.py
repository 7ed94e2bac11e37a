"""What is known without a model."""

import pytest
from shown import bracket, known, known_facts

from taut.plot.state import distances


def test_where_a_study_stands() -> None:
    study = known()
    found = known_facts(study, 80.0)
    assert (found.suggestions, found.chosen, found.spent) == (10, 4, study.spent)
    assert found.values == sum(row.value is not None for row in study.observations)
    assert found.failures == 1 and found.failed[0].function == "sag" and found.failed[0].point["width"] == 8.0
    assert found.latest[0].function in ("sag", "stress") and found.incumbent == study.incumbent()
    asked = study.suggestions[-1]
    assert [each.function for each in found.running] == list(asked.functions)
    assert found.running[0].living and found.running[0].who == "process 4711 on node7"
    assert found.pending_cost == asked.cost


def test_nothing_yet() -> None:
    found = known_facts(bracket())
    assert (found.values, found.suggestions, found.latest, found.incumbent) == (0, 0, (), None)


def test_distances_from_limits() -> None:
    problem = known().problem
    assert distances(problem, "stress", [100.0, 160.0]).tolist() == [50.0, 10.0]
    assert distances(problem, "sag", [0.5, 1.9, 5.0]) == pytest.approx([0.5, 0.1, 3.0])
