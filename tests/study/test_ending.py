"""The last words of a run that ends without a verified answer."""

import math

import pytest
import toy

import taut
from taut.data.results import Recommendation
from taut.study.ending import needed, unverified

POINT = {"x": 0.5}
BEST = Recommendation(POINT, (1.0, 0.1), 0.9, {"c": (0.0, 0.1, 0.9)}, measured={})


def study(**settings: object) -> taut.Study:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", cost=2.0),
        [taut.Constraint("c", at_least=1.0, at_most=3.0, cost=5.0), taut.Constraint("k", at_most=1.0, formula="x")],
        **settings,  # type: ignore[arg-type]
    )
    return taut.Study(problem, method=toy.ToyPolicy(), initial=0)


def words(found: taut.Study, **measured: float) -> str:
    best = Recommendation(POINT, (1.0, 0.1), 0.9, {}, measured={**measured, "k": 0.5})
    return unverified(found.problem, best, found.history)


def test_nothing_to_say_of_a_verified_answer() -> None:
    best = Recommendation(POINT, (1.0, 0.1), 0.9, {}, verified=True)
    assert unverified(study().problem, best, study().history) == ""


def test_what_was_not_evaluated_and_what_it_costs() -> None:
    there = "evaluated at this very point; to do so costs"
    assert words(study()) == f"not verified: nothing was {there} 7"  # what has a formula is no evaluation
    assert words(study(), f=1.0) == f"not verified: c was not {there} 5"
    group = study(groups=[taut.Group("both", ("f", "c"), cost=6.0)])
    assert words(group, f=1.0) == f"not verified: c was not {there} 6"  # they come together


def test_what_was_violated_and_by_how_much() -> None:
    assert words(study(), f=1.0, c=3.25).startswith(
        "not verified: as measured here, c is 3.25, 0.25 above its limit of 3;"
    )
    assert words(study(), c=0.5).startswith(
        "not verified: as measured here, c is 0.5, 0.5 below its limit of 1; another"
    )
    assert words(study(), c=0.5).endswith("another whole design costs 7")


def test_what_failed() -> None:
    found = study()
    found.add(POINT, {"c": None})
    assert words(found, f=1.0) == "not verified: c failed at this very point; another whole design costs 7"
    assert needed(found.problem, BEST, found.history) == 7.0


def test_where_a_setup_is_paid_it_is_not_paid_again() -> None:
    found = study(setups=[taut.Setup("mesh", ("f", "c"), cost=10.0)])
    assert words(found).endswith("costs 17")
    suggestion = found.ask()
    found.tell(suggestion, dict.fromkeys(suggestion.functions, 1.0))
    best = Recommendation(suggestion.point, (1.0, 0.1), 0.9, {}, measured={"f": 1.0})
    assert needed(found.problem, best, found.history) == 5.0


def test_a_run_says_so_in_the_note_of_its_answer() -> None:
    quiet, told = toy.study(), toy.study()
    quiet.run(toy.FUNCTIONS, budget=1.0, verify=False)
    assert "not verified" not in quiet.run(toy.FUNCTIONS, budget=1.0, verify=False).note
    best = told.run(toy.FUNCTIONS, budget=1.0)
    assert best.verified or "not verified: " in best.note


@pytest.mark.parametrize("cost", ["measured"])
def test_measured_costs_are_seconds(cost: str) -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", cost=cost))  # type: ignore[arg-type]
    found = taut.Study(problem, method=toy.ToyPolicy(), initial=1)
    found.tell(found.ask(), {"f": 1.0}, seconds={"f": 12.0})
    best = Recommendation(POINT, (1.0, 0.1), 1.0, {})
    assert unverified(problem, best, found.history).endswith(" s")
    assert math.isfinite(needed(problem, best, found.history))
