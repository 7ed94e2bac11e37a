"""Known functions in inner form."""

import numpy as np
import pytest

import taut
from taut.data.dataset import views


def test_inner_form_of_known_functions() -> None:
    problem = taut.Problem(
        [taut.Real("a", 0.0, 2.0)],
        taut.Objective("f", goal="minimize", formula="3 * a"),
        [taut.Constraint("g", at_least=1.0, formula="a ** 2"), taut.Constraint("s", at_most=0.0)],
    )
    f, g, s = views(problem)
    assert s.known is None and f.known is not None and g.known is not None
    x = np.array([[0.25], [1.0]])
    assert f.known(x)[0].tolist() == [-1.5, -6.0] and f.known(x)[1].tolist() == [[-6.0], [-6.0]]
    assert g.known.values(x).tolist() == [0.75, -3.0]  # met where <= 0
    middle, size = f.known.spread
    assert middle == pytest.approx(-4.5, abs=0.6)  # where g holds, from a = 1
    assert size == pytest.approx(3.0 / np.sqrt(12.0), rel=0.3)
    assert views(problem)[0].known is f.known


def test_the_scale_of_an_objective_is_that_of_its_best_values() -> None:
    """Most of its values are a million times as large as all that there is to decide."""
    problem = taut.Problem([taut.Real("a", 0.0, 1.0)], taut.Objective("f", goal="minimize", formula="exp(20 * a)"))
    known = views(problem)[0].known
    assert known is not None
    lowest, size = known.merit
    best = -np.exp(20.0 * np.linspace(0.0, 0.1, 1000))
    assert size == pytest.approx(float(best.std()), rel=0.2) and known.spread[1] > 1e6 * size
    assert lowest == pytest.approx(-np.exp(20.0), rel=0.2)
