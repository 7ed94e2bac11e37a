"""Where a study may go, and where it begins."""

from itertools import permutations

import numpy as np
import pytest

import taut
from taut.problem.design import domain, initial_design, require_region
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


FEW = taut.Problem(
    [taut.Integer(name, 0, 9) for name in "pqrs"],
    taut.Objective("f"),
    [
        taut.Constraint("wave", at_least=0.9995, formula="sin(1000 * p + 77 * q * q + 13 * r * r + 5 * s)"),
        taut.Constraint("other", at_least=0.98, formula="cos(s * 31 * q + 7 * r + p)"),
    ],
)
LEFT = [(0, 1, 0, 0), (1, 8, 0, 6), (2, 5, 0, 7), (5, 3, 0, 4), (5, 8, 0, 9)]


@pytest.mark.parametrize("size", [3, 5, 20])
def test_the_few_designs_that_known_limits_leave_are_all_found(size: int) -> None:
    found = [tuple(from_unit(FEW, u).values()) for u, _ in initial_design(FEW, "coupled", size, 0)]
    assert len(found) == len(set(found)) == min(size, 5) and set(found) <= set(LEFT)
    assert domain(FEW).size == 5


def test_an_empty_region_of_few_combinations_is_known_to_be_empty() -> None:
    limit = taut.Constraint("product", at_most=0.0, formula="abs(p * q * r - 731)")
    declared = taut.Problem(FEW.parameters[:3], taut.Objective("f"), [limit])
    with pytest.raises(taut.ProblemError, match="none in all 1000 combinations; the closest is"):
        require_region(declared)


def test_all_discrete_values_that_fit_are_found_beside_a_real_parameter() -> None:
    limit = taut.Constraint("product", at_most=0.0, formula="abs(p * q * r - 1001)")
    whole = [taut.Integer(name, 0, 20) for name in "pqr"]
    declared = taut.Problem([*whole, taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [limit])
    region = domain(declared).region
    assert region is not None
    found = {tuple(from_unit(declared, u).values())[:3] for u in region.pool}
    assert found == set(permutations((7, 11, 13)))


def test_a_python_function_is_not_called_at_every_one_of_many_combinations() -> None:
    called = []

    def total(point: dict[str, int]) -> int:
        called.append(1)
        return sum(point.values())

    whole = [taut.Integer(name, 0, 39) for name in "pqr"]
    limit = taut.Constraint("sum", at_most=80.0, formula=total)
    within = domain(taut.Problem(whole, taut.Objective("f"), [limit]))
    assert len(within.design(4, np.random.default_rng(0))) == 4 and len(called) < 15_000
    assert within.members is None and within.size == np.inf
    text = taut.Constraint("sum", at_most=80.0, formula="p + q + r")
    assert domain(taut.Problem(whole, taut.Objective("f"), [text])).size > 40_000
