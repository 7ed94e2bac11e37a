"""One place has one point, to the last digit: a program may not be smooth there."""

from typing import Any

import numpy as np
import toy

import taut
from taut.bench import problem as bench_problem
from taut.data.dataset import Belief, Proposal, Request
from taut.problem.space import from_unit, to_unit

PROBLEM = taut.Problem(
    [taut.Real("x", 0.1, 0.7), taut.Real("y", 0.3, 90.0, log=True)],
    taut.Objective("f"),
    [taut.Constraint("c", at_most=0.0), taut.Constraint("k", at_most=0.9, formula="x")],
)


class Again(toy.ToyPolicy):
    """Asks for the rest where something was asked or told before, in the cube."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        data = request.dataset
        places = [*data.X[0], *data.pending[0]]
        return Proposal(places[-1], ("c",)) if places else Proposal(rng.random(2), ("f",))

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        return Belief(request.dataset.X[0][0], *(np.zeros(3) for _ in range(3)), 1.0)


def unsteady() -> dict[str, Any]:
    """A point that comes back from the cube in another digit."""
    rng = np.random.default_rng(1)
    for _ in range(1000):
        point = from_unit(PROBLEM, rng.random(2))
        if from_unit(PROBLEM, to_unit(PROBLEM, point)) != point:
            return point
    raise AssertionError("none found")


def study() -> taut.Study:
    return taut.Study(PROBLEM, method=Again(), initial=0)


def test_what_was_added_is_asked_for_and_recommended_in_its_own_digits() -> None:
    point, found = unsteady(), study()
    found.add(point, {"f": 1.0})
    suggestion = found.ask()
    assert suggestion.functions == ("c",) and suggestion.point == point
    found.tell(suggestion, {"c": -1.0})
    best, incumbent = found.recommend(), found.incumbent()
    assert best.verified and best.point == point and incumbent is not None and incumbent.point == point
    assert found.replay(1) == suggestion


def test_what_is_under_way_as_well() -> None:
    found = taut.Study(PROBLEM, method=Again(), initial=0, seed=2)
    first = found.ask()
    assert from_unit(PROBLEM, to_unit(PROBLEM, first.point)) != first.point
    assert found.ask().point == first.point


def test_what_is_added_in_other_digits_is_the_same_place() -> None:
    found = study()
    first = found.ask()
    found.tell(first, {"f": 1.0})
    found.add({name: value * (1.0 - 2e-15) for name, value in first.point.items()}, {"c": -1.0})
    assert {tuple(row.point.values()) for row in found.observations} == {tuple(first.point.values())}
    assert found.recommend().verified


def test_an_initial_point_in_other_digits_is_asked_for_once() -> None:
    problem = taut.Problem([taut.Real("x", 0.1, 0.7)], taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])
    first = taut.Study(problem, initial=2).ask().point["x"]
    found = taut.Study(problem, initial=2)
    found.add({"x": first * (1.0 + 1e-15)}, {"f": 1.0})
    rows = [found.ask() for _ in range(2)]
    assert [row.initial for row in rows] == [True, True] and rows[0].point != rows[1].point


def test_every_function_of_a_verified_answer_was_asked_at_the_very_same_point() -> None:
    bench = bench_problem("mystery")
    found = taut.Study(bench.problem, seed=1, initial=6)
    best = found.run(bench.functions, budget=8.0)
    rows = [row.function for row in found.observations if row.point == best.point]
    assert best.verified and set(rows) == set(bench.problem.functions)
