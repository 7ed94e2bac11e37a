"""What all methods share: prices, recommendation, relevance."""

import numpy as np
import pytest
from states import everywhere, known, under_way

import taut
from taut.base.quasirandom import sobol
from taut.policy import METHODS, make

FAST = {"inner": 48, "raw": 24, "starts": 2, "search_raw": 96, "search_starts": 6}
X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def test_least_cost() -> None:
    """Whoever evaluates everything needs the price of everything."""
    priced = taut.Problem(X, taut.Objective("f", cost=2.0), [taut.Constraint("c", at_most=0.0, cost=0.5)])
    coupled = {"ckg", "cei", "pesc-coupled"}
    assert {name: make(name).least_cost(priced) for name in METHODS} == {
        name: 2.5 if name in coupled else 0.5 for name in METHODS
    }


@pytest.mark.parametrize("method", [name for name in METHODS if name != "random"])
def test_methods_differ_in_what_they_ask_and_not_in_what_they_recommend(method: str) -> None:
    request = known("mystery", 12)
    policies = make(method, options=FAST), make("random", options=FAST)
    one, two = (policy.recommend(request, np.random.default_rng(5)) for policy in policies)
    assert np.array_equal(one.point, two.point) and one.feasibility == two.feasibility


def test_work_under_way_changes_no_answer() -> None:
    request, policy = known("mystery", 12), make("dckg", options=FAST)
    pending = under_way(request, "c", [0.3, 0.8])
    one, two = (policy.recommend(each, np.random.default_rng(5)) for each in (request, pending))
    assert np.array_equal(one.point, two.point) and np.array_equal(one.mean, two.mean)
    assert policy.relevance(request, np.random.default_rng(5)) == policy.relevance(pending, np.random.default_rng(5))


def test_constraints_are_judged_in_declared_order_and_nothing_feasible_is_not_called_irrelevant() -> None:
    """Both constraints forbid everything: they are the whole problem."""
    doomed = taut.Problem(
        X, taut.Objective("f"), [taut.Constraint("d", at_least=10.0), taut.Constraint("c", at_most=0.0)]
    )
    values = {"f": lambda q: 1.0, "c": lambda q: 1.0 + q["x"] ** 2, "d": lambda q: q["y"]}
    request = everywhere(doomed, values, sobol(9, 2, np.random.default_rng(0)))
    judged = make("dckg", options=FAST).relevance(request, np.random.default_rng(0))
    assert [(row.constraint, row.verdict) for row in judged] == [("d", "undecided"), ("c", "undecided")]
