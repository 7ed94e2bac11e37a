"""What the models say, gathered at once, is what each question says."""

import numpy as np
import pytest
from shown import bowl, bracket, known, known_beliefs

import taut
from taut.plot import gather


def test_the_same_as_single_questions() -> None:
    study, found = known(), known_beliefs()
    assert found.best == study.recommend()
    assert [row.verdict for row in found.relevance] == [row.verdict for row in study.relevance()]
    assert list(found.checks) == study.check()
    assert found.values == len(study.observations)
    assert bool(found.unverified) is not found.best.verified
    assert found.outlook is not None and found.outlook.left == study.outlook(40.0).left


def test_without_a_value_there_is_nothing_to_say() -> None:
    assert gather.beliefs(bracket()) is None


def test_one_survey_is_split_into_its_parts() -> None:
    parts = [np.array([[0.1, 0.2]]), np.empty((0, 2)), np.array([[0.3, 0.4], [0.5, 0.6]])]
    found = gather.surveys(known(), parts)
    assert [len(each.feasibility) for each in found] == [1, 0, 2]
    again = gather.surveys(known(), parts[2:])[0]
    assert found[2].mean == pytest.approx(again.mean, rel=1e-9)


def test_of_many_parameters_the_planes_that_matter() -> None:
    problem = taut.Problem([taut.Real(f"x{i}", 0.0, 1.0) for i in range(5)], taut.Objective("f"))
    study = taut.Study(problem, method="random", initial=8)
    for _ in range(8):
        asked = study.ask()
        study.tell(asked, {"f": bowl({name: asked.point[name] for name in ("x1", "x3")})})
    found = gather.beliefs(study)
    assert found is not None and len(found.planes) == 6 and len(found.slices) == 5
    assert (found.planes[0].first, found.planes[0].second) == ("x1", "x3")
