"""Verified answers: when they are due, what is evaluated, and how a run ends."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from states import chosen, context, everywhere

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.settings import VerifySettings
from taut.policy.verify import begun, due, may_begin, next_step

X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]
SETTINGS = VerifySettings()


def problem(**costs: float) -> taut.Problem:
    constraints = [taut.Constraint(name, at_most=0.0, cost=costs.get(name, 1.0)) for name in ("c", "e")]
    return taut.Problem(X, taut.Objective("f", cost=costs.get("f", 1.0)), constraints)


FUNCTIONS: dict[str, Any] = {
    "f": lambda p: -((p["x"] - 0.7) ** 2) - (p["y"] - 0.6) ** 2,
    "c": lambda p: p["x"] + p["y"] - 1.0,
    "e": lambda p: p["x"] - 0.9,
}


def request(remaining: float, count: int = 12, **costs: float) -> Request:
    made = everywhere(problem(**costs), FUNCTIONS, sobol(count, 2, np.random.default_rng(0)))
    return replace(made, remaining=remaining, budget=100.0, verify=True)


def test_it_is_due_when_what_is_left_pays_for_so_many_designs() -> None:
    assert may_begin(request(6.0), SETTINGS) and not may_begin(request(6.1), SETTINGS)
    assert not may_begin(replace(request(3.0), verify=False), SETTINGS)
    assert due(context(request(4.0, 60))) and not due(context(request(5.0, 60)))  # smooth: a design and one function
    assert due(context(replace(request(5.0, 60), memory={"verify": {}})))  # it has begun
    functions = FUNCTIONS | {"c": lambda p: FUNCTIONS["c"](p) + 0.01 * math.sin(1e5 * p["x"])}
    rough = everywhere(problem(), functions, sobol(60, 2, np.random.default_rng(0)))
    assert due(context(replace(rough, remaining=6.0, budget=100.0, verify=True)))


def test_of_a_small_budget_only_a_part_is_kept() -> None:
    small = replace(request(5.0), budget=8.0)
    assert not may_begin(small, SETTINGS) and may_begin(replace(small, remaining=3.0), SETTINGS)


def test_the_most_likely_to_spoil_the_design_comes_first() -> None:
    """Here a violated constraint, or an objective below the best verified design's; what cannot happen comes last."""
    step = next_step(context(request(3.0)))
    assert step is not None and step.candidate.S in ((0,), (1,)) and "verifying the recommendation" in step.why
    assert step.memory["target"] == pytest.approx(step.candidate.x)
    for dear, first in (("f", (1,)), ("c", (0,))):
        other = next_step(context(request(1e6, **{dear: 1e5})))
        assert other is not None and other.candidate.S == first  # per cost


def with_values(made: Request, x: np.ndarray, **values: float) -> Request:
    data = made.dataset
    X_k, y_k = list(data.X), list(data.y)
    for name, value in values.items():
        k = made.problem.functions.index(name)
        X_k[k], y_k[k] = np.vstack([X_k[k], x]), np.append(y_k[k], value)
    return replace(made, dataset=replace(data, X=tuple(X_k), y=tuple(y_k)))


def test_the_target_is_kept_until_it_is_whole_or_spoilt() -> None:
    made = request(3.0)
    begun_at = next_step(context(made))
    assert begun_at is not None
    x = begun_at.candidate.x + 1e-3
    kept = replace(made, memory={"verify": {"target": x.tolist()}})
    first = next_step(context(kept))
    assert first is not None and np.array_equal(first.candidate.x, x)
    held = next_step(context(with_values(kept, x, c=-0.01)))
    assert held is not None and np.array_equal(held.candidate.x, x) and held.candidate.S != (1,)
    for values in ({"c": 0.1}, {"c": -0.01, "e": -0.37, "f": -0.04}):
        other = next_step(context(with_values(kept, x, **values)))
        assert other is None or not np.array_equal(other.candidate.x, x)


def test_a_target_a_hair_beside_an_evaluated_place_is_that_place() -> None:
    """What is known there is not paid for again, neither at first nor once the target has values of its own."""
    first = next_step(context(request(3.0)))
    assert first is not None
    place = first.candidate.x - 1e-3
    made, memory = with_values(request(3.0), place, c=-0.01), {"target": (place + 5e-10).tolist()}
    asked = []
    for _ in range(2):
        found = next_step(context(replace(made, memory={"verify": memory})))
        assert found is not None and np.array_equal(found.candidate.x, place)
        (k,), memory = found.candidate.S, found.memory
        made = with_values(made, found.candidate.x, **{"fce"[k]: (-0.045, -0.01, -0.37)[k]})
        asked.append(k)
    assert sorted(asked) == [0, 2]


def test_what_is_under_way_there_is_not_asked_for_again() -> None:
    made, x = request(3.0), np.array([0.5, 0.4])
    kept = replace(made, memory={"verify": {"target": x.tolist()}})
    pending = tuple(x[None, :] if k == 1 else np.empty((0, 2)) for k in range(3))
    step = next_step(context(replace(kept, dataset=replace(kept.dataset, pending=pending))))
    assert step is not None and 1 not in step.candidate.S


def test_what_cannot_be_paid_is_not_begun() -> None:
    assert next_step(context(request(2.0))) is None or context(request(2.0)).measured.best is None


def played(budget: float, verify: bool, functions: dict[str, Any] | None = None, seed: int = 0) -> taut.Study:
    study = taut.Study(problem(), seed=seed)
    study.run(functions or FUNCTIONS, budget, verify=verify)
    return study


def test_a_run_ends_with_a_verified_design() -> None:
    study = played(30.0, True)
    best = study.recommend()
    assert best.verified and best.feasibility == 1.0 and "verify" in study.suggestions[-1].memory
    assert best.measured == {name: pytest.approx(f(best.point), abs=1e-12) for name, f in FUNCTIONS.items()}
    assert max(FUNCTIONS["c"](best.point), FUNCTIONS["e"](best.point)) <= 0.0
    assert best.objective[0] == pytest.approx(-0.045, abs=1e-3)
    assert study.spent == 30.0
    number = study.suggestions[-1].number
    assert study.replay(number) == study.suggestions[number - 1]


def test_without_it_nothing_is_kept() -> None:
    assert not any("verify" in row.memory for row in played(12.0, False).suggestions)


def test_a_design_that_was_violated_is_no_answer() -> None:
    """The constraint jumps just where its smooth part says that it holds."""

    def jumps(p: dict[str, float]) -> float:
        smooth = p["x"] + p["y"] - 1.0
        return smooth + (0.05 if smooth > -0.03 else 0.0)

    study = played(40.0, True, FUNCTIONS | {"c": jumps})
    best = study.recommend()
    assert best.verified and jumps(best.point) <= 0.0 and best.objective[0] > -0.06


def test_if_nothing_is_feasible_there_is_no_verified_answer() -> None:
    study = played(15.0, True, FUNCTIONS | {"c": lambda p: 1.0 + p["x"]})
    assert not study.recommend().verified and study.incumbent() is None


@pytest.mark.parametrize("method", ["cei", "cei+", "ucb-d", "random"])
def test_every_method_verifies(method: str) -> None:
    study = taut.Study(problem(), method=method, seed=1)
    best = study.run(FUNCTIONS, 21.0)
    assert best.verified


def test_a_larger_budget_begins_anew() -> None:
    study = played(15.0, True)
    assert begun(study._question().request)
    study.ask(budget=60.0, verify=True)
    assert not begun(study._question().request)


def test_the_last_attempt_is_a_safe_one() -> None:
    """Nothing is verified yet and little is left: the most feasible design instead of the best one."""
    functions = FUNCTIONS | {"c": lambda p: math.sin(20.0 * p["x"]) + p["y"] + 0.1}
    made = everywhere(problem(), functions, np.array([[0.1, 0.9], [0.9, 0.9], [0.5, 0.8], [0.3, 0.95], [0.7, 0.9]]))
    made = replace(made, remaining=3.0, budget=100.0, verify=True)
    there = context(made, chosen(knobs={"verify": {"sure": 1.0}}))
    step = next_step(there)
    assert there.measured.best is None and step is not None and "safest" in step.why
    safe, bold = (float(np.prod(there.feasibilities(x))) for x in (step.candidate.x, there.optimum.x))
    assert safe >= bold


def test_a_design_that_was_begun_is_cheaper_to_complete_than_a_new_one() -> None:
    made, x = request(2.0), np.array([0.54, 0.44])
    step = next_step(context(with_values(made, x, f=FUNCTIONS["f"]({"x": 0.54, "y": 0.44}))))
    assert step is not None and "can be completed" in step.why
    assert np.array_equal(step.candidate.x, x) and step.candidate.S in ((1,), (2,))


def test_the_place_next_to_the_recommendation_must_be_as_feasible() -> None:
    """A violated neighbour, a millionth of the cube away, would spoil the only attempt."""
    made = request(4.0, 60)
    x_r = context(made).optimum.x
    beside = np.clip(x_r + 5e-7, 0.0, 1.0)
    for shift, taken in ((-1e-4, True), (1e-4, False)):
        there = context(with_values(made, beside, c=shift))
        step = next_step(there)
        assert step is not None and np.array_equal(step.candidate.x, beside) <= taken
