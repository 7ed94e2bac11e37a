"""The search of the entropy methods: raw candidates, ascents, other sets, what may be evaluated."""

from dataclasses import dataclass

import numpy as np
import pytest
from bumps import Bump, Bumps
from states import chosen, context, known, under_way

from taut.base.arrays import Array
from taut.policy.context import Context
from taut.policy.menu import Set
from taut.policy.search.criterion_search import CriterionSearch, InformationCriterion

CENTRES = np.array([[0.3, 0.3], [0.7, 0.6], [0.2, 0.8], [0.6, 0.15]])
SETS: list[Set] = [(0,), (1,), (2,), (3,), (0, 1, 2, 3)]


@dataclass(frozen=True)
class Summed:
    """Bumps as information: sets are given by membership, and functions add up."""

    bumps: Bumps

    def at(self, x: Array) -> Array:
        return self.bumps.at(x)

    def value(self, parts: Array, S: Set) -> Array:
        return self.bumps.value(parts, S)

    def value_with_gradient(self, x: Array, member: Array) -> tuple[Array, Array]:
        parts = [self.bumps.values_with_gradient(x, [((k,), np.arange(len(x)))]) for k in range(len(member))]
        value = sum(member[k] * each for k, (each, _) in enumerate(parts))
        gradient = sum(member[k][:, None] * slope for k, (_, slope) in enumerate(parts))
        return value, gradient  # type: ignore[return-value]


def information(*heights: float) -> Summed:
    return Summed(Bumps([[Bump(centre, h, 0.1)] for centre, h in zip(CENTRES, heights, strict=True)]))


def search(score: Summed, made: Context | None = None) -> CriterionSearch:
    made = made or context(known("test_function_2", 10))
    return CriterionSearch.of(made, InformationCriterion(score, len(made.names)))


NOWHERE = np.empty((0, 2))


def test_every_set_is_climbed_to_its_maximum_and_the_best_per_cost_is_first() -> None:
    score = information(1.0, 2.0, 3.0, 4.0)
    found = search(score).climb(SETS, NOWHERE)
    rates = [each.value_per_cost for each in found]
    assert rates == sorted(rates, reverse=True) and {each.S for each in found} == set(SETS)
    for k in range(4):
        first = next(each for each in found if each.S == (k,))
        assert first.x == pytest.approx(CENTRES[k], abs=0.01) and first.value == pytest.approx(k + 1.0, rel=1e-2)
    assert found[0].S == (3,)


def test_places_where_the_optimum_may_be_are_candidates() -> None:
    """A maximum so narrow that nothing else leads there."""
    hidden = Summed(Bumps([[Bump(np.array([0.437, 0.561]), 1.0, 1e-3)]] + [[Bump(CENTRES[0], 0.0, 1.0)]] * 3))
    with_it = search(hidden).climb([(0,)], np.array([[0.437, 0.5612]]))
    assert with_it[0].value == pytest.approx(1.0, rel=1e-3)
    without = search(hidden).climb([(0,)], NOWHERE)
    assert not without or without[0].value < 0.5


def test_sets_that_tell_nothing_are_not_climbed() -> None:
    nothing = context(known("test_function_2", 10)).settings.sets.nothing
    assert {each.S for each in search(information(1.0, nothing / 2.0, 0.0, 1.0)).climb(SETS[:4], NOWHERE)} == {
        (0,),
        (3,),
    }


def test_other_sets_are_climbed_from_where_they_were_found() -> None:
    made = search(information(1.0, 1.0, 1.0, 1.0))
    starts = [made.context.menu.candidate(CENTRES[k] + 0.03, (k,), 0.5) for k in (2, 1)]
    ends = made.polish(starts)
    assert sorted(each.S for each in ends) == [(1,), (2,)]
    for each in ends:
        assert each.x == pytest.approx(CENTRES[each.S[0]], abs=1e-3) and each.value > 0.99
    assert made.polish([]) == []


def test_only_what_is_new_can_be_paid_and_tells_something() -> None:
    at = np.array([0.3, 0.3])
    request = under_way(known("test_function_2", 10), "c1", at)
    made = search(information(1.0, 2.0, 0.0, 1.0), context(request))
    menu = made.context.menu
    both, known_one, empty = (menu.candidate(at, S, 1.0) for S in ((0, 1), (1,), (2,)))
    (left,) = made.evaluable([both, known_one, menu.candidate(at, empty.S, 0.0)])
    assert left.S == (0,) and left.value == pytest.approx(1.0)


def test_the_number_of_raw_candidates_follows_its_option() -> None:
    looked = []

    class Counted(Summed):
        def at(self, x: Array) -> Array:
            looked.append(len(x))
            return super().at(x)

    for raw in (12, 48):
        score = Counted(information(1.0, 1.0, 1.0, 1.0).bumps)
        search(score, context(known("test_function_2", 10), chosen(raw=raw))).climb([(0,)], NOWHERE)
    assert looked[0] < 3 * 12 and 3 * 12 < max(looked)
