"""The menu: bundles and their costs, what would be new, and which candidate is best."""

from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, state, under_way

import taut
from taut.data.dataset import Request
from taut.policy.menu import Candidate, Menu, best_candidate, ranked

AT = {"x": 0.25, "y": 0.5}
HERE, ELSEWHERE = np.array([0.25, 0.5]), np.array([0.75, 0.5])


def problem(groups: tuple[taut.Group, ...] = (), noise: float | None = None) -> taut.Problem:
    """Declared f, b, a; positions are f, a, b."""
    return taut.Problem(
        [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
        taut.Objective("f", cost=2.0, noise=noise),
        [taut.Constraint("b", at_most=0.0, cost=1.0), taut.Constraint("a", at_most=0.0, cost=3.0)],
        groups=groups,
    )


GROUP = (taut.Group("both", ("f", "a"), cost=4.0),)


def menu(request: Request, remaining: float = np.inf) -> Menu:
    return context(replace(request, remaining=remaining)).menu


@pytest.mark.parametrize(
    ("groups", "remaining", "bundles"),
    [
        ((), np.inf, ((0,), (1,), (2,))),
        ((), 2.0, ((0,), (2,))),
        ((), 0.5, ()),
        (GROUP, np.inf, ((0, 1), (2,))),
        (GROUP, 3.0, ((2,),)),
    ],
)
def test_bundles_that_can_be_paid(
    groups: tuple[taut.Group, ...], remaining: float, bundles: tuple[tuple[int, ...], ...]
) -> None:
    assert menu(state(problem(groups), []), remaining).bundles == bundles


def test_functions_go_with_their_group() -> None:
    made = menu(state(problem(GROUP), []), 4.0)
    assert made.names == ("f", "a", "b") and made.everything == (0, 1, 2)
    assert made.complete([0]) == made.complete([1]) == (0, 1) and made.complete([2]) == (2,)
    assert made.cost((0, 1)) == 4.0 and made.cost((0, 1, 2)) == 5.0
    assert made.affordable((0, 1)) and not made.affordable((0, 1, 2))


def test_a_budget_of_rounded_costs_is_enough() -> None:
    third = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", cost=0.1 + 0.2))
    assert menu(state(third, []), 0.3).bundles == ((0,),)


def test_names_are_given_in_declared_order() -> None:
    made = menu(state(problem(), []))
    assert made.label((0, 1, 2)) == "f+b+a" and made.label([1]) == "a"


def test_what_is_known_under_way_or_failed_is_not_new() -> None:
    request = under_way(state(problem(), [("f", AT, 1.0), ("a", AT, None)]), "b", ELSEWHERE)
    made = menu(request)
    assert [made.is_new(HERE, k) for k in range(3)] == [False, False, True]
    assert [made.is_new(ELSEWHERE, k) for k in range(3)] == [True, True, False]
    assert made.evaluable(HERE, (0, 1, 2)) == (2,) and made.evaluable(ELSEWHERE, (0, 1, 2)) == (0, 1)


def test_a_noisy_function_may_be_repeated_except_where_it_failed() -> None:
    known = menu(under_way(state(problem(noise=0.1), [("f", AT, 1.0)]), "f", ELSEWHERE))
    assert known.is_new(HERE, 0) and known.is_new(ELSEWHERE, 0)
    assert not menu(state(problem(noise=0.1), [("f", AT, None)])).is_new(HERE, 0)


def test_the_same_point_is_one_within_a_millionth() -> None:
    made = menu(state(problem(), [("f", AT, 1.0)]))
    assert not made.is_new(HERE + 0.9e-6, 0) and made.is_new(HERE + [0.0, 1.1e-6], 0)
    wider = context(state(problem(), [("f", AT, 1.0)]), chosen(knobs={"pending": {"same_point": 0.1}})).menu
    assert not wider.is_new(HERE + 0.09, 0) and wider.is_new(HERE + 0.11, 0)


def test_with_a_new_function_its_group_is_evaluated() -> None:
    made = menu(state(problem(GROUP), [("f", AT, 1.0), ("b", AT, 1.0)]))
    assert made.evaluable(HERE, (0, 1, 2)) == (0, 1)


def candidate(S: tuple[int, ...], value: float, cost: float) -> Candidate:
    return Candidate(HERE, S, value, cost)


def test_the_best_candidate_has_the_highest_value_per_cost() -> None:
    assert best_candidate([candidate((0,), 2.0, 2.0), candidate((1,), 1.5, 1.0)]).S == (1,)


def test_a_larger_set_must_be_strictly_better_and_ties_go_to_the_first_function() -> None:
    singles, pair = [candidate((2,), 1.0, 1.0), candidate((1,), 1.0, 1.0)], candidate((0, 1), 2.0, 2.0)
    assert best_candidate([pair, *singles]).S == (1,)
    assert best_candidate([*singles, replace(pair, value=2.001)]).S == (0, 1)


def test_ranking_is_by_value_per_cost_and_stable() -> None:
    rows = [candidate((0,), 1.0, 2.0), candidate((1,), 3.0, 2.0), candidate((2,), 1.0, 2.0)]
    assert [each.S for each in ranked(rows)] == [(1,), (0,), (2,)]


def test_a_candidate_costs_what_its_set_costs() -> None:
    made = menu(state(problem(GROUP), [])).candidate(HERE, (0, 1, 2), 10.0)
    assert made.cost == 5.0 and made.value_per_cost == 2.0
