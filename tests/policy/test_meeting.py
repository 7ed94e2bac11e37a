"""Many constraints in play: functions are asked at one place."""

from itertools import pairwise

import numpy as np
import pytest
from states import chosen, context, everywhere

import taut
from taut.policy.context import Context
from taut.policy.ei import maxima
from taut.policy.kg import DecoupledKG
from taut.policy.meeting import between_looks, crowded, met
from taut.policy.search.candidates import points
from taut.policy.search.finalists import FirstLook
from taut.policy.settings import Settings

FAST = chosen(search_raw=128, search_starts=6)
POINTS = np.random.default_rng(3).random((6, 2)) * 0.6


def corner(count: int) -> tuple[taut.Problem, dict[str, object]]:
    """Up and to the right, as far as `count` straight walls through (0.7, 0.7) allow."""
    names = [f"c{k}" for k in range(count)]
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint(name, at_most=0.0) for name in names],
    )

    def wall(angle: float) -> object:
        a, b = np.cos(angle), np.sin(angle)
        return lambda q: float(np.expm1(a * (q["x"] - 0.7) + b * (q["y"] - 0.7)))

    walls = {name: wall(angle) for name, angle in zip(names, np.linspace(0.1, 1.4, count), strict=True)}
    return problem, {"f": lambda q: q["x"] + q["y"], **walls}


def made(count: int, settings: Settings = FAST) -> Context:
    problem, functions = corner(count)
    return context(everywhere(problem, functions, POINTS), settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("count, many", [(3, False), (4, True), (8, True)])
def test_a_crowd_begins_with_four_constraints(count: int, many: bool) -> None:
    given = made(count)
    assert crowded(given, FirstLook(given, points(given))) == many


def test_switched_off_there_is_no_meeting_place() -> None:
    off = made(8, chosen(search_raw=128, search_starts=6, meet=False))
    assert not crowded(off, FirstLook(off, points(off))) and between_looks(off) == 0
    assert not chosen("paper").finish.meet


def test_the_choice_is_a_single_function_at_the_maximum_of_expected_improvement() -> None:
    given = made(8)
    look, place = FirstLook(given, points(given)), maxima(given, given.optimum.centre).x[0]
    (choice,) = met(given, look, [])
    assert len(choice.S) == 1 and choice.value > 0.0 and np.array_equal(choice.x, place)


@pytest.mark.parametrize("share, stays", [(0.9, True), (1.1, False)])
def test_the_best_candidate_elsewhere_must_not_be_worth_much_more(share: float, stays: bool) -> None:
    given = made(8)
    look = FirstLook(given, points(given))
    (choice,) = met(given, look, [])
    worth = share * choice.value_per_cost / given.settings.finish.meet_share
    other = given.menu.candidate(np.array([0.1, 0.9]), (0,), worth * given.menu.cost((0,)))
    found = met(given, look, [other])
    assert (found[0].S, found[0].x.tolist()) == ((choice.S, choice.x.tolist()) if stays else ((0,), [0.1, 0.9]))


def test_the_next_functions_are_asked_at_about_the_same_place() -> None:
    """Of a round of functions, with a place of its own for each wall the asked points lie apart."""

    def spread(settings: Settings) -> float:
        problem, functions = corner(8)
        study = taut.Study(problem, seed=1, initial=6, options={"meet": settings.finish.meet})
        asked = []
        for _ in range(6 + 8):
            suggestion = study.ask()
            study.tell(suggestion, {name: functions[name](suggestion.point) for name in suggestion.functions})  # type: ignore[operator]
            asked.append(list(suggestion.point.values()))
        steps = [np.abs(np.subtract(a, b)).max() for a, b in pairwise(asked[6:])]
        return float(np.median(steps))

    assert spread(FAST) < spread(chosen(meet=False))


def test_the_ablation_has_no_meeting_place() -> None:
    problem, functions = corner(8)
    request = everywhere(problem, functions, POINTS)  # type: ignore[arg-type]
    rng = np.random.default_rng
    settings = [FAST, chosen(search_raw=128, search_starts=6, meet=False)]
    found = [DecoupledKG(each, coupled=False).suggest(request, rng(0)) for each in settings]
    assert found[0].functions == found[1].functions and np.array_equal(found[0].point, found[1].point)


def test_looks_come_once_round() -> None:
    assert between_looks(made(8)) == 9
