"""What is said about many points is what is said about each."""

import math

import numpy as np
import pytest
from states import context, state

import taut
from taut.base.blocks import SURVEYED
from taut.base.quasirandom import sobol
from taut.policy.belief import belief
from taut.policy.context import Context
from taut.policy.survey import survey

X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def mixed(failures: bool) -> Context:
    """A two-sided, a noisy and a wide-ranging constraint, and perhaps failures with two causes."""
    constraints = [
        taut.Constraint("z", at_least=-0.2, at_most=0.4),
        taut.Constraint("a", at_most=0.5, noise="learned"),
        taut.Constraint("m", at_least=10.0),
    ]
    problem = taut.Problem(X, taut.Objective("f", goal="minimize"), constraints)
    rows: list[tuple[str, dict[str, float], float | None]] = []
    for i, (x, y) in enumerate(sobol(14, 2, np.random.default_rng(5))):
        point = {"x": float(x), "y": float(y)}
        rows += [("f", point, x * y), ("z", point, math.sin(5.0 * x))]
        rows.append(("a", point, None if failures and x > 0.7 else y + 0.01 * (-1) ** i))
        rows.append(("m", point, None if failures and y < 0.2 else math.exp(9.0 * x)))
    return context(state(problem, rows), precise=True)


@pytest.mark.parametrize("failures", [False, True])
def test_the_same_as_one_by_one(failures: bool) -> None:
    made = mixed(failures)
    known = np.vstack([made.dataset.X[0][:3], *(failed[:2] for failed in made.dataset.failed)])
    points = np.vstack([known, sobol(9, 2, np.random.default_rng(1))])
    found = survey(made, points)
    for i, x in enumerate(points):
        one = belief(made, x, recommended=False)
        assert found.mean[i] == pytest.approx(one.mean, rel=1e-9, abs=1e-12)
        assert found.sd[i] ** 2 == pytest.approx(one.sd**2, rel=1e-6, abs=1e-11)  # of values known exactly: rounding
        assert found.probability[i] == pytest.approx(one.probability, abs=1e-9)
        assert found.feasibility[i] == pytest.approx(one.feasibility, abs=1e-9)
    assert 0.0 in found.probability and 1.0 in found.probability[:, 1:], "measured without noise: known"


def test_blocks_and_no_points_at_all() -> None:
    made = mixed(False)
    many = sobol(SURVEYED + 3, 2, np.random.default_rng(2))
    found = survey(made, many)
    assert found.mean.shape == (SURVEYED + 3, 4) and np.isfinite(found.mean).all()
    assert found.part(slice(2, 5)).feasibility == pytest.approx(survey(made, many[2:5]).feasibility)
    assert survey(made, np.empty((0, 2))).mean.shape == (0, 4)


def test_a_study_says_it_in_the_users_units() -> None:
    problem = taut.Problem(
        [taut.Real("x", 2.0, 4.0)], taut.Objective("f", goal="minimize"), [taut.Constraint("c", at_least=3)]
    )
    study = taut.Study(problem)
    for x in (2.0, 3.0, 4.0):
        study.add({"x": x}, {"f": 10.0 * x, "c": x})
    found = study.survey(np.array([[0.0], [0.5]]))
    assert found is not None
    assert found.mean == pytest.approx(np.array([[20.0, 2.0], [30.0, 3.0]]), abs=1e-3)
    assert found.probability == pytest.approx(np.array([[1.0, 0.0], [1.0, 1.0]]))
    told = study.predict({"x": 2.7})
    there = study.survey(np.array([[0.35]]))
    assert there is not None
    assert there.mean[0] == pytest.approx([told["f"][0], told["c"][0]])
    assert there.sd[0] == pytest.approx([told["f"][1], told["c"][1]])
