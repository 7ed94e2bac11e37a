"""Sets between single functions and all of them: which are compared, by enumeration or in steps."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from bumps import Bump, Bumps
from states import chosen, context, known

import taut
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set
from taut.policy.search.subsets import other_sets

X = np.array([0.4, 0.6])


def flat(count: int, **factors: float) -> Bumps:
    """Every function is worth 1 everywhere; factors of sets by their digits, _012=3.0."""
    return Bumps(
        [[Bump(X, 1.0, 1e3)] for _ in range(count)],
        {tuple(int(k) for k in name[1:]): factor for name, factor in factors.items()},
    )


def state(**more: object) -> Context:
    """Four functions, all of them in doubt at X."""
    return context(known("test_function_2", 8), chosen(knobs={"sets": more}))


def singles(made: Context, value: float = 1.0, x: np.ndarray = X) -> list[Candidate]:
    return [made.menu.candidate(x, S, value) for S in made.menu.bundles]


def sets(found: list[Candidate]) -> set[Set]:
    return {candidate.S for candidate in found}


def in_doubt(made: Context) -> Set:
    S = made.uncertain(X)
    assert len(S) == len(made.names), "the state must leave every function in doubt at X"
    return S


def test_between_two_bundles_and_all_of_them_there_is_nothing() -> None:
    made = context(known("mystery", 8))
    assert other_sets(made, flat(2, _01=9.0), singles(made)) == []
    grouped = taut.Group("all", ("f", "c1", "c2"), cost=2.0)
    tested = taut.bench.problem("test_function_2").problem
    two = context(
        replace(
            known("test_function_2", 8),
            problem=taut.Problem(tested.parameters, tested.objective, tested.constraints, (grouped,)),
        )
    )
    assert other_sets(two, flat(4, _012=9.0), singles(two)) == []


def test_the_best_sets_are_found_with_their_value_and_cost() -> None:
    made = state()
    in_doubt(made)
    found = other_sets(made, flat(4, _013=5.0, _23=3.0), singles(made))
    assert [each.S for each in found[:2]] == [(0, 1, 3), (2, 3)]
    assert [each.value_per_cost for each in found[:2]] == pytest.approx([5.0, 3.0], rel=1e-5)
    assert found[0].cost == 3.0 and np.array_equal(found[0].x, X) and found[0].maxima is None


def test_known_sets_and_sets_far_below_the_best_are_left_out() -> None:
    made = state(worth=0.5)
    criterion = flat(4, **{f"_{''.join(map(str, S))}": 0.1 for n in (2, 3, 4) for S in combinations(range(4), n)})
    assert other_sets(made, criterion, singles(made)) == []
    pair = made.menu.candidate(X, (0, 1), 9.0)
    assert (0, 1) not in sets(other_sets(made, flat(4, _01=9.0), [*singles(made), pair]))


def test_no_more_than_a_few_of_the_best() -> None:
    assert len(other_sets(state(points=2), flat(4), singles(state()))) == 2


def test_a_set_is_taken_where_it_is_worth_most() -> None:
    made = state()
    other = X + 0.05
    assert {0, 1} <= set(made.uncertain(other))
    peaked = Bumps([[Bump(other, 2.0, 0.1)] for _ in range(4)], {(0, 1): 5.0})
    candidates = [made.menu.candidate(x, (0,), value) for x, value in ((X, 1.0), (other, 2.0))]
    best = next(each for each in other_sets(made, peaked, candidates) if each.S == (0, 1))
    assert np.array_equal(best.x, other)


def test_sets_that_cannot_be_paid_are_left_out() -> None:
    made = context(replace(known("test_function_2", 8), remaining=2.0))
    found = sets(other_sets(made, flat(4), singles(made)))
    assert found and all(len(S) == 2 for S in found)


def test_what_is_certain_there_joins_no_set() -> None:
    made = context(known("mystery_redundant8", 10))
    S = set(made.uncertain(X))
    assert len(S) < len(made.names)
    for found in sets(other_sets(made, flat(len(made.names)), singles(made))):
        assert set(found) <= S


@pytest.mark.parametrize("best", [(0, 2), (0, 1, 3), (0, 1, 2, 3), (1, 2, 3)])
def test_steps_find_what_enumeration_finds(best: Set) -> None:
    """Worthless one by one; forward from pairs with the objective and backward from everything still lead there."""
    alone = {f"_{''.join(map(str, S))}": 0.2 for n in (1, 2, 3, 4) for S in combinations(range(4), n)}
    towards = {
        f"_{''.join(map(str, S))}": 0.3 + 0.1 * len(set(S) & set(best)) - 0.05 * len(set(S) - set(best))
        for n in (2, 3, 4)
        for S in combinations(range(4), n)
    }
    criterion = flat(4, **{**alone, **towards, f"_{''.join(map(str, best))}": 4.0})
    for most in (5, 1):
        made = state(enumerate=most)
        in_doubt(made)
        assert other_sets(made, criterion, singles(made, 0.2))[0].S == best


def test_among_many_bundles_the_objective_and_the_most_doubtful_are_compared() -> None:
    made = state(compared=2, points=9, worth=0.0)
    S = in_doubt(made)
    doubt = dict(zip(S[1:], 1.0 - made.feasibilities(X), strict=True))
    (found,) = other_sets(made, flat(4), singles(made))
    assert found.S == (0, max(doubt, key=lambda k: doubt[k]))
