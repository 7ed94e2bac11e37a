"""The search of sets over the cube, with a criterion whose maxima are known; what may be evaluated there."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from bumps import Bump, Bumps
from processes import slope
from states import chosen, context, known, under_way

from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions
from taut.base.distinct import apart
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set
from taut.policy.search.optimum import Optimum
from taut.policy.search.sets import Groups, Ranking, Scales, SetSearch, evaluable, log_value_per_cost, reduced
from taut.policy.settings import ClimbSettings

ASCENT = AscentOptions(tolerance=1e-10, calls=60)
GRID = (np.stack(np.meshgrid(*[np.arange(8)] * 2), axis=-1).reshape(-1, 2) + 0.5) / 8.0
CENTRES = np.array([[0.3, 0.3], [0.7, 0.6], [0.2, 0.8], [0.6, 0.1]])
ONE_EACH = Bumps([[Bump(centre, 1.0 + k, 0.15)] for k, centre in enumerate(CENTRES)])


def search(criterion: Bumps, **settings: object) -> SetSearch:
    made = context(known("test_function_2", 10))
    climb = replace(made.settings.climb, **settings)  # type: ignore[arg-type]
    return SetSearch(criterion, made.menu, climb, Scales.of(made))


def ranking(criterion: Bumps, sets: list[Set], cost: float = 1.0) -> Ranking:
    at = criterion.at(GRID)
    return Ranking(GRID, {S: criterion.value(at, S) for S in sets}, {S: cost * len(S) for S in sets})


def climbed(criterion: Bumps, sets: list[Set], cost: float = 1.0, **settings: object) -> list[list[Candidate]]:
    return search(criterion, **settings).climb(ranking(criterion, sets, cost), ASCENT)


@pytest.mark.parametrize("cross_seed", [False, True])
def test_every_set_is_climbed_to_its_maximum(cross_seed: bool) -> None:
    sets: list[Set] = [(0,), (1,), (2,), (0, 1), (0, 1, 2, 3)]
    for S, ends in zip(sets, climbed(ONE_EACH, sets, cross_seed=cross_seed), strict=True):
        assert ends and {end.S for end in ends} == {S}
        heights = [end.value for end in ends]
        assert heights == sorted(heights, reverse=True)
        here = np.array([end.x for end in ends])
        assert heights == pytest.approx(ONE_EACH.value(ONE_EACH.at(here), S), rel=1e-9)
        dense = np.random.default_rng(0).random((20_000, 2))
        assert heights[0] >= ONE_EACH.value(ONE_EACH.at(dense), S).max() * (1.0 - 1e-6)
        assert ends[0].cost == len(S) and ends[0].metric is not None


def test_a_common_factor_of_all_costs_does_not_even_round() -> None:
    sets: list[Set] = [(0,), (1,), (0, 1)]
    one, three = (climbed(ONE_EACH, sets, cost, cross_seed=True) for cost in (1.0, 3.0))
    for first, second in zip(one, three, strict=True):
        assert all(np.array_equal(a.x, b.x) and a.value == b.value for a, b in zip(first, second, strict=True))


def test_only_leaders_are_climbed_from_several_starts() -> None:
    """The best set per cost is climbed from all starts, the other one from its best raw candidate."""
    twins = Bumps([[Bump(np.array([x, 0.5]), height, 0.1) for x in (0.2, 0.8)] for height in (1.0, 3.0)])
    few, many = (climbed(twins, [(0,), (1,)], starts=2, leaders=leaders, cross_seed=False) for leaders in (1, 2))
    assert [len(ends) for ends in few] == [1, 2] and [len(ends) for ends in many] == [2, 2]


def test_a_good_point_for_one_set_is_tried_for_the_others() -> None:
    """Function 1 has a narrow maximum where function 0 has a wide one: raw candidates alone do not see it."""
    here, there = np.array([0.25, 0.25]), np.array([0.8125, 0.8125])
    hidden = Bumps([[Bump(here, 1.0, 0.3)], [Bump(there, 0.5, 0.1), Bump(here, 10.0, 0.02)]])
    plain, seeded = (
        climbed(hidden, [(0,), (1,)], cross_seed=seed, starts=1, first=ASCENT)[1][0] for seed in (False, True)
    )
    assert plain.x == pytest.approx(there, abs=1e-3) and plain.value == pytest.approx(0.5, rel=1e-3)
    assert seeded.x == pytest.approx(here, abs=1e-3) and seeded.value == pytest.approx(10.0, rel=1e-3)


def test_sets_far_behind_take_no_part_after_the_first_ascent() -> None:
    low = Bumps([[Bump(CENTRES[0], 1.0, 0.15)], [Bump(CENTRES[1], 0.01, 0.15)]])
    first, second = climbed(low, [(0,), (1,)], cross_seed=True)
    assert first and second == []


def test_sets_without_value_and_no_sets_at_all() -> None:
    nothing = Bumps([[Bump(CENTRES[0], 0.0, 0.1)], [Bump(CENTRES[1], 1.0, 0.1)]])
    for cross_seed in (False, True):
        assert climbed(nothing, [(0,)], cross_seed=cross_seed) == [[]]
        assert [len(ends) > 0 for ends in climbed(nothing, [(0,), (1,)], cross_seed=cross_seed)] == [False, True]
        assert climbed(nothing, [], cross_seed=cross_seed) == []


def test_a_ranking_compares_by_cost_and_can_be_cut() -> None:
    made = ranking(ONE_EACH, [(0,), (3,), (0, 3)])
    assert made.best((0, 3)) == pytest.approx(made.values[0, 3].max() / 2.0)
    assert list(made.only([(3,)]).values) == list(made.only([(3,)]).costs) == [(3,)]


def test_another_set_at_a_point_has_its_own_value_and_cost() -> None:
    one = Candidate(CENTRES[0], (0,), 7.0, 1.0, metric=np.eye(2))
    both = search(ONE_EACH).valued(one, (0, 3))
    assert both.S == (0, 3) and both.cost == 2.0 and np.array_equal(both.x, CENTRES[0])
    assert both.value == pytest.approx(ONE_EACH.value(ONE_EACH.at(CENTRES[:1]), (0, 3))[0])


def test_scores_of_ascents_are_log_values_per_cost() -> None:
    sets: list[Set] = [(0,), (1, 2)]
    which, log_cost = np.array([0, 1, 1, 0]), np.log([1.0, 2.0, 2.0, 1.0])
    score = log_value_per_cost(ONE_EACH, sets, which, log_cost)
    x, rows = np.random.default_rng(1).random((3, 2)), np.array([3, 1, 0])
    value, gradient = score(x, rows)
    expected = [ONE_EACH.value(ONE_EACH.at(x), sets[which[row]])[i] for i, row in enumerate(rows)]
    assert value == pytest.approx(np.log(expected) - log_cost[rows])
    assert gradient == pytest.approx(slope(lambda u: score(u, rows)[0], x), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("mine", [[0, 0, 2], [2, 2, 2], [2, 0, 2], [1]])
def test_every_row_is_asked_for_once_with_its_own_set(mine: list[int]) -> None:
    asked: list[tuple[Set, list[int]]] = []

    class Counting:
        def values_with_gradient(self, x: Array, groups: Groups) -> tuple[Array, Array]:
            asked.extend((S, list(rows)) for S, rows in groups)
            return np.ones(len(x)), np.zeros(x.shape)

    sets: list[Set] = [(0,), (1,), (2,)]
    log_value_per_cost(Counting(), sets, np.array(mine), np.zeros(3))(np.zeros((len(mine), 2)), np.arange(len(mine)))  # type: ignore[arg-type]
    kinds, inverse = np.unique(mine, return_inverse=True)
    assert asked == [(sets[kind], list(np.flatnonzero(inverse == i))) for i, kind in enumerate(kinds)]


class TestScales:
    OPTIMUM = Optimum(np.array([0.5, 0.5]), 0.0, np.full((1, 2), 0.5), np.diag([1e-4, 1e-6]), True)
    SCALES = Scales(OPTIMUM, np.linalg.inv(OPTIMUM.metric), ClimbSettings())

    def chosen(self, *steps: tuple[float, float]) -> list[int]:
        points = 0.5 + np.array(steps)
        return list(apart(points, -np.arange(float(len(points))), 99, self.SCALES.close))

    def test_points_are_one_if_they_are_close_in_the_cube_and_in_the_ellipsoid(self) -> None:
        assert self.chosen((0.0, 0.0), (0.004, 0.0)) == [0]
        assert self.chosen((0.0, 0.0), (0.006, 0.0)) == [0, 1]  # more than half a semi-axis
        assert self.chosen((0.0, 0.0), (0.0, 0.004)) == [0, 1]  # along the narrow one
        assert self.chosen((0.0, 0.0), (0.004, 0.0), (0.3, 0.3), (0.004, 0.0003)) == [0, 2]

    def test_ascents_near_the_optimum_begin_with_its_shape(self) -> None:
        near, far = self.SCALES.guess(np.array([[0.52, 0.5], [0.9, 0.1]]))
        assert np.array_equal(near, self.OPTIMUM.metric) and far == pytest.approx(0.01 * np.eye(2))


def at(made: Context, x: np.ndarray, S: Set, value: float = 1.0) -> Candidate:
    return made.menu.candidate(x, S, value)


class TestEvaluable:
    """A known member is dropped and the rest valued again."""

    KNOWN, NEW = np.array([0.3, 0.3]), np.array([0.6, 0.2])
    MADE = context(under_way(known("test_function_2", 6), "c1", KNOWN))

    @staticmethod
    def revalue(candidate: Candidate, S: Set) -> Candidate:
        return replace(candidate, S=S, value=0.25, cost=float(len(S)))

    def test_what_is_new_stays_as_it_is(self) -> None:
        one = at(self.MADE, self.NEW, (0, 1))
        assert evaluable(self.MADE.menu, [one], self.revalue) == [one]

    def test_a_known_member_is_dropped(self) -> None:
        (found,) = evaluable(self.MADE.menu, [at(self.MADE, self.KNOWN, (0, 1))], self.revalue)
        assert found.S == (0,) and found.value == 0.25

    def test_where_nothing_is_new_a_point_beside_is_taken(self) -> None:
        known_one, beside = at(self.MADE, self.KNOWN, (1,)), at(self.MADE, self.NEW, (1,), 0.5)
        assert evaluable(self.MADE.menu, [known_one], self.revalue) == []
        assert evaluable(self.MADE.menu, [known_one], self.revalue, lambda each: [beside]) == [beside]

    def test_what_cannot_be_paid_is_left_out(self) -> None:
        menu = replace(self.MADE.menu, remaining=1.0)
        both, part = at(self.MADE, self.NEW, (0, 1)), at(self.MADE, self.KNOWN, (0, 1))
        assert [each.S for each in evaluable(menu, [both, part], self.revalue)] == [(0,)]
        dear = at(self.MADE, self.NEW, (0, 1))
        assert evaluable(menu, [at(self.MADE, self.KNOWN, (1,))], self.revalue, lambda each: [dear]) == []


class TestReduced:
    """The coupled set without what is certain at its point."""

    MADE = context(known("test_function_2", 24), chosen(delta=0.3))

    @staticmethod
    def revalue(candidate: Candidate, S: Set) -> Candidate:
        return replace(candidate, S=S, value=0.25)

    def test_certain_constraints_leave_the_coupled_set(self) -> None:
        sizes = set()
        for x in GRID:
            found = reduced(self.MADE, at(self.MADE, x, (0, 1, 2, 3)), self.revalue)
            assert found.S == self.MADE.uncertain(x)
            assert found.value == (1.0 if len(found.S) == 4 else 0.25)
            sizes.add(len(found.S))
        assert len(sizes) > 1

    def test_other_sets_stay_as_they_are(self) -> None:
        for S in [(0,), (1, 2), (1, 2, 3)]:
            one = at(self.MADE, GRID[0], S)
            assert reduced(self.MADE, one, self.revalue) is one


def test_a_slope_beyond_a_float_is_no_trouble() -> None:
    """A value of nothing with a huge slope: numerical trouble of a criterion that ascents leave out, not a warning."""

    class Cliff(Bumps):
        def values_with_gradient(self, x: Array, groups: Sequence[tuple[Set, Ints]]) -> tuple[Array, Array]:
            return np.zeros(len(x)), np.full(x.shape, 1e100)

    height, slope = log_value_per_cost(Cliff({}), [(0,)], np.zeros(1, dtype=int), np.zeros(1))(
        np.full((1, 2), 0.5), np.zeros(1, dtype=int)
    )
    assert np.isfinite(height).all() and not np.isfinite(slope).any()
