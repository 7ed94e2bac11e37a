"""The one-call form: minimize and maximize."""

import inspect
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import toy

import taut


@pytest.mark.parametrize(("solve", "goal"), [(taut.minimize, "minimize"), (taut.maximize, "maximize")])
def test_one_call(solve: Callable[..., object], goal: str) -> None:
    result = solve(
        lambda point: point["x"] + point["y"],
        {"x": (0.0, 1.0), "y": (0, 2)},
        {"c": (toy.FUNCTIONS["c"], 3.0), "d": (toy.square, taut.Constraint("d", at_least=1.0, cost=7.0))},
        budget=5,
        costs={"objective": 2.0},
        method=toy.ToyPolicy(),
        seed=3,
        initial=2,
    )
    problem = result.study.problem
    assert problem.functions == ("objective", "c", "d")
    assert problem.objective == taut.Objective("objective", goal, cost=2.0)
    assert problem.constraints[0] == taut.Constraint("c", at_most=3.0)
    assert problem.constraints[1].cost == 7.0
    assert problem.parameters[1] == taut.Real("y", 0.0, 2.0)
    best = result.study.recommend()
    assert (result.point, result.objective, result.feasibility) == (
        best.point,
        best.objective,
        best.feasibility,
    )
    assert (result.constraints, result.study.seed) == (best.constraints, 3)
    assert result.note.startswith(f"{best.note}; not verified: ")


@pytest.mark.parametrize("solve", [taut.minimize, taut.maximize])
def test_one_call_takes_all_that_a_study_and_its_run_take(solve: Callable[..., object]) -> None:
    wanted = {*inspect.signature(taut.Study).parameters, *inspect.signature(taut.Study.run).parameters}
    wanted -= {"self", "problem", "storage", "functions", "initial_design"}
    assert wanted <= set(inspect.signature(solve).parameters)
    found = solve(toy.square, {"x": (0.0, 1.0)}, budget=3, method="random", initial=2, verify=False)
    assert not found.study.suggestions[-1].note.startswith("verifying")
    with pytest.raises(taut.TautError, match="stop"):
        solve(toy.square, {"x": (0.0, 1.0)}, budget=3, method="random", initial=2, stop=-1.0)


@pytest.mark.parametrize("solve", [taut.minimize, taut.maximize])
def test_one_call_with_everything(solve: Callable[..., object]) -> None:
    policy, seen = toy.ToyPolicy(), []
    with ThreadPoolExecutor(3) as pool:
        result = solve(
            toy.square,
            {"x": np.array([0, 1])},
            budget=4,
            method=policy,
            initial=1,
            preset="paper",
            options={"inner": 3},
            executor=pool,
            workers=1,
            callback=lambda study, suggestion: seen.append(suggestion.number),
        )
    assert result.study.problem.parameters == (taut.Real("x", 0.0, 1.0),)
    assert seen == [1, 2, 3, 4, 5]
    assert all(sum(len(p) for p in request.dataset.pending) == 0 for request in policy.requests)  # one worker
    settings = result.study._storage.load()[1]
    assert (settings["preset"], settings["options"]) == ("paper", {"inner": 3})


@pytest.mark.parametrize(
    ("change", "fragments"),
    [
        ({"executor": 4}, ["executor", "submit", "4"]),
        ({"constraints": [("c", abs)]}, ["constraints", "dict", '{"c": (function, at_most)}']),
        ({"costs": [1.0]}, ["costs", "dict", "[1.0]"]),
        ({"parameters": {"x": "01"}}, ["'x'", "(low, high)", "'01'"]),
        ({"parameters": {"x": np.zeros((2, 2))}}, ["'x'", "low", "array"]),
        ({"parameters": {"x": np.zeros(3)}}, ["'x'", "(low, high)", "array"]),
        ({"parameters": {"x": 3.0}}, ["'x'", "(low, high)", "3.0"]),
        ({"parameters": {}}, ["at least one parameter"]),
        ({"constraints": {"c": abs}}, ["'c'", "(callable, at_most)"]),
        ({"constraints": {"c": (abs, taut.Constraint("d", at_most=0))}}, ["'c'", "'d'"]),
        ({"costs": {"f": 1.0}}, ["'f'", "'objective'"]),
        ({"budget": 0}, ["budget", "1.0", "0"]),
    ],
)
def test_mistakes_in_the_one_call_form(change: dict[str, object], fragments: list[str]) -> None:
    arguments = {"parameters": [taut.Real("x", 0.0, 1.0)], "budget": 3, "method": toy.ToyPolicy()} | change
    with pytest.raises(taut.TautError) as caught:
        taut.minimize(toy.square, **arguments)  # type: ignore[arg-type]
    assert all(fragment in str(caught.value) for fragment in fragments)


@pytest.mark.parametrize("solve", [taut.minimize, taut.maximize])
def test_its_arguments_can_be_seen_and_are_checked(solve: Callable[..., object]) -> None:
    shown = inspect.signature(solve).parameters
    assert list(shown)[:4] == ["objective", "parameters", "constraints", "budget"]
    defaults = {name: each.default for name, each in shown.items() if each.default is not each.empty}
    assert defaults.pop("method") == "dckg" and defaults.pop("seed") == 0
    assert defaults.pop("verify") is True
    assert set(defaults.values()) == {None} and len(defaults) == 9
    with pytest.raises(TypeError, match=r"minimize/maximize\(\) got an unexpected keyword argument 'sed'"):
        solve(toy.square, {"x": (0.0, 1.0)}, budget=3, sed=1)


def test_measured_costs() -> None:
    def slow(point: dict[str, float]) -> float:
        time.sleep(2e-3)
        return point["x"] ** 2

    best = taut.minimize(
        slow, {"x": (-1.0, 1.0)}, {"c": (lambda point: -slow(point), 0.5)}, budget=0.02,
        costs="measured", method="random", initial=2,
    )  # fmt: skip
    assert best.study.problem.measured and best.study.spent < 1.0
    assert all(row.seconds is not None for row in best.study.observations)
    with pytest.raises(taut.ProblemError, match="costs: cost must be"):
        taut.minimize(lambda point: 0.0, {"x": (0.0, 1.0)}, budget=1.0, costs="often")  # type: ignore[arg-type]


def test_a_constraint_with_a_formula_needs_no_callable() -> None:
    known = taut.Constraint("g", at_least=0.7, formula="x")
    square = lambda point: (point["x"] - 0.5) ** 2  # noqa: E731
    for call in (None, square):
        best = taut.minimize(square, {"x": (0.0, 1.0)}, {"g": (call, known)}, budget=3, method="cei+", initial=3)
        assert best.study.counts["g"] == 0 and 0.7 <= best.point["x"] < 0.72
    with pytest.raises(taut.UnknownNameError, match="No callable for 'objective'; expected 'objective', got nothing"):
        best.study.run({}, budget=9)
