"""Known constraints: what they mean, and what their limits cost."""

import pytest

import taut
from taut.policy.known_verdicts import _verdict
from taut.policy.question_settings import RelevanceSettings


def test_verdicts_and_prices_of_known_constraints() -> None:
    """min w h subject to w h^2 >= 20 (simulated) and h <= r w with r = 2: the optimum is 20^(2/3) r^(-1/3)."""
    problem = taut.Problem(
        [taut.Real("w", 1.0, 9.0), taut.Real("h", 1.0, 9.0)],
        taut.Objective("mass", goal="minimize", formula="w * h"),
        [
            taut.Constraint("stress", at_most=10.0),
            taut.Constraint("slender", at_most=2.0, formula="h / w"),
            taut.Constraint("room", at_most=100.0, formula="w + h"),
        ],
    )
    study = taut.Study(problem, seed=0)
    study.run({"stress": lambda point: 200.0 / (point["w"] * point["h"] ** 2)}, budget=26, verify=False)
    stress, slender, room = study.relevance()
    best = 20.0 ** (2 / 3) * 2.0 ** (-1 / 3)
    assert study.recommend().objective == (pytest.approx(best, rel=1e-3), 0.0)
    assert (stress.verdict, slender.verdict, room.verdict) == ("binding", "binding", "irrelevant")
    assert slender.price is not None
    mean, low, high = slender.price
    assert low <= best / 6.0 <= high and mean == pytest.approx(best / 6.0, rel=0.15)
    assert slender.margin == (pytest.approx(0.0, abs=1e-3), 0.0) and slender.limit == ("at_most", 2.0)
    assert room.margin is not None and room.margin[0] > 90.0 and (room.matters, room.binds) == (0.0, 0.0)
    assert (slender.evaluations, slender.cost, slender.coupled_cost) == (0, 0.0, 0.0)


def test_a_known_constraint_that_may_have_a_price_is_not_called_irrelevant() -> None:
    """The lightest cantilever of slenderness 5 at most: both limits bind, and with six values nobody can tell."""
    problem = taut.Problem(
        [taut.Real("width", 10.0, 60.0), taut.Real("height", 20.0, 80.0)],
        taut.Objective("mass", goal="minimize", formula="7.85e-3 * width * height"),
        [
            taut.Constraint("stress", at_most=150.0, cost=5),
            taut.Constraint("slender", at_most=5.0, formula="height / width"),
        ],
    )
    study = taut.Study(problem, seed=0)
    for _ in range(6):
        suggestion = study.ask()
        width, height = suggestion.point["width"], suggestion.point["height"]
        study.tell(suggestion, {"stress": 1.2e7 / (width * height**2)})
    _, slender = study.relevance()
    assert slender.price is not None and slender.price[2] > 0.0
    assert slender.verdict == "undecided" and 0.0 < slender.matters <= 1.0


def test_verdicts_of_known_constraints() -> None:
    settings = RelevanceSettings()
    words = [
        _verdict(True, 1.0, 1.0, settings),
        _verdict(True, 0.5, 1.0, settings),
        _verdict(True, 0.0, 1.0, settings),
        _verdict(False, 0.5, 0.0, settings),
        _verdict(False, 0.0, 0.0, settings),
        _verdict(False, 0.0, 0.2, settings),
    ]
    assert words == ["binding", "undecided", "excluding", "undecided", "irrelevant", "undecided"]


def test_a_known_constraint_behind_which_nobody_can_look_is_not_called_irrelevant() -> None:
    problem = taut.Problem(
        [taut.Integer("n", 0, 3), taut.Choice("m", ("a", "b"))],
        taut.Objective("f", goal="minimize"),
        [taut.Constraint("one", at_least=1.0, formula="n"), taut.Constraint("few", at_most=3.0, formula="n")],
    )
    study = taut.Study(problem, seed=0)
    study.run({"f": lambda point: point["n"] * (1 if point["m"] == "a" else 2)}, budget=20.0)
    one, few = study.relevance()  # without the first, n = 0 would be better; without the second nothing
    assert study.finished and study.recommend().point == {"n": 1, "m": "a"}
    assert one.verdict in ("binding", "excluding", "undecided") and one.matters > 0.1
    assert few.verdict == "irrelevant" and few.matters == 0.0


def test_a_design_that_is_as_good_is_nothing_to_hope_for() -> None:
    problem = taut.Problem(
        [taut.Integer("n", 0, 1), taut.Choice("m", ("a", "b"))],
        taut.Objective("f", goal="minimize", formula="n"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("g", at_least=1.0, formula="n + t[m]")],
        tables={"t": {"a": 0.0, "b": 1.0}},
    )
    study = taut.Study(problem, seed=0)
    study.run({"c": lambda point: -1.0}, budget=20.0)
    assert study.recommend().point == {"n": 0, "m": "b"} and study.relevance()[1].verdict == "irrelevant"
