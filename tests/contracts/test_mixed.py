"""What every method promises on a problem with whole numbers, a catalogue, a choice and a real parameter."""

from typing import Any

import pytest

import taut
from taut.policy import METHODS

FAST = {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 2}
PROBLEM = taut.Problem(
    parameters=[
        taut.Choice("material", ("steel", "aluminium", 3)),
        taut.Integer("ribs", 1, 12),
        taut.Ordinal("wire", (0.207, 0.225, 0.263, 0.283)),
        taut.Real("width", 1.0, 5.0),
    ],
    objective=taut.Objective("mass", goal="minimize"),
    constraints=[taut.Constraint("stress", at_most=1.0), taut.Constraint("fit", at_most=9.0)],
    groups=[taut.Group("cfd", ("stress", "fit"), cost=1.5)],
)
STRENGTH: dict[Any, float] = {"steel": 2.0, "aluminium": 1.0, 3: 1.5}
FUNCTIONS = {
    "mass": lambda q: q["width"] * q["ribs"] * STRENGTH[q["material"]] + 10.0 * q["wire"],
    "stress": lambda q: 4.0 / (q["width"] * STRENGTH[q["material"]]) - 0.05 * q["ribs"],
    "fit": lambda q: q["width"] - 20.0 * q["wire"],
}


def same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    return list(map(repr, one.values())) == list(map(repr, two.values()))


@pytest.fixture(params=sorted(METHODS))
def study(request: pytest.FixtureRequest) -> taut.Study:
    return taut.Study(PROBLEM, method=request.param, seed=2, initial=3, options=FAST)


def test_a_run_asks_for_admissible_values_and_can_be_repeated(study: taut.Study) -> None:
    best = study.run(FUNCTIONS, budget=5.0)
    points = [row.point for row in study.suggestions] + [best.point]
    assert all(same(PROBLEM.check_point(point), point) for point in points)
    last = study.suggestions[-1]
    assert study.replay(last.number) == last and same(study.replay(last.number).point, last.point)
    prediction = study.predict({"material": 3, "ribs": 2, "wire": 0.225, "width": 2.5})
    assert prediction["mass"][1] >= 0.0
    if study.method == "dckg":  # all methods judge alike
        assert [row.constraint for row in study.relevance()] == ["stress", "fit"]
    assert 0.0 <= best.feasibility <= 1.0


def test_failures_and_work_under_way(study: taut.Study) -> None:
    for _ in range(3):
        row = study.ask()
        study.tell(row, {name: FUNCTIONS[name](row.point) for name in row.functions})
    failing = study.ask()
    study.tell(failing, dict.fromkeys(failing.functions))
    waiting = [study.ask() for _ in range(2)]
    places = {(name, repr(row.point)) for row in (failing, *waiting) for name in row.functions}
    assert len(places) == sum(len(row.functions) for row in (failing, *waiting))
    assert all(same(PROBLEM.check_point(row.point), row.point) for row in waiting)


def test_a_minimum_in_one_call() -> None:
    best = taut.minimize(
        lambda q: (q["n"] - 3) ** 2 + (0.0 if q["m"] == "b" else 0.5),
        [taut.Integer("n", 1, 5), taut.Choice("m", ("a", "b"))],
        budget=30,
    )
    assert best.point == {"n": 3, "m": "b"} and type(best.point["n"]) is int
