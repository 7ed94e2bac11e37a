"""Stuck: a local search from the answer does not lead to the optimum."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import TRAP

import taut
from taut.bench.problems import BenchProblem, PointFunction
from taut_paper.stuck import Truth, is_stuck

NAMES = ("mystery", "constrained_branin", "test_function_2", "spring_narrow", "pressure_vessel", "speed_reducer")


def waves(x: float) -> float:
    """Maxima near x = 0.1, 0.3, ..., the one near 0.5 is the highest."""
    return float(-np.cos(10.0 * np.pi * x) - 2.0 * (x - 0.5) ** 2)


def low(x: float) -> float:
    return x - 0.65


@pytest.fixture
def wavy() -> BenchProblem:
    """One parameter and a limit at 0.65."""
    declared = taut.Problem(
        [taut.Real("x", 0.0, 1.0)], taut.Objective("f", goal="maximize"), [taut.Constraint("c", at_most=0.0)]
    )
    functions = {"f": PointFunction(waves, ("x",)), "c": PointFunction(low, ("x",))}
    return BenchProblem("wavy", "", declared, functions, waves(0.5), {"x": 0.5}, (), -10.0, {"c": 1.0})


@pytest.mark.parametrize(("x", "stuck"), [(0.5, False), (0.46, False), (0.54, False), (0.3, True), (0.12, True)])
def test_a_run_is_stuck_in_the_basin_of_another_optimum(wavy: BenchProblem, x: float, stuck: bool) -> None:
    assert is_stuck(wavy, {"x": x}) is stuck


def test_an_infeasible_answer_is_judged_by_where_it_leads(wavy: BenchProblem) -> None:
    """Beyond the limit the way back ends at the wall, whose value is below the optimum."""
    assert is_stuck(wavy, {"x": 0.68})
    assert not is_stuck(taut.bench.problem("mystery"), {"x1": 2.8, "x2": 2.5})


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_ends_beside_the_optimum_is_stuck(name: str) -> None:
    bench, rng = taut.bench.problem(name), np.random.default_rng(2)
    assert not is_stuck(bench, bench.solution)
    for _ in range(3):
        near = {p.name: float(np.clip(bench.solution[p.name] + rng.normal() * 0.03 * (p.high - p.low), p.low, p.high))
                for p in bench.problem.parameters}  # fmt: skip
        assert not is_stuck(bench, near)


def test_the_trap_is_a_trap_also_where_the_best_point_is_handed_over() -> None:
    bench = taut.bench.problem("test_function_2")
    trap = dict(zip(bench.solution, map(float, TRAP), strict=True))
    assert is_stuck(bench, trap) and is_stuck(replace(bench, solution={}), trap, list(bench.solution.values()))
    assert not is_stuck(replace(bench, solution={}), trap, list(trap.values()))


def test_a_search_goes_no_lower_than_the_optimum() -> None:
    truth = Truth.of(taut.bench.problem("mystery"))
    ends = [truth.behind(truth.searched(u)) for u in np.random.default_rng(0).random((5, 2))]
    assert min(ends) > -1e-5 and truth.behind(np.array([0.99, 0.99])) == np.inf
