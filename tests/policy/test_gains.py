"""What other limits would bring: against answers by hand, where a price times a step is wrong."""

import math
from typing import Any

import numpy as np
import pytest
from states import chosen, context, everywhere, hopeless

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.gains import gain
from taut.policy.prices import Prices
from taut.study.questions import with_limits

QUICK = {"price": {"samples": 8}}


def product(limits: dict[str, float], goal: str = "minimize", size: float = 1.0) -> Request:
    """x1 + x2 as small as possible where x1 x2 >= L, so 2 sqrt(L), and x1 >= 0.3."""
    problem = taut.Problem(
        [taut.Real("x1", 0.05, 1.05), taut.Real("x2", 0.05, 1.05)],
        taut.Objective("mass", goal=goal),  # type: ignore[arg-type]
        [taut.Constraint("room", **limits), taut.Constraint("wide", at_least=0.3)],
    )
    sign = 1.0 if goal == "minimize" else -1.0
    functions: dict[str, Any] = {
        "mass": lambda p: sign * (p["x1"] + p["x2"]),
        "room": lambda p: size * p["x1"] * p["x2"],
        "wide": lambda p: p["x1"],
    }
    return everywhere(problem, functions, sobol(24, 2, np.random.default_rng(3)))


def gained(request: Request, limits: dict[str, dict[str, float | None]]) -> tuple[float, float, float]:
    made = context(request, chosen(knobs=QUICK), precise=True)
    found = gain(made, with_limits(request.problem, limits))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "limits, goal, size, side",
    [
        ({"at_least": 0.25}, "minimize", 1.0, "at_least"),
        ({"at_least": 0.25}, "maximize", 1.0, "at_least"),
        ({"at_most": -250.0}, "minimize", -1e3, "at_most"),
        ({"at_least": 0.25, "at_most": 0.9}, "minimize", 1.0, "at_least"),
    ],
)
def test_by_hand(limits: dict[str, float], goal: str, size: float, side: str) -> None:
    """Down to 0.16 the best is 2 sqrt(L); at 0.04 the other constraint has taken over: 0.3 + 0.04/0.3."""
    request = product(limits, goal, size)
    for other, best in ((0.16, 0.8), (0.04, 0.3 + 0.04 / 0.3), (0.36, 1.2)):
        mean, low, high = gained(request, {"room": {side: other * size}})
        assert mean == pytest.approx(1.0 - best, rel=0.02)
        assert low < mean < high and high - low < 0.2 * abs(mean) and low <= (1.0 - best) <= high


def test_several_limits_at_once_and_one_that_goes() -> None:
    request = product({"at_least": 0.25})
    both = {"room": {"at_least": 0.04}, "wide": {"at_least": 0.1}}
    assert gained(request, both)[0] == pytest.approx(1.0 - 0.4, rel=0.02)
    without: dict[str, dict[str, float | None]] = {"room": {"at_least": None, "at_most": 9.0}}
    assert gained(request, without)[0] == pytest.approx(1.0 - 0.35, rel=0.02)


def test_the_beginning_is_the_price() -> None:
    request = product({"at_least": 0.25})
    prices = Prices.of(context(request, chosen(knobs=QUICK), precise=True))
    assert prices is not None
    price = prices.all()[0].price[0]
    assert gained(request, {"room": {"at_least": 0.249}})[0] == pytest.approx(0.001 * price, rel=0.01)
    assert gained(request, {"room": {"at_least": 0.25}})[0] == pytest.approx(0.0, abs=1e-6)


def test_a_limit_that_leaves_nothing_has_no_gain() -> None:
    request = product({"at_least": 0.25})
    made = context(request, chosen(knobs=QUICK), precise=True)
    assert gain(made, with_limits(request.problem, {"room": {"at_least": 3.0}})) is None


def test_without_a_feasible_region_there_is_none() -> None:
    request = hopeless()
    name = request.problem.constraints[0].name
    other = with_limits(request.problem, {name: {"at_most": 1e3}})
    assert gain(context(request, precise=True), other) is None


def test_without_samples_it_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prices, "sampled", [])
    _, low, high = gained(product({"at_least": 0.25}), {"room": {"at_least": 0.16}})
    assert (low, high) == (-math.inf, math.inf)
