"""PESC: one function or all of them, and what the note says about samples and values."""

import re

import numpy as np
import pytest
from states import chosen, hopeless, known

from taut.data.dataset import Proposal, Request
from taut.policy import make
from taut.policy.pesc import PredictiveEntropy

FAST = {"raw": 24, "starts": 2, "search_raw": 128, "search_starts": 6, "paths": 5}


def decided(method: str, request: Request, seed: int = 1) -> Proposal:
    return make(method, options=FAST).suggest(request, np.random.default_rng(seed))


STATES = ((6, 1), (8, 0), (10, 1))


@pytest.mark.parametrize("method, count", [("pesc", 1), ("pesc-coupled", 4)])
def test_one_function_or_all(method: str, count: int) -> None:
    made = decided(method, known("test_function_2", 8))
    assert len(made.functions) == count and "information about the place of the optimum" in made.note


def test_values_that_were_clamped_appear_in_the_note() -> None:
    notes = [decided("pesc", known("test_function_2", count, seed)).note for count, seed in STATES]
    assert any(re.search(r"\d+ of \d+ values were negative and count as 0", note) for note in notes)


def test_the_runner_up_is_another_function() -> None:
    made = decided("pesc", known("test_function_2", 6, 1))
    rival = re.search(r"runner-up (\w+) with", made.note)
    assert rival and rival.group(1) not in made.functions


@pytest.mark.parametrize("dear", ["f", "c3"])
def test_information_is_per_cost(dear: str) -> None:
    assert dear not in decided("pesc", known("test_function_2", 8, costs=((dear, 1e6),))).functions


@pytest.mark.parametrize("method, functions", [("pesc", ("c",)), ("pesc-coupled", ("f", "c", "e"))])
def test_no_feasible_path_yet(method: str, functions: tuple[str, ...]) -> None:
    made = decided(method, hopeless())
    assert set(made.functions) == set(functions)
    assert re.search("no sample path has a feasible point; no feasible region yet", made.note)


@pytest.mark.parametrize("coupled", [False, True])
def test_where_nothing_tells_anything_the_recommendation_is_checked(coupled: bool) -> None:
    policy = PredictiveEntropy(chosen(knobs={"sets": {"nothing": np.inf}}, rough=False, **FAST), coupled)
    made = policy.suggest(known("test_function_2", 8), np.random.default_rng(1))
    assert "no evaluation has a measurable value: checking the recommendation" in made.note
    assert made.point.tolist() == made.memory["best"] and (len(made.functions) == 4 or not coupled)
