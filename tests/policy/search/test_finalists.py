"""A first look at raw candidates, and finalists on an inner set that is refined for them."""

from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, everywhere, known, under_way

from taut import bench
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set
from taut.policy.search.candidates import points
from taut.policy.search.finalists import Finalists, FirstLook, KnowledgeCriterion, nothing


def looked(name: str, count: int, **options: object) -> tuple[Context, FirstLook]:
    made = context(known(name, count), chosen(**options))
    return made, FirstLook(made, points(made))


def best(look: FirstLook, S: Set) -> Candidate:
    """The best raw candidate of a set."""
    return look.context.menu.candidate(look.raw[int(look.values(S).argmax())], S)


def finalists(look: FirstLook, *sets: Set) -> Finalists:
    return Finalists.of(look.context, look.ahead, look.winners, [best(look, S) for S in sets])


class TestFirstLook:
    @pytest.mark.parametrize("name", ["mystery", "test_function_2"])
    def test_what_is_in_doubt_at_the_raw_candidates(self, name: str) -> None:
        made, look = looked(name, 24)
        uncertain = look.uncertain(made.settings.sets.delta)
        for i in range(0, len(look.raw), 7):
            assert tuple(np.flatnonzero(uncertain[:, i])) == made.uncertain(look.raw[i])

    @pytest.mark.parametrize("S", [(0,), (1,), (0, 1), (0, 1, 2, 3)])
    def test_values_of_some_raw_candidates_are_those_of_all(self, S: Set) -> None:
        _, look = looked("test_function_2", 12)
        where = np.arange(len(look.raw)) % 3 == 0
        some, everything = look.values(S, where), look.values(S)
        assert some[where] == pytest.approx(everything[where], rel=1e-9) and not some[~where].any()
        assert not look.values(S, np.zeros(len(where), dtype=bool)).any()

    def test_what_ascents_climb_has_the_values_that_ranked_the_candidates(self) -> None:
        """The inner points that never won are left out, and were not missed."""
        made, look = looked("mystery", 24)
        sets: list[Set] = [(0,), (1,), (0, 1)]
        ranked = {S: look.values(S) for S in sets}
        narrow = look.narrow()
        assert len(narrow.ahead.inner.points) < len(look.ahead.inner.points)
        at = narrow.at(look.raw)
        for S in sets:
            scale = made.surrogate.processes[0].scale
            assert narrow.value(at, S) == pytest.approx(ranked[S], rel=1e-6, abs=1e-12 * scale)

    def test_first_values_are_close_to_the_precise_ones(self) -> None:
        """Without points on lines of receding boundaries and along the ridge they are a third of them, or less."""
        for name, count in (("mystery", 40), ("test_function_2", 30)):
            made, look = looked(name, count)
            for bundle in made.menu.bundles:
                precise = finalists(look, bundle).candidates[0].value
                assert look.values(bundle).max() > 0.5 * precise or precise < 1e-6 * made.surrogate.processes[0].scale

    def test_constraints_that_always_hold_cost_no_time_and_change_no_value(self) -> None:
        made, look = looked("mystery_redundant8", 12)
        met = look.ahead.inner.always_met
        assert {made.names[k] for k in met} == {f"c{k}" for k in range(2, 10)}
        (c1,) = (k for k in range(1, 10) if k not in met)
        everything = made.menu.everything
        assert np.array_equal(look.values(everything), look.values((0, c1)))
        assert not look.values(tuple(met)).any()
        assert look.criterion.informative(everything) == (0, c1)
        value, gradient = look.criterion.values_with_gradient(look.raw[:2], [(everything, np.array([0, 1]))])
        assert value == pytest.approx(look.criterion.value(look.criterion.at(look.raw[:2]), (0, c1)))
        assert gradient.shape == (2, 2)

    def test_inner_points_without_hope_are_left_out_except_the_first(self) -> None:
        made = context(known("mystery", 40))
        given = points(made)
        fixed = made.settings.inner.fixed
        kept = FirstLook(made, given).ahead.inner.points
        assert np.array_equal(kept[:fixed], given.inner[:fixed]) and len(kept) <= len(given.inner)


SETS: list[Set] = [(0,), (1,), (0, 1)]


class TestFinalists:
    @pytest.mark.parametrize("name, count", [("mystery", 12), ("test_function_2", 16)])
    def test_they_are_revalued_on_a_refined_set_and_never_lower(self, name: str, count: int) -> None:
        """With the same scenarios, on the first inner set and on the one with their look-ahead maxima."""
        made, look = looked(name, count)
        found = finalists(look, *SETS)
        assert len(found.ahead.inner.points) > len(look.ahead.inner.points)
        first = replace(found, ahead=look.ahead.with_options(found.ahead.options))
        for candidate in found.candidates:
            assert candidate.maxima is not None and candidate.value > 0.0
            assert candidate.value >= first.revalue(candidate).value * (1.0 - 1e-3)

    def test_maxima_that_are_known_are_kept(self) -> None:
        _, look = looked("mystery", 12)
        once = finalists(look, *SETS)
        again = Finalists.of(look.context, look.ahead, look.winners, once.candidates)
        for one, two in zip(once.candidates, again.candidates, strict=True):
            assert two.maxima is one.maxima and two.value == pytest.approx(one.value, rel=1e-9)

    def test_another_set_at_the_same_point(self) -> None:
        _, look = looked("mystery", 12)
        found = finalists(look, (0, 1), (0,))
        both = found.candidates[0]
        one = found.reset(both, (0,))
        assert one.S == (0,) and one.cost == 1.0 and np.array_equal(one.x, both.x)
        assert 0.0 < one.value <= both.value * (1.0 + 1e-9)

    def test_sets_are_compared_with_the_values_of_a_criterion(self) -> None:
        _, look = looked("mystery", 12)
        found = finalists(look, *SETS)
        at = found.criterion.at(np.array([each.x for each in found.candidates]))
        for i, each in enumerate(found.candidates):
            assert found.criterion.value(at, each.S)[i] == pytest.approx(each.value, rel=0.25)

    def test_where_the_best_place_is_known_the_next_one_is_just_far_enough(self) -> None:
        request = known("mystery", 30)
        made = context(request, chosen(rough=False))
        look = FirstLook(made, points(made))
        free = best(look, (0,))
        (valued,) = finalists(look, (0,)).candidates
        taken = context(under_way(request, "f", free.x), chosen(rough=False))  # the same place, and it is under way
        at = Finalists(taken, look.ahead, look.winners, finalists(look, (0,)).ahead, made.settings.scenarios, [])
        assert taken.menu.evaluable(free.x, (0,)) == ()
        (beside,) = at.nearest_evaluable(free)
        assert 1e-6 < np.abs(beside.x - free.x).max() < 2e-6 and taken.menu.evaluable(beside.x, (0,)) == (0,)
        assert beside.value == pytest.approx(valued.value, rel=1e-3) and beside.value > nothing(taken)

    def test_without_value_there_is_no_point_beside(self) -> None:
        made, look = looked("mystery", 30)
        found = finalists(look, (0,))
        blind = context(made.request, chosen(knobs={"sets": {"nothing": np.inf}}))
        assert replace(found, context=blind).nearest_evaluable(found.candidates[0]) == []

    @pytest.mark.parametrize("name, count", [("mystery", 12), ("test_function_2", 16)])
    def test_polishing_never_lowers_a_value(self, name: str, count: int) -> None:
        _, look = looked(name, count)
        found = finalists(look, *SETS)
        polished = found.polish(found.candidates)
        for old, new in zip(found.candidates, polished, strict=True):
            assert new.S == old.S and new.value >= old.value
        assert any(new.value > old.value for old, new in zip(found.candidates, polished, strict=True))
        assert found.polish([]) == []

    @pytest.mark.parametrize("restart", [False, True])
    def test_with_a_set_that_follows_old_and_new_are_valued_alike(self, restart: bool) -> None:
        _, look = looked("mystery", 12)
        found = finalists(look, *SETS)
        after, polished = found.polish_with_refined_set(found.candidates, restart)
        assert len(after.ahead.inner.points) >= len(found.ahead.inner.points)
        for old, new in zip(found.candidates, polished, strict=True):
            assert new.S == old.S and new.value >= after.revalue(old).value * (1.0 - 1e-12)
            assert new.value == pytest.approx(after.revalue(new).value, rel=1e-9)

    def test_without_look_ahead_maxima_candidates_stay_where_they_are(self) -> None:
        """A flat objective: an outcome has a value, and there is nowhere in particular to go after it."""
        problem = bench.problem("mystery").problem
        flat = everywhere(problem, {"f": lambda p: 3.0}, np.random.default_rng(0).random((4, 2)))
        look = FirstLook(context(flat), points(context(flat)))
        found = finalists(look, (0,))
        assert len(found.ahead.inner.points) == len(look.ahead.inner.points) and found.candidates[0].value > 0.0
        _, polished = found.polish_with_refined_set(found.candidates, restart=True)
        assert [each.S for each in polished] == [(0,)] and polished[0].value >= found.candidates[0].value

    def test_nobody_moves_to_where_a_function_is_known(self) -> None:
        """An ascent that ends next to a known value is not taken, however high it is."""
        request = known("mystery", 12)
        made = context(request)
        look = FirstLook(made, points(made))
        found = finalists(look, (0,))
        (end,) = found.polish(found.candidates)
        taken = replace(found, context=context(under_way(request, "f", end.x)))
        assert taken.polish(found.candidates) == found.candidates or np.array_equal(end.x, found.candidates[0].x)


def test_what_counts_as_nothing_is_in_units_of_the_objective() -> None:
    made = context(known("mystery", 12))
    assert nothing(made) == pytest.approx(1e-12 * made.surrogate.processes[0].scale)


def test_a_criterion_without_informative_functions_is_worth_nothing() -> None:
    _, look = looked("mystery_redundant8", 12)
    criterion, met = KnowledgeCriterion(look.ahead), tuple(sorted(look.ahead.inner.always_met))
    assert not criterion.value(criterion.at(look.raw), met).any()
