"""The search for a decision: which choices are worth a precise value, where a coupled set is looked for, its sizes."""

from typing import Any

import numpy as np
import pytest

import taut
from taut import bench
from taut.data.dataset import Dataset, Request
from taut.policy import make
from taut.policy.context import Candidate, Decision
from taut.policy.kg import FEW, SYNERGY, DecoupledKG, distinct_maxima
from taut.policy.search.sets import Search
from taut.policy.settings import PAPER, Settings


def choice(x: float, S: tuple[int, ...], value: float) -> Candidate:
    return Candidate(np.array([x, 0.5]), S, value, float(len(S)))


def test_one_finalist_a_peak() -> None:
    """Next to a better one of the same set: left out; elsewhere or of another set: kept; far below: left out."""
    best, next_to, elsewhere, low = (choice(x, (0,), v) for x, v in ((0.2, 1.0), (0.21, 0.95), (0.6, 0.9), (0.9, 0.5)))
    other = choice(0.2, (1,), 0.6)
    assert distinct_maxima([best, next_to, elsewhere, other, low]) == [best, elsewhere, other]


def test_a_lower_place_next_to_a_peak_may_be_a_peak_of_its_own() -> None:
    best, close = choice(0.2, (0,), 1.0), choice(0.21, (0,), 0.85)
    assert distinct_maxima([best, close]) == [best, close]


def test_choices_without_value_are_harmless() -> None:
    nothing = [choice(0.1, (0,), 0.0), choice(0.9, (0,), 0.0), choice(0.5, (0, 1), 0.0)]
    assert distinct_maxima(nothing) == nothing


def test_numbers_that_are_not_set_follow_the_dimension() -> None:
    plane, space = Settings().sized(2), Settings().sized(3)
    assert (plane.inner, plane.raw, plane.search_raw) == (176, 56, 512)
    assert (space.inner, space.raw, space.search_raw) == (256, 80, 1024)
    mine = Settings(inner=50, raw=10, search_raw=99)
    assert mine.sized(1) == mine and PAPER.sized(2) == PAPER


def searched(name: str, steps: int, seed: int = 0, **options: Any) -> tuple[Decision, Search, DecoupledKG]:
    """The search of the next decision of a study that has run for so many steps."""
    tested = bench.problem(name)
    study = taut.Study(tested.problem, seed=seed, method="random")
    for _ in range(steps):
        suggestion = study.ask()
        study.tell(suggestion, {key: tested.functions[key](suggestion.point) for key in suggestion.functions})
    data = Dataset.from_rows(study.problem, study.suggestions, study.observations)
    policy = make("dckg", None, options)
    assert isinstance(policy, DecoupledKG)
    decision = Decision(Request(study.problem, data, np.inf, {}), policy.settings, np.random.default_rng(1))
    return decision, Search(decision), policy


@pytest.mark.parametrize("name", ["mystery", "test_function_2"])
def test_what_is_in_doubt_at_the_raw_candidates(name: str) -> None:
    decision, search, _ = searched(name, 24)
    uncertain = search.raw_uncertain(decision.settings.delta)
    for i in range(0, len(search.raw), 7):
        assert tuple(np.flatnonzero(uncertain[:, i])) == decision.uncertain(search.raw[i])


@pytest.mark.parametrize("name", ["mystery", "test_function_2"])
def test_the_coupled_set_is_looked_for_where_it_is_more_than_a_member(name: str) -> None:
    decision, search, policy = searched(name, 24)
    everything = tuple(range(len(decision.names)))
    whole = search.raw_values(everything)
    rates, raws = policy._rates(decision, search)
    kept = raws[everything]
    same = np.isclose(kept, whole, rtol=1e-9, atol=0.0)
    assert np.all((kept == 0.0) | same) and set(rates) == set(raws)
    single = np.max([raws[bundle] / decision.cost(bundle) for bundle in decision.bundles], axis=0)
    for i in np.flatnonzero(~same):
        S = decision.uncertain(search.raw[i])
        assert len(S) < 2 or whole[i] < SYNERGY * single[i] * decision.cost(S)
    for i in np.flatnonzero(kept):
        S = decision.uncertain(search.raw[i])
        assert len(S) > 1 and kept[i] >= SYNERGY * single[i] * decision.cost(S)


def test_the_papers_sets_are_all_looked_at() -> None:
    decision, search, policy = searched("mystery", 24, subsets="paper")
    everything = tuple(range(len(decision.names)))
    assert np.array_equal(policy._rates(decision, search)[1][everything], search.raw_values(everything))


def test_an_estimate_is_the_value_the_climb_would_have_seen() -> None:
    decision, search, policy = searched("mystery", 24)
    assert len(decision.optimum.x) <= FEW
    rates, raws = policy._rates(decision, search)
    sets = [S for S in raws if rates[S] > 0.0]
    climbed = search.optimise(sets, [raws[S] for S in sets], [decision.cost(S) for S in sets])
    for choices in climbed:
        for found in choices[:1]:
            assert search.estimate(found).value == pytest.approx(found.value, rel=1e-6)


@pytest.mark.parametrize("S", [(0,), (1,), (0, 1), (0, 1, 2, 3)])
def test_values_of_some_raw_candidates_are_those_of_all(S: tuple[int, ...]) -> None:
    _, search, _ = searched("test_function_2", 12)
    where = np.arange(len(search.raw)) % 3 == 0
    some, everything = search.raw_values(S, where), search.raw_values(S)
    assert some[where] == pytest.approx(everything[where], rel=1e-9) and not some[~where].any()
    assert not search.raw_values(S, np.zeros(len(where), dtype=bool)).any()


def test_first_values_are_close_to_the_precise_ones() -> None:
    """Without points on lines of receding boundaries and along the ridge they are a third of them, or less."""
    for name, steps in (("mystery", 40), ("test_function_2", 30)):
        decision, search, _ = searched(name, steps)
        for bundle in decision.bundles:
            raw = search.raw_values(bundle)
            best = search.raw[int(raw.argmax())]
            precise = search.refine_finalists([Candidate(best, bundle, 0.0, 1.0)])[0].value
            assert raw.max() > 0.5 * precise or precise < 1e-6 * decision.surrogate.processes[0].scale


def test_where_the_best_place_is_known_the_next_one_is_taken() -> None:
    decision, search, _ = searched("mystery", 30)
    known = Candidate(decision.dataset.X[1][0], (1,), 0.0, 1.0)
    search.refine_finalists([known])
    assert decision.evaluable(known.x, (1,)) == ()
    for found in search.nearest_evaluable(known):
        assert 1e-6 < np.abs(found.x - known.x).max() < 2e-6 and decision.evaluable(found.x, (1,)) == (1,)
        assert found.value > search.nothing
    free = Candidate(search.raw[int(search.raw_values((0,)).argmax())], (0,), 0.0, 1.0)
    value = search.refine_finalists([free])[0].value
    assert value > search.nothing and [one.value for one in search.nearest_evaluable(free)] == pytest.approx(
        [value], rel=1e-3
    )
