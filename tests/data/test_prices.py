"""Expected costs at a point: measured ones, setups and where they are paid, gradients against differences."""

import math

import numpy as np
import pytest

import taut
from taut.data.prices import Prices
from taut.data.rows import Observation, Suggestion
from taut.problem.space import to_unit

RNG = np.random.default_rng(0)


def problem(cost: object = "measured") -> taut.Problem:
    mesh = "measured" if cost == "measured" else 10.0
    return taut.Problem(
        [taut.Real("x", 0.0, 2.0), taut.Real("y", 1.0, 100.0, log=True)],
        taut.Objective("f", cost=cost),  # type: ignore[arg-type]
        [taut.Constraint("c", at_most=0.0, cost=cost), taut.Constraint("g", at_most=0.0, cost=cost)],  # type: ignore[arg-type]
        setups=[taut.Setup("mesh", ("c", "g"), mesh)],  # type: ignore[arg-type]
    )


def study(cost: object, count: int = 12) -> tuple[list[Suggestion], dict[tuple[int, str], Observation]]:
    """Times that grow with x; the mesh takes 8 s at every point and is paid by c."""
    rows, answers = [], {}
    for n in range(1, count + 1):
        point = {"x": float(2.0 * RNG.random()), "y": float(10.0 ** (2.0 * RNG.random()))}
        rows.append(Suggestion(n, point, ("f", "c", "g"), 1.0))
        scale = math.exp(1.5 * point["x"])
        for name, base, setup in (("f", 1.0, None), ("c", 4.0, 8.0), ("g", 2.0, None)):
            seconds = base * scale + (setup or 0.0)
            answers[n, name] = Observation(name, point, 0.0, n, seconds=seconds, setup=setup)
    return rows, answers


def prices(cost: object = "measured", extra: list[Suggestion] | None = None) -> tuple[Prices, list[Suggestion]]:
    rows, answers = study(cost)
    return Prices.of(problem(cost), rows + (extra or []), answers, []), rows


def test_times_are_learned_by_part() -> None:
    found, _ = prices()
    x = np.array([[0.25, 0.5], [0.75, 0.1]])
    scale = np.exp(3.0 * x[:, 0])
    assert found.costs(["f"], x) == pytest.approx(scale, rel=0.03)
    assert found.costs(["c"], x) == pytest.approx(4.0 * scale + 8.0, rel=0.03)
    assert found.costs(["f", "c", "g"], x) == pytest.approx(7.0 * scale + 8.0, rel=0.03)


def test_a_prepared_place_costs_less_and_one_beside_it_does_not() -> None:
    found, _ = prices()
    x = np.vstack([found.prepared["mesh"][3], found.prepared["mesh"][3] + 1e-6])
    there, beside = found.costs(["c"], x)
    assert beside - there == pytest.approx(8.0, rel=0.05)
    assert set(found.parts(["c"], x[0])) == {"c"} and set(found.parts(["c"], x[1])) == {"c", "mesh"}


def test_given_costs_with_a_setup_are_exact() -> None:
    found, _ = prices(3.0)
    x = np.vstack([found.prepared["mesh"][:2], [[0.5, 0.5]]])
    assert found.costs(["c", "g"], x).tolist() == [6.0, 6.0, 16.0]
    assert found.costs(["f"], x).tolist() == [3.0, 3.0, 3.0]
    assert found.range(["c", "g"])[1] == pytest.approx(16.0)
    assert found.range(["c"])[0] == pytest.approx(3.0)


def test_who_has_prepared_a_place() -> None:
    """A value and what is under way do; only failures, and functions that do not need it, do not."""
    point = [{"x": 0.1 * n, "y": 2.0} for n in range(5)]
    rows = [
        Suggestion(1, point[0], ("c",), 1.0),
        Suggestion(2, point[1], ("c", "g"), 1.0),
        Suggestion(3, point[2], ("c",), 1.0),
        Suggestion(4, point[3], ("f",), 1.0),
        Suggestion(5, point[4], ("c", "g"), 1.0),
    ]
    told = {(1, "c"): 1.0, (2, "c"): None, (2, "g"): None, (3, "c"): None, (4, "f"): 1.0, (5, "c"): None}
    answers = {(n, name): Observation(name, point[n - 1], value, n) for (n, name), value in told.items()}
    found = Prices.of(problem(1.0), rows, answers, [])
    x = np.array([to_unit(problem(1.0), each) for each in point])
    assert np.array_equal(found.prepared["mesh"], x[[0, 4]])


def test_gradient_of_log_cost() -> None:
    found, _ = prices()
    x, h = RNG.random((5, 2)), 1e-6
    for names in (["f"], ["c", "g"], ["f", "c", "g"]):
        value, gradient = found.log_costs_with_gradient(names, x)
        assert value == pytest.approx(np.log(found.costs(names, x)))
        for i in range(2):
            step = h * np.eye(2)[i]
            slope = (np.log(found.costs(names, x + step)) - np.log(found.costs(names, x - step))) / (2.0 * h)
            assert gradient[:, i] == pytest.approx(slope, abs=1e-6)


def test_the_range_holds_every_cost() -> None:
    found, _ = prices()
    x = np.vstack([RNG.random((500, 2)), found.prepared["mesh"]])
    for names in (["f"], ["c"], ["f", "c", "g"]):
        least, most = found.range(names)
        costs = found.costs(names, x)
        assert least <= costs.min() and costs.max() <= most


def test_what_was_measured_elsewhere_teaches_too() -> None:
    added = [Observation("f", {"x": 1.0, "y": 10.0}, 0.0, None, seconds=40.0)]
    found = Prices.of(problem(), [], {}, added)
    assert found.costs(["f"], np.array([[0.5, 0.5]])) == pytest.approx(40.0, rel=0.02)
    assert found.costs(["c"], np.array([[0.5, 0.5]])) == pytest.approx(
        40.0, rel=0.02
    )  # a setup of unknown time: nothing
