"""Looks: when they are due, where they go, and what ends them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from states import chosen, context, everywhere, hopeless

import taut
from taut.data.dataset import Proposal, Request
from taut.policy import make
from taut.policy.context import Context
from taut.policy.finish import likeness
from taut.policy.kg import DecoupledKG
from taut.policy.menu import Candidate
from taut.policy.sceptic import DONE, DUE, NOTHING, far_hopes, hopes, look, looks_due
from taut.policy.settings import Settings

PROBLEM = taut.Problem(
    [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
    taut.Objective("f", goal="maximize"),
    [taut.Constraint("c", at_most=0.0)],
)
FUNCTIONS = {"f": lambda q: -((q["x"] - 0.2) ** 2) - (q["y"] - 0.3) ** 2, "c": lambda q: q["x"] + q["y"] - 1.5}
RNG = np.random.default_rng(5)
POINTS = np.vstack([RNG.random((5, 2)) * [0.6, 1.0], [0.2, 0.3] + 0.02 * (RNG.random((12, 2)) - 0.5)])
KNOWN = everywhere(PROBLEM, FUNCTIONS, POINTS)
FAST = chosen(search_raw=128, search_starts=6)


def remembering(**kept: Any) -> Request:
    """As after a decision that kept this, with the recommendation where it still is."""
    return replace(KNOWN, memory={"best": [0.2, 0.3], **kept})


def worth(made: Context, share: float) -> list[Candidate]:
    """One candidate of so much of the objective's scale."""
    return [made.menu.candidate(np.array([0.5, 0.5]), (0,), share * made.surrogate.processes[0].scale)]


@pytest.mark.parametrize("share, due", [(1e-3, 0), (2e-9, 0), (5e-10, 1), (1e-11, 3), (0.0, 3)])
def test_looks_are_due_where_nothing_is_left(share: float, due: int) -> None:
    made = context(KNOWN, FAST)
    assert looks_due(made, worth(made, share), False).get(DUE, 0) == due


def test_without_candidates_nothing_is_left() -> None:
    assert looks_due(context(KNOWN, FAST), [], False) == {DUE: 3, NOTHING: 3}


def test_after_so_many_finishing_decisions_there_is_a_look() -> None:
    count = FAST.finish.looks
    for done in range(count):
        made = context(remembering(finished=done), FAST)
        found = looks_due(made, worth(made, 1e-4), True)
        assert found == ({DUE: 1} if done == count - 1 else {DONE: done + 1})
    assert looks_due(made, worth(made, 1e-4), False) == {}
    assert looks_due(made, worth(made, 1e-4), True, count + 1) == {DONE: count}


@pytest.mark.parametrize("kept, word", [({"looks": 1}, "little"), ({"looks": 2, "nothing_left": 3}, "nothing")])
def test_the_note_says_why(kept: dict[str, int], word: str) -> None:
    made = look(context(remembering(**kept), FAST))
    assert made is not None and f"{word} left to gain near the recommendation" in made.note


def test_no_looks_while_nothing_is_feasible_or_when_they_are_off() -> None:
    assert looks_due(context(hopeless(), FAST), [], False) == {}
    off = chosen(search_raw=128, search_starts=6, sceptical=False)
    assert looks_due(context(KNOWN, off), [], False) == {} and look(context(remembering(looks=2), off)) is None


def test_a_look_goes_where_little_is_known_and_counts_down() -> None:
    made = look(context(remembering(looks=2), FAST))
    assert made is not None and made.memory[DUE] == 1 and "a sceptical model" in made.note
    assert np.abs(POINTS - made.point).max(axis=1).min() > 0.1
    assert context(KNOWN, FAST).feasibilities(made.point)[0] > 0.5


def test_none_is_due_or_the_recommendation_has_moved() -> None:
    assert look(context(KNOWN, FAST)) is None and look(context(remembering(looks=0), FAST)) is None
    assert look(context(replace(KNOWN, memory={"best": [0.5, 0.5], "looks": 2}), FAST)) is None


def test_hopes_are_ordered_by_the_sceptical_expected_improvement() -> None:
    made = context(KNOWN, FAST)
    sceptic = replace(made, sceptical=True)
    found = hopes(sceptic, made)
    gp, tau = (
        sceptic.posteriors[0],
        made.posteriors[0].mean(made.optimum.x[None, :])[0, 0] + 0.01 * made.posteriors[0].scale,
    )
    here = gp.posterior(found)
    draws = np.random.default_rng(0).standard_normal(200_000)
    sd = np.sqrt(here.var)
    gain = np.array([np.maximum(m + s * draws - tau, 0.0).mean() for m, s in zip(here.mean[0], sd, strict=True)])
    value = gain * np.exp(sceptic.utility.log_feasibility(found))
    assert (value[:-1] >= value[1:] - 0.02 * value[0]).all() and value[0] > 0.0


def decided(request: Request, made: Settings) -> Proposal:
    return DecoupledKG(made).suggest(request, np.random.default_rng(1))


def test_a_decision_without_value_is_followed_by_looks_and_these_by_a_decision() -> None:
    quiet = chosen(search_raw=128, search_starts=6, knobs={"look": {"nothing_left": ((np.inf, 1),)}})
    first = decided(KNOWN, quiet)
    assert first.memory[DUE] == 1 and "sceptical" not in first.note
    second = decided(replace(KNOWN, memory=first.memory), quiet)
    assert second.memory[DUE] == 0 and "sceptical" in second.note
    third = decided(replace(KNOWN, memory=second.memory), quiet)
    assert third.memory[DUE] == 1 and "sceptical" not in third.note


def test_the_paper_has_no_looks() -> None:
    assert not make("dckg", "paper").settings.look.sceptical


def test_no_look_where_the_function_can_hardly_be_computed() -> None:
    """The place of the largest hope and everything around it fails: the look goes elsewhere."""
    first = look(context(remembering(looks=2), FAST))
    assert first is not None
    rng = np.random.default_rng(3)
    around = np.clip(first.point + 0.1 * (rng.random((8, 2)) - 0.5), 0.0, 1.0)
    failed = (np.vstack([first.point, around]), *KNOWN.dataset.failed[1:])
    broken = replace(remembering(looks=2), dataset=replace(KNOWN.dataset, failed=failed), cache={})
    made = context(broken, FAST)
    second = look(made)
    assert made.computable(first.point)[0] < FAST.look.computable
    assert second is not None and made.computable(second.point)[0] >= FAST.look.computable


NOISY = taut.Problem(
    PROBLEM.parameters,
    taut.Objective("f", goal="maximize", noise=0.05),
    [taut.Constraint("c", at_most=0.0, noise=0.05)],
)


def noisy_context(**kept: Any) -> Context:
    """The same values, said to have noise, after a decision that kept this."""
    known = everywhere(NOISY, FUNCTIONS, POINTS)
    return context(replace(known, memory={"best": [0.2, 0.3], **kept}), FAST)


def at(made: Context, x: Any, rate: float) -> list[Candidate]:
    """One choice there that is worth so much per cost."""
    return [made.menu.candidate(np.array(x), (0,), rate * made.menu.cost((0,), np.array(x)))]


def test_with_noise_looks_are_due_where_much_more_is_promised_far_away_than_at_home() -> None:
    made = noisy_context(finished=FAST.look.noisy_every - 1)
    x, value = far_hopes(replace(made, sceptical=True), made)
    rate = float(np.exp(value[0])) / made.menu.cost((0, 1), x[0]) / FAST.look.noisy_promise
    home = made.optimum.x
    assert looks_due(made, at(made, home, 0.99 * rate), False) == {DUE: 2 * FAST.look.noisy_designs}
    assert looks_due(made, at(made, home, 1.01 * rate), False) == {}


def test_with_noise_decisions_at_home_are_counted_and_others_are_not() -> None:
    made = noisy_context(finished=2)
    assert looks_due(made, at(made, made.optimum.x, 1e-3), False) == {DONE: 3}
    assert looks_due(made, at(made, [0.9, 0.9], 1e-3), False) == {DONE: 2}


def test_with_noise_looks_go_far_and_a_recommendation_that_creeps_on_does_not_end_them() -> None:
    made = noisy_context(looks=4, best=[0.3, 0.3])
    assert made.moved > FAST.look.moved
    found = look(made)
    assert found is not None and found.memory[DUE] == 3
    sceptic = replace(made, sceptical=True)
    assert likeness(sceptic, found.point[None, :], made.optimum.x)[0] < FAST.look.noisy_far
    x, value = far_hopes(sceptic, made)
    assert (np.diff(value) <= 0.0).all() and np.array_equal(found.point, x[0])
    assert (likeness(sceptic, x, made.optimum.x) < FAST.look.noisy_far).all()
