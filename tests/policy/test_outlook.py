"""What there is left to gain: against a slow twin, and how it shrinks as more is known."""

import math
from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, everywhere, hopeless, known

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.data.results import Outlook
from taut.policy.context import Context
from taut.policy.outlook import _points as candidates
from taut.policy.outlook import nothing_left, outlook
from taut.policy.relevance import sample
from taut.surrogate.gp import GP

QUICK = {"outlook": {"inner": 48, "cloud": 16, "optimistic": 24, "wide": 24}}


def asked(request: Request, left: float = 50.0, budget: float = 100.0) -> Context:
    return context(replace(request, remaining=left, budget=budget), chosen(knobs=QUICK), precise=True)


def bowl(values: int, scale: float = 1.0) -> Request:
    """Minimise scale (x - 0.3)^2 on a line, with a constraint that forbids nothing, from so many values."""
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)], taut.Objective("f", goal="minimize"), [taut.Constraint("c", at_most=5.0)]
    )
    functions = {"f": lambda p: scale * (p["x"] - 0.3) ** 2, "c": lambda p: p["x"]}
    return everywhere(problem, functions, np.linspace(0.0, 1.0, values)[:, None])


def test_more_knowledge_leaves_less_to_gain() -> None:
    found = [outlook(asked(bowl(n))) for n in (4, 7, 15)]
    assert found[0].rest > found[1].rest > found[2].rest
    for each in found:
        assert 0.0 <= each.next <= each.rest and each.tenth <= each.rest and each.left == 50.0
        assert list(each.gaps) == sorted(each.gaps) and len(each.gaps) == 256


def doubted(gp: GP, grid: np.ndarray, count: int) -> np.ndarray:
    """Plain samples [count, N], as far from their mean as the doubt about the model says."""
    trusting = replace(gp, hyper=replace(gp.hyper, doubt=1.0))
    wider = np.sqrt(gp.posterior(grid).var / trusting.posterior(grid).var)
    f = sample(trusting, grid, count, np.random.default_rng(0))
    mean = gp.mean(grid)[0]
    return np.asarray(mean + (f - mean) * wider)


def test_rest_is_the_mean_gain_of_perfect_knowledge() -> None:
    """By the gaps of samples; and by plain samples of f on a fine grid, where everything is feasible."""
    there = asked(known("mystery", 12))
    found = outlook(there)
    feasible = [gap for gap in found.gaps if math.isfinite(gap)]
    assert len(feasible) / len(found.gaps) == pytest.approx(found.within(math.inf))
    made = asked(bowl(6))
    grid = np.vstack([made.optimum.x, np.linspace(0.0, 1.0, 101)[:, None]])
    f = doubted(made.surrogate.honest(0), grid, 4000)
    slow = np.maximum(f.max(axis=1) - f[:, 0], 0.0).mean()
    assert outlook(made).rest == pytest.approx(slow, rel=0.35)


def test_in_the_users_unit() -> None:
    one, thousand = (outlook(asked(bowl(6, scale))) for scale in (1.0, 1024.0))
    assert thousand.rest == pytest.approx(1024.0 * one.rest, rel=0.3)  # the digits of the values differ


def test_nothing_is_gained_without_a_budget() -> None:
    found = outlook(asked(bowl(5), left=0.0))
    assert found.rest == found.tenth == 0.0 and found.within(1e9) > 0.9


def test_where_everything_is_known_there_is_nothing_left_to_gain() -> None:
    study = taut.Study(
        taut.Problem(
            [taut.Real("x", 0.0, 1.0)],
            taut.Objective("f", goal="minimize", formula="(x - 0.3)**2"),
            [taut.Constraint("c", at_least=0.5, formula="x")],
        )
    )
    assert study.finished
    for budget in (None, 10.0):  # no end of the budget: its tenth is none either
        found = study.outlook(budget)
        assert found.next == found.tenth == 0.0 and found.rest < 1e-9


def test_the_gain_for_each_unit_of_cost_goes_with_that_unit() -> None:
    request = bowl(5)
    cheap = [replace(each, cost=each.cost / 1024.0) for each in request.problem.constraints]
    problem = taut.Problem(request.problem.parameters, replace(request.problem.objective, cost=1.0 / 1024.0), cheap)
    one = outlook(asked(request))
    found = outlook(asked(replace(request, problem=problem), left=50.0 / 1024.0, budget=100.0 / 1024.0))
    assert found.next == pytest.approx(1024.0 * one.next, rel=1e-9) and found.next > found.rest > 0.0
    assert (found.tenth, found.rest) == (pytest.approx(one.tenth, rel=1e-9), one.rest)


def test_without_a_feasible_region_there_is_no_end_in_sight() -> None:
    found = outlook(asked(hopeless()))
    assert found == Outlook(math.inf, math.inf, math.inf, 50.0) and found.within(1.0) == 0.0


def test_a_rough_answer_may_be_infeasible() -> None:
    found = outlook(asked(known("test_function_2", 8)))
    assert found.within(math.inf) < 1.0 and found.within(0.0) <= found.within(0.1) <= found.within(math.inf)


def test_a_verified_answer_on_its_limit_is_feasible() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.5)])
    functions = {"f": lambda p: p["x"], "c": lambda p: p["x"]}
    request = everywhere(problem, functions, np.linspace(0.0, 1.0, 9)[:, None])
    assert outlook(asked(replace(request, memory={"verify": {}}))).within(math.inf) == 1.0


def test_doubt_about_the_model_leaves_more_to_gain() -> None:
    rests = []
    for doubt in (1.0, 9.0):
        there = asked(known("mystery", 12))
        made = there.surrogate
        doubtful = tuple(replace(gp, hyper=replace(gp.hyper, doubt=doubt)) for gp in made.processes)
        vars(there)["surrogate"] = replace(made, processes=doubtful, fits=())
        rests.append(outlook(there).rest)
    assert rests[1] > 1.2 * rests[0]


def test_when_to_stop() -> None:
    request, settings = replace(bowl(7), remaining=50.0), chosen(knobs=QUICK)
    rest = outlook(asked(bowl(7))).rest
    assert not nothing_left(request, settings)
    assert not nothing_left(replace(request, stop=0.1 * rest), settings)
    assert nothing_left(replace(request, stop=10.0 * rest), settings)


def test_only_where_functions_can_be_computed() -> None:
    """What lies where everything fails is no gain."""
    request = everywhere(
        taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", goal="maximize")),
        {"f": lambda p: np.sin(9.0 * p["x"])},
        0.5 * sobol(10, 1, np.random.default_rng(0)),
    )
    data = replace(request.dataset, failed=(np.linspace(0.55, 1.0, 14)[:, None],))
    there = asked(replace(request, dataset=data))
    points = candidates(there)
    assert np.array_equal(points[0], there.optimum.x) and points[1:].max() < 0.56
    assert candidates(asked(request)).max() > 0.9


def test_where_no_design_is_feasible_and_all_are_known_there_is_nothing_left_to_gain() -> None:
    objective = taut.Objective("f", goal="minimize", formula="n")
    problem = taut.Problem([taut.Integer("n", 0, 3)], objective, [taut.Constraint("c", at_most=0.0)])
    study = taut.Study(problem, method="cei+", initial=2)
    study.run({"c": lambda point: 1.0 + point["n"]}, budget=10.0, stop=0.1)
    found = study.outlook()
    assert study.finished and not study.recommend().verified
    assert (found.next, found.tenth, found.rest) == (0.0, 0.0, 0.0)
    assert found.within(0.1) == 0.0
