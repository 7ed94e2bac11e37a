"""CMES: sets of functions compete by what they tell about the best feasible value."""

import numpy as np
import pytest
from states import chosen, context, hopeless, known

from taut.data.dataset import Proposal, Request
from taut.policy.cmes import MaxValueEntropy
from taut.policy.settings import Settings

FAST = {"raw": 24, "starts": 2, "search_raw": 128, "search_starts": 6, "paths": 5}
STATES = [(6, 2), (8, 2), (8, 3), (10, 3)]


def decided(request: Request, made: Settings | None = None) -> Proposal:
    return MaxValueEntropy(made or chosen(**FAST)).suggest(request, np.random.default_rng(1))


def test_complementary_functions_are_bought_together() -> None:
    bought = [decided(known("test_function_2", count, seed)).functions for count, seed in STATES]
    assert any(1 < len(functions) < 4 for functions in bought)


@pytest.mark.parametrize("count, seed", STATES)
def test_the_papers_sets_are_single_functions_or_all_that_are_uncertain(count: int, seed: int) -> None:
    request, made = known("test_function_2", count, seed), chosen(subsets="paper", **FAST)
    found, there = decided(request, made), context(request, made)
    assert len(found.functions) == 1 or found.functions == tuple(there.names[k] for k in there.uncertain(found.point))


def test_the_note_names_what_was_learnt_about_and_the_runner_up() -> None:
    note = decided(known("test_function_2", 8)).note
    assert "information about the best feasible value" in note and "runner-up" in note


@pytest.mark.parametrize("dear", ["f", "c3"])
def test_information_is_per_cost(dear: str) -> None:
    assert dear not in decided(known("test_function_2", 8, costs=((dear, 1e6),))).functions


def test_no_feasible_path_yet() -> None:
    note = decided(hopeless()).note
    assert "paths have no feasible point" in note or "no feasible region yet" in note


def test_where_nothing_tells_anything_the_recommendation_is_checked() -> None:
    found = decided(known("test_function_2", 8), chosen(knobs={"sets": {"nothing": np.inf}}, rough=False, **FAST))
    assert "no evaluation has a measurable value: checking the recommendation" in found.note
    assert found.point.tolist() == found.memory["best"]
