"""What a limit costs: against an answer by hand in every form of limit, and against the formulas of test problems."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kkt import true_prices
from states import chosen, context, everywhere, hopeless, state

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.prices import Price, Prices

QUICK = {"price": {"samples": 12}}


def prices(request: Request) -> dict[str, Price]:
    made = context(request, chosen(knobs=QUICK), precise=True)
    found = Prices.of(made)
    assert found is not None
    return dict(zip(made.names[1:], found.all(), strict=True))


def product(
    limits: dict[str, float], goal: str = "minimize", mass: float = 1.0, size: float = 1.0, scale: str | None = None
) -> Request:
    """x1 + x2 as small as possible where x1 x2 is large enough: with a limit L, the best is 2 sqrt(L).

    So relaxing L by 1 saves 1/sqrt(L): 2 at L = 0.25, between 1.8 and 2.2 for L from 1/2.2^2 to 1/1.8^2.
    mass, size: factors on the objective and on the constraint; a negative size makes an upper limit of it.
    """
    problem = taut.Problem(
        [taut.Real("x1", 0.05, 1.05), taut.Real("x2", 0.05, 1.05)],
        taut.Objective("mass", goal=goal, scale=scale),  # type: ignore[arg-type]
        [taut.Constraint("room", **limits), taut.Constraint("free", at_most=50.0)],
    )
    sign = 1.0 if goal == "minimize" else -1.0
    functions: dict[str, Any] = {
        "mass": lambda p: sign * mass * (p["x1"] + p["x2"]),
        "room": lambda p: size * p["x1"] * p["x2"],
        "free": lambda p: 10.0 * p["x1"],
    }
    return everywhere(problem, functions, sobol(24, 2, np.random.default_rng(3)))


@pytest.mark.parametrize(
    "limits, goal, mass, size",
    [
        ({"at_least": 0.25}, "minimize", 1.0, 1.0),
        ({"at_least": 0.25}, "maximize", 1.0, 1.0),
        ({"at_least": 250.0}, "minimize", 1e-6, 1e3),
        ({"at_most": -0.25}, "minimize", 1.0, -1.0),
        ({"at_least": 0.25, "at_most": 0.9}, "minimize", 1.0, 1.0),
        ({"at_least": -0.9, "at_most": -0.25}, "maximize", 7.0, -1.0),
        ({"at_least": 0.25e60}, "minimize", 1e40, 1e60),
    ],
)
def test_by_hand(limits: dict[str, float], goal: str, mass: float, size: float) -> None:
    found = prices(product(limits, goal, mass, size))
    room, free = found["room"], found["free"]
    (mean, low, high), unit = room.price, mass / abs(size)
    assert mean / unit == pytest.approx(2.0, rel=0.01) and low <= mean <= high
    assert low / unit > 1.8 and high / unit < 2.2 and room.active == 1.0
    side = "at_least" if size > 0.0 else "at_most"
    assert room.limit == (side, limits[side])  # as declared, to the last digit
    ends = sorted(size / each**2 for each in (1.8, 2.2))
    assert room.valid == pytest.approx(ends, rel=0.05)
    assert free.price == (0.0, 0.0, 0.0) and free.active == 0.0
    assert free.limit == ("at_most", 50.0) and free.valid == (pytest.approx(5.0, rel=0.05), np.inf)


@pytest.mark.parametrize("objective", ["x1 + x2", "1e9 * (x1 + x2)"])
def test_of_formulas_a_price_holds_as_far_as_it_is_true(objective: str) -> None:
    """As above, L = 0.5: the slope of a known objective may be steep on its own scale, and searches end early."""
    problem = taut.Problem(
        [taut.Real("x1", 0.0, 1.0), taut.Real("x2", 0.0, 1.0)],
        taut.Objective("mass", goal="minimize", formula=objective),
        [taut.Constraint("room", at_least=0.5, formula="x1 * x2")],
    )
    row = taut.Study(problem, seed=3).relevance()[0]
    size = 1.0 if objective == "x1 + x2" else 1e9
    assert row.price == pytest.approx((size / 0.5**0.5,) * 3, rel=1e-3)
    assert row.valid == pytest.approx((0.5 / 1.1**2, 0.5 / 0.9**2), rel=0.02)


def test_a_limit_is_the_number_that_was_declared() -> None:
    for limit in (0.3, 0.7 / 3.0, 0.1 + 0.2):
        assert prices(product({"at_least": limit}))["room"].limit == ("at_least", limit)


def test_prices_of_an_objective_on_a_logarithmic_scale_are_in_its_units() -> None:
    mean, low, high = prices(product({"at_least": 0.25}, mass=5.0, scale="log"))["room"].price
    assert mean == pytest.approx(10.0, rel=0.02) and 8.5 < low <= mean <= high < 11.5


def test_a_slack_lower_limit_may_come_up_to_the_value_there() -> None:
    request = product({"at_least": 0.25})
    below = taut.Constraint("free", at_least=-50.0)
    problem = taut.Problem(
        request.problem.parameters, request.problem.objective, [request.problem.constraints[0], below]
    )
    rows = [
        (name, {"x1": float(0.05 + u[0]), "x2": float(0.05 + u[1])}, float(y))
        for k, name in enumerate(problem.functions)
        for u, y in zip(request.dataset.X[k], [-1, -1, 1][k] * (request.dataset.y[k] - [0, 0.25, -50][k]), strict=True)
    ]
    free = prices(state(problem, rows))["free"]
    assert free.limit == ("at_least", -50.0) and free.valid == (-np.inf, pytest.approx(5.0, rel=0.05))


@pytest.mark.parametrize("name", ["test_function_2", "gramacy", "mystery"])
def test_against_the_formulas(name: str) -> None:
    """With values spread out and near the solution, prices are the multipliers of the formulas."""
    bench = taut.bench.problem(name)
    low, width = np.array([(p.low, p.high - p.low) for p in bench.problem.parameters]).T
    best = (np.array(list(bench.solution.values())) - low) / width
    near = np.clip(best + 0.1 * (2.0 * sobol(16, 2, np.random.default_rng(1)) - 1.0), 0.0, 1.0)
    found = prices(
        everywhere(bench.problem, bench.functions, np.vstack([sobol(24, 2, np.random.default_rng(0)), near]))
    )
    for constraint, truth in true_prices(bench).items():
        mean, low_end, high_end = found[constraint].price
        assert mean == pytest.approx(truth, rel=0.1, abs=1e-9) or low_end <= truth <= high_end
        assert (found[constraint].active > 0.9) == (truth > 0.0)


def test_nothing_is_said_without_a_feasible_region_or_without_values() -> None:
    assert Prices.of(context(hopeless(), precise=True)) is None
    request = product({"at_least": 0.25})
    data = request.dataset
    none = replace(data, X=(*data.X[:2], data.X[2][:0]), y=(*data.y[:2], data.y[2][:0]))
    assert Prices.of(context(replace(request, dataset=none), precise=True)) is None


def test_the_same_each_time() -> None:
    request = product({"at_least": 0.25})
    assert prices(request) == prices(request)
