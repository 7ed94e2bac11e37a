"""Every method on functions that give a model nothing to work with: it must go on asking, without warnings."""

from collections.abc import Callable

import numpy as np
import pytest

import taut

ASKS = 2
METHODS = ["dckg", "dckg-uncoupled", "ckg", "cei+", "cei", "ucb-d", "cmes", "pesc", "pesc-coupled"]
Function = Callable[[dict[str, float]], float]
CASES: dict[str, tuple[Function, Function, dict[str, float]]] = {
    "constant objective": (lambda x: 7.0, lambda x: x["u"] - 0.5, {"at_most": 0.0}),
    "everything constant": (lambda x: 0.0, lambda x: 0.0, {"at_most": 0.0}),
    "always violated": (lambda x: x["u"], lambda x: 100.0, {"at_most": 0.0}),
    "always violated, two-sided": (lambda x: x["v"], lambda x: 1e6, {"at_least": -0.5, "at_most": 0.5}),
    "always met": (lambda x: x["u"] * x["v"], lambda x: -100.0, {"at_most": 0.0}),
    "orders of magnitude": (lambda x: 1e12 * x["u"], lambda x: np.exp(20.0 * x["v"]) - 5.0, {"at_most": 0.0}),
    "rounding only": (lambda x: 1e8 + 1e-7 * x["u"], lambda x: 1e-13 * (x["v"] - 0.5), {"at_most": 0.0}),
    "a jump": (lambda x: float(x["u"] > 0.5), lambda x: float(x["v"] > 0.3) - 0.5, {"at_least": 0.0}),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_asking_goes_on(case: str, method: str) -> None:
    f, c, limits = CASES[case]
    problem = taut.Problem(
        parameters=[taut.Real("u", 0.0, 1.0), taut.Real("v", 0.0, 1.0)],
        objective=taut.Objective("f", goal="maximize"),
        constraints=[taut.Constraint("c", **limits)],  # type: ignore[arg-type]
    )
    study = taut.Study(problem, method=method, initial=4, seed=2)
    seen = set()
    for _ in range(4 + ASKS):
        suggestion = study.ask()
        study.tell(suggestion, {name: {"f": f, "c": c}[name](suggestion.point) for name in suggestion.functions})
        for name in suggestion.functions:
            seen.add((name, *suggestion.point.values()))
    assert len(seen) >= 8 + ASKS  # nothing deterministic was asked for twice
    best = study.recommend()
    assert all(0.0 <= value <= 1.0 for value in best.point.values())
    assert np.isfinite(best.objective).all() and 0.0 <= best.feasibility <= 1.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [0.0, -3.0])
def test_a_constant_objective_without_constraints(method: str, value: float) -> None:
    problem = taut.Problem([taut.Real("u", 0.0, 1.0)], taut.Objective("f", goal="minimize"))
    study = taut.Study(problem, method=method, initial=2)
    for _ in range(4):
        study.tell(study.ask(), {"f": value})
    assert study.recommend().objective[0] == pytest.approx(value, abs=1e-6)
