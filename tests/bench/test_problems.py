"""The test problems against stored values, their stated optimum and their stated facts."""

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import qmc

from taut import bench
from taut.base.errors import ProblemError, UnknownNameError, ValueRefusedError

# Values computed with an independent implementation; scales are inter-quartile ranges over the box.
KNOWN = json.loads((Path(__file__).parent / "known_values.json").read_text())
PLANE = [name for name in KNOWN if bench.problem(name).problem.dimension == 2]
every_problem = pytest.mark.parametrize("name", KNOWN)


def as_point(x):
    return {f"x{i}": float(value) for i, value in enumerate(x, start=1)}


def quasi_random(problem, log2_count):
    box = np.array([(parameter.low, parameter.high) for parameter in problem.parameters])
    bundle = qmc.Sobol(problem.dimension, scramble=True, rng=np.random.default_rng(7)).random_base2(log2_count)
    return box[:, 0] + bundle * (box[:, 1] - box[:, 0])


def test_names_are_complete():
    assert sorted(bench.names()) == sorted(KNOWN)


@every_problem
def test_declaration(name):
    problem = bench.problem(name)
    declared = problem.problem
    count = len(KNOWN[name]["constraint_scales"])
    assert declared.functions == ("f", *(["c"] if count == 1 else [f"c{k}" for k in range(1, count + 1)]))
    assert tuple(problem.functions) == declared.functions
    assert declared.objective.goal == "maximize"
    assert all(c.at_most == 0.0 and c.at_least is None and c.cost == 1.0 for c in declared.constraints)
    assert [parameter.name for parameter in declared.parameters] == list(problem.solution)
    assert tuple(problem.constraint_ranges) == declared.functions[1:]


@every_problem
def test_solution_attains_the_optimum_and_is_feasible(name):
    problem = bench.problem(name)
    assert problem.functions["f"](problem.solution) == pytest.approx(problem.optimum, rel=1e-12)
    assert problem.is_feasible(problem.solution, tolerance=0.0)
    assert problem.opportunity_cost(problem.solution, tolerance=0.0) == pytest.approx(0.0, abs=1e-11)


@every_problem
def test_binding_constraints_are_those_at_zero(name):
    problem = bench.problem(name)
    scales = zip(problem.constraint_ranges, KNOWN[name]["constraint_scales"], strict=True)
    at_zero = [c for c, scale in scales if abs(problem.functions[c](problem.solution)) < 1e-7 * scale]
    assert list(problem.binding) == at_zero


@every_problem
def test_sample_of_the_box_agrees_with_the_stated_facts(name):
    """Feasible share, ranges, penalty and optimum against 2^14 quasi-random points."""
    problem = bench.problem(name)
    points = [as_point(x) for x in quasi_random(problem.problem, 14)]
    values = {f: np.array([function(p) for p in points]) for f, function in problem.functions.items()}
    feasible = np.all([values[c] <= 0.0 for c in problem.constraint_ranges], axis=0)
    assert feasible.mean() == pytest.approx(KNOWN[name]["feasible_fraction"], abs=0.01)
    assert values["f"][feasible].max() <= problem.optimum
    assert problem.penalty <= KNOWN[name]["objective_minimum"] <= values["f"].min()
    for c, width in problem.constraint_ranges.items():
        if (name, c) != ("spring", "c2"):  # unbounded: a pole inside the box
            assert np.ptp(values[c]) <= width


@pytest.mark.parametrize("name", PLANE)
def test_local_search_finds_nothing_better(name):
    problem = bench.problem(name)
    box = [(parameter.low, parameter.high) for parameter in problem.problem.parameters]
    scale = KNOWN[name]["constraint_scales"]

    def slack(x):
        values = [problem.functions[c](as_point(x)) for c in problem.constraint_ranges]
        return -np.array(values) / scale

    settings = {"constraints": {"type": "ineq", "fun": slack}, "options": {"ftol": 1e-12}}
    best = -math.inf
    for start in quasi_random(problem.problem, 4):
        found = minimize(
            lambda x: -problem.functions["f"](as_point(x)) / abs(problem.optimum),
            start,
            method="SLSQP",
            bounds=box,
            **settings,
        )
        if min(slack(found.x)) >= -1e-9:
            best = max(best, -float(found.fun))
    assert best == pytest.approx(np.sign(problem.optimum), abs=1e-6)


def test_opportunity_cost():
    mystery = bench.problem("mystery")
    inside, outside = {"x1": 3.38, "x2": 1.07}, {"x1": 1.545, "x2": 3.995}
    assert mystery.is_feasible(inside) and not mystery.is_feasible(outside)
    assert mystery.opportunity_cost(inside) == pytest.approx(1.1742743288663489 + 14.447795553606625)
    assert mystery.opportunity_cost(outside) == mystery.optimum + 40.0


def test_opportunity_cost_tolerance_is_relative_to_the_range():
    """The range of Mystery's constraint is 2: a violation of 1e-6 passes, one of 3e-6 does not."""
    mystery = bench.problem("mystery")
    slightly = dict(mystery.solution, x1=mystery.solution["x1"] - 1e-6)
    clearly = dict(mystery.solution, x1=mystery.solution["x1"] - 3e-6)
    assert mystery.functions["f"](slightly) > mystery.optimum
    assert mystery.opportunity_cost(slightly) == 0.0
    assert mystery.opportunity_cost(slightly, tolerance=0.0) == mystery.optimum - mystery.penalty
    assert mystery.opportunity_cost(clearly) == mystery.optimum - mystery.penalty


def test_points_are_checked_when_scored():
    mystery = bench.problem("mystery")
    with pytest.raises(ValueRefusedError, match="x2"):
        mystery.opportunity_cost({"x1": 1.0})
    with pytest.raises(ValueRefusedError, match="x1"):
        mystery.is_feasible({"x1": 7.0, "x2": 1.0})


def test_penalties_used_for_scoring():
    names = ("mystery", "mystery_redundant8", "constrained_branin", "test_function_2")
    assert [bench.problem(name).penalty for name in names] == [-40.0, -40.0, -4.0, -4.0]


def test_costs():
    problem = bench.problem("test_function_2", costs={"c2": 5.0, "f": 2.0}).problem
    assert [bundle.cost for bundle in problem.bundles] == [2.0, 1.0, 5.0, 1.0]


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="'mistery'.*'mystery', 'constrained_branin'"):
        bench.problem("mistery")
    with pytest.raises(UnknownNameError, match="'c1'.*'f', 'c'"):
        bench.problem("mystery", costs={"c1": 2.0})


def test_functions_can_be_sent_to_another_process():
    problem = bench.problem("speed_reducer")
    copy = pickle.loads(pickle.dumps(problem))
    assert copy.evaluate(problem.solution) == problem.evaluate(problem.solution)


def test_mistakes_are_explained():
    with pytest.raises(UnknownNameError, match=r"\['mystery'\] is unknown; expected one of"):
        bench.problem(["mystery"])
    with pytest.raises(UnknownNameError, match="'mistery' is unknown.*the closest is 'mystery'"):
        bench.problem("mistery")
    with pytest.raises(ProblemError, match=r"'mystery': costs must be a dict by function, got \[1\]; write"):
        bench.problem("mystery", costs=[1])
