"""Beliefs at many points in the user's units."""

import numpy as np
import pytest

import taut
from taut.data.survey import Survey, in_user_units


def test_signs_and_limits_are_turned_round() -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", goal="minimize"),
        [taut.Constraint("c", at_least=3.0), taut.Constraint("d", at_least=1.0, at_most=3.0)],
    )
    inner = Survey(np.array([[-2.0, 1.0, 0.5]]), np.ones((1, 3)), np.ones((1, 3)), np.array([0.25]))
    found = in_user_units(problem, inner)
    assert found.mean[0] == pytest.approx([2.0, 2.0, 2.5])
    assert found.sd is inner.sd and found.feasibility is inner.feasibility
    assert inner.mean[0, 0] == -2.0, "what was given stays as it is"
    assert found.part(slice(0, 0)).mean.shape == (0, 3)
