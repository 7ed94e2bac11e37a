"""A candidate as a proposal: names, words, and what is remembered."""

import json

import numpy as np
from states import chosen, context, known

from taut.data.dataset import Proposal
from taut.policy.explain import proposal
from taut.policy.menu import Candidate

MADE = context(known("test_function_2", 10), chosen(search_raw=64, search_starts=4))
X, BEST = np.array([0.25, 0.5]), np.array([0.125, 0.75])


def candidate(S: tuple[int, ...], value: float) -> Candidate:
    return MADE.menu.candidate(X, S, value)


def made(best: Candidate, *others: Candidate, whole: Candidate | None = None) -> Proposal:
    return proposal(MADE, best, "because", BEST, others, whole)


def test_point_and_functions_by_name() -> None:
    found = made(candidate((0, 2), 0.5))
    assert found.point is X and found.functions == ("f", "c2")


def test_the_note_gives_the_reason_and_the_value_per_cost() -> None:
    assert made(candidate((0, 2), 0.5)).note == "because; value per cost 0.25"
    assert made(candidate((0,), 0.0)).note == "because"


def test_the_runner_up_is_the_best_of_another_set() -> None:
    others = [candidate((0,), 0.9), candidate((3,), 0.25), candidate((1, 3), 0.8)]
    assert made(candidate((0,), 1.0), *others).note == "because; value per cost 1; runner-up c1+c3 with 0.4"


def test_what_the_next_decision_starts_from() -> None:
    memory = made(candidate((0,), 1.0)).memory
    assert memory == {"fit": MADE.surrogate.memory, "best": [0.125, 0.75]}
    assert json.loads(json.dumps(memory))["best"] == [0.125, 0.75]
    assert set(memory["fit"]) == {"f", "c1", "c2", "c3"}


def test_an_instalment_remembers_the_whole() -> None:
    assert made(candidate((1,), 0.2), whole=candidate((0, 1), 0.4)).memory["whole"] == ["f", "c1"]
