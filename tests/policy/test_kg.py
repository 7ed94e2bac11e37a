"""Knowledge Gradient methods: which sets compete and where, which candidates are finalists, what is bought first."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from states import chosen, context, known

from taut.base.ascend import AscentOptions
from taut.data.dataset import Proposal, Request
from taut.policy import make
from taut.policy.kg import CoupledKG, DecoupledKG
from taut.policy.menu import Candidate
from taut.policy.search.sets import Ranking, SetSearch, distinct_maxima
from taut.policy.settings import ClimbSettings, Settings

FAST = {"inner": 96, "raw": 48, "starts": 3, "search_raw": 256, "search_starts": 8}
CLIMB = ClimbSettings()


def candidate(x: float, S: tuple[int, ...], value: float) -> Candidate:
    return Candidate(np.array([x, 0.5]), S, value, float(len(S)))


def test_one_finalist_a_peak() -> None:
    """Next to a better one of the same set: left out; elsewhere or of another set: kept; far below: left out."""
    best, next_to, elsewhere, low = (
        candidate(x, (0,), v) for x, v in ((0.2, 1.0), (0.21, 0.95), (0.6, 0.9), (0.9, 0.5))
    )
    other = candidate(0.2, (1,), 0.6)
    assert distinct_maxima([best, next_to, elsewhere, other, low], CLIMB) == [best, elsewhere, other]


def test_a_lower_place_next_to_a_peak_may_be_a_peak_of_its_own() -> None:
    best, close = candidate(0.2, (0,), 1.0), candidate(0.21, (0,), 0.85)
    assert distinct_maxima([best, close], CLIMB) == [best, close]


def test_candidates_without_value_are_harmless() -> None:
    nothing = [candidate(0.1, (0,), 0.0), candidate(0.9, (0,), 0.0), candidate(0.5, (0, 1), 0.0)]
    assert distinct_maxima(nothing, CLIMB) == nothing


def decided(request: Request, made: Settings, seed: int = 1, coupled: bool = True) -> Proposal:
    return DecoupledKG(made, coupled).suggest(request, np.random.default_rng(seed))


class Race:
    """The sets that are climbed in the first round of a decision, with their raw values."""

    def __init__(self, request: Request, made: Settings, patch: pytest.MonkeyPatch, coupled: bool = True) -> None:
        found: list[Ranking] = []
        original = SetSearch.climb

        def climb(search: SetSearch, ranking: Ranking, options: AscentOptions) -> Any:
            found.append(ranking)
            return original(search, ranking, options)

        with patch.context() as patched:
            patched.setattr(SetSearch, "climb", climb)
            self.proposal = decided(request, made, coupled=coupled)
        self.ranking, self.context = found[0], context(request, made)

    @property
    def everything(self) -> np.ndarray:
        """Raw values of the coupled set; zeros if it is not climbed."""
        return self.ranking.values.get(self.context.menu.everything, np.zeros(len(self.ranking.x)))

    @property
    def alone(self) -> np.ndarray:
        """The best value per cost of a single bundle."""
        bundles = [S for S in self.context.menu.bundles if S in self.ranking.values]  # the others have no value
        best: np.ndarray = np.max([self.ranking.values[S] / self.ranking.costs[S] for S in bundles], axis=0)
        return best


def sets(coupled: bool | None = None, **more: Any) -> dict[str, dict[str, Any]]:
    """Every set with any value takes part in the race."""
    return {"sets": {"prune_raw": 0.0, "coupled_everywhere": coupled, **more}}


@pytest.mark.parametrize("name", ["mystery", "test_function_2"])
def test_the_coupled_set_is_looked_for_where_it_is_more_than_a_member(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, or where only one function is in doubt, a search for that one will find the point too."""
    request = known(name, 24)
    whole = Race(request, chosen(knobs=sets(True)), monkeypatch)
    race = Race(request, chosen(knobs=sets(False)), monkeypatch)
    assert np.array_equal(race.ranking.x, whole.ranking.x)
    kept = race.everything
    same = np.isclose(kept, whole.everything, rtol=1e-9, atol=0.0)
    assert np.all((kept == 0.0) | same) and kept.any()
    for i, x in enumerate(race.ranking.x):
        S = race.context.uncertain(x)
        worth = 0.7 * race.alone[i] * race.context.menu.cost(S)
        assert same[i] == (len(S) > 1 and whole.everything[i] >= worth * (1.0 - 1e-9)) or whole.everything[i] == 0.0


def test_the_papers_sets_are_looked_for_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    request = known("mystery", 24)
    whole = Race(request, chosen(knobs=sets(True)), monkeypatch)
    paper = Race(request, chosen(subsets="paper", knobs=sets(False)), monkeypatch)
    assert paper.everything == pytest.approx(whole.everything, rel=1e-9) and (paper.everything > 0.0).mean() > 0.5


def test_sets_far_behind_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    request = known("test_function_2", 12)
    everyone = Race(request, chosen(knobs=sets(False)), monkeypatch).ranking
    race = Race(request, chosen(knobs={"sets": {"prune_raw": 0.3}}), monkeypatch).ranking
    rates = {S: everyone.best(S) for S in everyone.values}
    assert set(race.values) == {S for S in rates if rates[S] >= 0.3 * max(rates.values())}
    assert 0 < len(race.values) < len(rates)


def test_a_coupled_set_that_cannot_be_paid_does_not_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    request = replace(known("mystery", 12), remaining=1.0)
    race = Race(request, chosen(knobs=sets(True)), monkeypatch)
    assert set(race.ranking.values) <= {(0,), (1,)} and len(race.proposal.functions) == 1


def test_the_ablation_leaves_the_coupled_set_out(monkeypatch: pytest.MonkeyPatch) -> None:
    race = Race(known("mystery", 12), chosen(knobs=sets(True)), monkeypatch, coupled=False)
    assert set(race.ranking.values) <= {(0,), (1,)}


# Where both functions are unknown around a place that is unlikely to be feasible, only both together have a value.
TOGETHER = [("mystery", 5, 4), ("mystery", 16, 2), ("constrained_branin", 4, 4), ("constrained_branin", 6, 1)]


@pytest.mark.parametrize("name, count, seed", TOGETHER)
def test_of_a_set_the_function_is_bought_first_that_is_most_likely_to_spoil_the_point(
    name: str, count: int, seed: int
) -> None:
    """A constraint by being violated, the objective by falling short of what is recommended."""
    request = known(name, count, seed)
    made, there = decided(request, chosen()), context(request)
    whole, (first,) = made.memory["whole"], made.functions
    assert first in whole and f"{first}: first instalment of {'+'.join(whole)}" in made.note
    f, best = there.posteriors[0], np.array(made.memory["best"])
    here, base = f.posterior(made.point[None, :]), f.posterior(best[None, :])
    score = (base.mean[0, 0] - here.mean[0, 0]) / np.sqrt(here.var[0])
    spoil = {"f": float(stats.t.cdf(score, f.hyper.nu))}
    spoil |= dict(zip(there.names[1:], 1.0 - there.feasibilities(made.point), strict=True))
    assert spoil[first] == max(spoil[name] for name in whole)


@pytest.mark.parametrize("name, count, seed", TOGETHER)
def test_without_instalments_a_set_is_bought_whole(name: str, count: int, seed: int) -> None:
    request = known(name, count, seed)
    first, whole = decided(request, chosen()), decided(request, chosen(instalments=False))
    assert list(whole.functions) == first.memory["whole"] and "coupled evaluation" in whole.note
    assert np.array_equal(whole.point, first.point) and "whole" not in whole.memory


def test_the_note_names_the_runner_up() -> None:
    note = decided(known("mystery", 12), chosen()).note
    assert "value per cost" in note and "runner-up" in note


@pytest.mark.parametrize("coupled", [True, False])
def test_where_nothing_has_value_the_recommendation_is_checked(coupled: bool) -> None:
    request = known("test_function_2", 12)
    made = chosen(knobs={"sets": {"nothing": np.inf}})
    found = decided(request, made, coupled=coupled)
    there = context(request, made)
    assert "no evaluation has a measurable value: checking the recommendation" in found.note
    x_r = np.array(found.memory["best"])
    assert np.array_equal(found.point, x_r) and len(found.functions) > 1
    assert found.functions == tuple(there.names[k] for k in there.menu.evaluable(x_r, there.uncertain(x_r)))


@pytest.mark.parametrize("name, count, seed", [("mystery", 6, 4), ("test_function_2", 7, 3)])
def test_the_papers_preset_buys_the_objective_with_every_constraint_in_doubt(name: str, count: int, seed: int) -> None:
    request, made = known(name, count, seed), chosen("paper", raw=24, starts=3, search_raw=256)
    found, there = decided(request, made), context(request, made)
    assert len(found.functions) > 1
    assert found.functions == tuple(there.names[k] for k in there.uncertain(found.point))


def test_the_coupled_method_evaluates_everything_at_the_best_place_of_all() -> None:
    request = known("test_function_2", 12)
    made = CoupledKG(chosen()).suggest(request, np.random.default_rng(1))
    assert set(made.functions) == {"f", "c1", "c2", "c3"} and "coupled Knowledge Gradient" in made.note
    blind = CoupledKG(chosen(knobs={"sets": {"nothing": np.inf}})).suggest(request, np.random.default_rng(1))
    assert set(blind.functions) == {"f", "c1", "c2", "c3"} and "no evaluation has a measurable value" in blind.note


@pytest.mark.parametrize("dear, method", [("c3", "dckg"), ("f", "dckg"), ("c3", "dckg-uncoupled")])
def test_nobody_pays_a_price_without_end(dear: str, method: str) -> None:
    request = known("test_function_2", 12, costs=((dear, 1e6),))
    made = make(method, options=FAST).suggest(request, np.random.default_rng(1))
    assert dear not in made.functions
