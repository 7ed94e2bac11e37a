"""Known functions in inner form."""

import numpy as np
import pytest

import taut
from taut.data.bend import STRAIGHT
from taut.data.dataset import views
from taut.data.known import KNOWN


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
    lowest, size = known.merit()
    best = -np.exp(20.0 * np.linspace(0.0, 0.1, 1000))
    assert size == pytest.approx(float(best.std()), rel=0.2) and known.spread[1] > 1e6 * size
    assert lowest == pytest.approx(-np.exp(20.0), rel=0.2)


def test_decisions_see_worse_designs_by_their_logarithm() -> None:
    """Straight at the last recommendation and beyond; an order of magnitude worse is one step, not nine."""
    problem = taut.Problem([taut.Real("a", 0.0, 1.0)], taut.Objective("f", goal="minimize", formula="exp(20 * a)"))
    known = views(problem)[0].known
    assert known is not None
    last, X = np.array([[0.2]]), np.array([[0.2], [0.3], [0.6], [0.9], [1.0]])
    assert known.contended(X, last[:0]) == STRAIGHT == known.contended(last, last)  # nothing to go by
    bend = known.contended(X, last)
    gap = np.exp(20.0 * X[1:, 0]) - np.exp(4.0)
    assert bend.pivot == pytest.approx(-np.exp(4.0)) and bend.size == pytest.approx(np.quantile(gap, KNOWN.near))
    better, at, worse = (float(bend.of(known(np.array([[a]]))[0])[0]) for a in (0.1, 0.2, 1.0))
    assert at == 0.0 and better == pytest.approx((np.exp(4.0) - np.exp(2.0)) / bend.size)
    assert worse == pytest.approx(-np.log1p(gap[-1] / bend.size)) and worse > -10.0
    assert known.contended(X[:1] + 1e-9, last).size == KNOWN.least * known.merit()[1]  # not a sliver next to it
    assert known.merit(bend)[0] == pytest.approx(worse, rel=0.01)


def test_a_formula_may_vanish_below_the_smallest_float() -> None:
    formula = taut.Objective("f", goal="minimize", formula="(10 * x) ** 200 + 0 * y")
    problem = taut.Problem([taut.Real(name, -1, 1) for name in "xy"], formula, [taut.Constraint("c", at_most=0.0)])
    study = taut.Study(problem, seed=0, initial=4)
    best = study.run({"c": lambda point: point["x"] + point["y"] - 0.5}, budget=4)
    assert best.verified and best.objective[0] < 1.0
