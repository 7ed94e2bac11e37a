"""Sure gains before long shots, and coming home."""

from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, hopeless, known

from taut.base.arrays import Array
from taut.policy.context import Context
from taut.policy.finish import at_home, better_places, finishing, near
from taut.policy.kg import DecoupledKG
from taut.policy.menu import Candidate
from taut.policy.search.sets import Ranking
from taut.surrogate.sceptic import sceptical

MADE = context(
    known("test_function_2", 16), chosen(search_raw=128, search_starts=6, knobs={"finish": {"better_places": 9.0}})
)
X_R, SCALE = MADE.optimum.x, MADE.posteriors[0].scale
FAR = np.array([0.95, 0.05])


def ranking(close: float, far: float, made: Context = MADE) -> Ranking:
    """f is worth so much of its scale next to x_r and far from it."""
    values = np.array([close, far]) * SCALE
    return Ranking(np.array([made.optimum.x[:2], FAR]), {(0,): values}, {(0,): 1.0})


def test_near_is_by_the_prior_correlation() -> None:
    step = np.eye(2)[0] * MADE.posteriors[0].hyper.l
    x = np.array([X_R, np.clip(X_R + 0.1 * step, 0.0, 1.0), X_R + 2.0 * step])
    assert near(MADE, x).tolist() == [True, True, False]


def test_a_long_shot_waits_for_sure_gains() -> None:
    """Worth ten times as much, by a chance of less than one in a thousand."""
    kept = finishing(MADE, ranking(1e-4, 2e-4))
    assert kept.finishing and kept.values[(0,)].tolist() == [1e-4 * SCALE, 0.0]


@pytest.mark.parametrize("close, far", [(0.1, 0.1), (1e-4, 2.0), (0.0, 1e-4)])
def test_large_gains_good_chances_and_nothing_sure_change_nothing(close: float, far: float) -> None:
    given = ranking(close, far)
    assert finishing(MADE, given) is given


def test_switched_off_or_without_a_feasible_region_nothing_changes() -> None:
    off = context(MADE.request, chosen(search_raw=128, search_starts=6, finish=False))
    given = ranking(1e-4, 2e-4)
    assert finishing(off, given) is given
    lost = context(hopeless(), chosen(search_raw=128, search_starts=6))
    assert not finishing(lost, Ranking(np.array([[0.1]]), {(0,): np.ones(1)}, {(0,): 1.0})).finishing


def test_better_places_by_draws_of_the_sceptical_model() -> None:
    """The mean over the cube of how often a draw is better and feasible, in cells of one length-scale."""
    gp = sceptical(MADE.surrogate.processes[0], None, MADE.settings.model)
    x = MADE.raw[~near(MADE, MADE.raw)]
    here, rng = gp.posterior(x), np.random.default_rng(0)
    best = MADE.posteriors[0].mean(X_R[None, :])[0, 0] + 0.01 * SCALE
    draws = here.mean[0] + np.sqrt(here.var) * rng.standard_t(gp.hyper.nu, (4000, len(x)))
    share = ((draws > best).mean(axis=0) * np.exp(MADE.utility.log_feasibility(x))).sum() / len(MADE.raw)
    assert better_places(MADE) == pytest.approx(share / gp.hyper.l.prod(), rel=0.05) and share > 0.0


def test_better_places_where_searches_start_from_a_shortlist() -> None:
    """With many values the samples are not those of the whole cube; the answer is the same."""
    knobs = {"utility": {"cheap": 1, "shortlist": 20}}
    short = context(MADE.request, chosen(search_raw=128, search_starts=6, knobs=knobs))
    assert len(short.raw_samples.x) < len(short.raw)
    x_r = short.__dict__["optimum"] = MADE.optimum
    assert better_places(short) == pytest.approx(better_places(MADE), rel=1e-3) and x_r.feasible


def test_with_many_better_places_there_is_no_finishing() -> None:
    knobs = {"finish": {"better_places": 0.0}}
    bumpy = context(MADE.request, chosen(search_raw=128, search_starts=6, knobs=knobs))
    given = ranking(1e-4, 2e-4)
    assert finishing(bumpy, given) is given


class Valued:
    """Finalists of which only the value at x_r is asked."""

    def __init__(self, there: float) -> None:
        self.there = there

    def revalue(self, candidate: Candidate) -> Candidate:
        return replace(candidate, value=self.there)


def home(x: Array, S: tuple[int, ...], there: float) -> Candidate:
    other = MADE.menu.candidate(FAR, (1,), 0.1)
    found = at_home(MADE, Valued(there), [MADE.menu.candidate(x, S, 1.0), other])  # type: ignore[arg-type]
    assert found[1] is other
    return found[0]


def test_a_choice_next_to_the_recommendation_comes_home() -> None:
    beside = np.clip(X_R + 0.02, 0.0, 1.0)
    for S in ((0,), (0, 1)):
        found = home(beside, S, 0.5)
        assert np.array_equal(found.x, X_R) and found.S == S and found.value == 0.5


def test_not_if_the_objective_is_known_as_near() -> None:
    """A value at x_r tells no slope beside one next to it."""
    data = MADE.dataset
    known = replace(
        data, X=(np.vstack([data.X[0], X_R + 0.01]), *data.X[1:]), y=(np.append(data.y[0], 0.0), *data.y[1:])
    )
    made = replace(MADE, offer=replace(MADE.offer, dataset=known))
    vars(made).update({name: vars(MADE)[name] for name in ("optimum", "posteriors", "surrogate")})
    beside = MADE.menu.candidate(np.clip(X_R + 0.02, 0.0, 1.0), (0,), 1.0)
    closer = MADE.menu.candidate(X_R + 0.005, (0,), 1.0)
    assert at_home(made, Valued(0.9), [beside]) == [beside]  # type: ignore[arg-type]
    assert np.array_equal(at_home(made, Valued(0.9), [closer])[0].x, X_R)  # type: ignore[arg-type]


@pytest.mark.parametrize("x, S, there", [(None, (0,), 0.2), (None, (1,), 0.9), (FAR, (0,), 0.9)])
def test_not_if_it_is_worth_little_there_or_without_the_objective_or_from_afar(
    x: Array | None, S: tuple[int, ...], there: float
) -> None:
    beside = np.clip(X_R + 0.02, 0.0, 1.0) if x is None else x
    assert np.array_equal(home(beside, S, there).x, beside)


def test_the_paper_does_neither() -> None:
    made = chosen("paper").finish
    assert not (made.finish or made.home or made.ahead)


def test_a_decision_with_all_of_it_is_a_decision() -> None:
    made = DecoupledKG(chosen()).suggest(known("mystery", 14), np.random.default_rng(2))
    assert made.functions and np.isfinite(made.point).all()
