"""Where a study may go, and where it begins."""

import numpy as np
import pytest

import taut
from taut.problem.design import domain, initial_design
from taut.problem.space import from_unit


def problem(*known: taut.Constraint) -> taut.Problem:
    return taut.Problem(
        [taut.Real("a", 0.0, 1.0), taut.Real("b", 0.0, 1.0)],
        taut.Objective("f", formula="a - b"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("e", at_most=0.0, cost=2.0), *known],
    )


SLIVER = taut.Constraint("thin", at_least=0.5, at_most=0.5001, formula="a * b + a")


@pytest.mark.parametrize("kind", ["coupled", "independent"])
def test_the_initial_design_asks_for_nothing_that_is_known_and_keeps_known_limits(kind: str) -> None:
    declared = problem(SLIVER)
    design = initial_design(declared, kind, 6, 0)  # type: ignore[arg-type]
    assert len(design) == (6 if kind == "coupled" else 12)
    for u, functions in design:
        point = from_unit(declared, u)
        assert 0.5 <= point["a"] * point["b"] + point["a"] <= 0.5001
        assert set(functions) <= {"c", "e"}
    points = np.array([u for u, _ in design])
    assert np.ptp(points[:, 1]) > 0.5


def test_one_domain_for_one_problem() -> None:
    assert domain(problem(SLIVER)) is domain(problem(SLIVER))  # what was found inside is kept
    assert domain(taut.Problem([taut.Real("a", 0, 1)], taut.Objective("f"))).plain


def test_where_everything_is_known_there_is_no_design() -> None:
    declared = taut.Problem([taut.Real("a", 0, 1)], taut.Objective("f", formula="a"))
    assert initial_design(declared, "coupled", 6, 0) == []
