"""A candidate as a proposal: names, words, and what is remembered."""

import json
from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, everywhere, known, under_way

import taut
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


@pytest.mark.parametrize("step", [0.0, 0.5, 2.0])
def test_a_point_next_to_an_evaluated_one_is_that_one(step: float) -> None:
    known_place = MADE.dataset.X[2][3]
    x = known_place + step * MADE.menu.same_point
    found = proposal(MADE, replace(candidate((0,), 1.0), x=x), "because", BEST).point
    assert np.array_equal(found, MADE.measured.snapped(x, MADE.menu.same_point))
    assert np.array_equal(found, known_place) == (step <= 1.0)


def test_the_note_gives_the_reason_and_the_value_per_cost() -> None:
    assert made(candidate((0, 2), 0.5)).note == "because; value per cost 0.25"
    assert made(candidate((0,), 0.0)).note == "because"


def test_the_runner_up_is_the_best_of_another_set() -> None:
    others = [candidate((0,), 0.9), candidate((3,), 0.25), candidate((1, 3), 0.8)]
    assert made(candidate((0,), 1.0), *others).note == "because; value per cost 1; runner-up c1+c3 with 0.4"


def test_what_the_next_decision_starts_from() -> None:
    memory = made(candidate((0,), 1.0)).memory
    assert {name: memory[name] for name in ("fit", "best")} == {"fit": MADE.surrogate.memory, "best": [0.125, 0.75]}
    assert json.loads(json.dumps(memory))["best"] == [0.125, 0.75]
    assert set(memory["fit"]) == {"f", "c1", "c2", "c3"}


def test_an_instalment_remembers_the_whole() -> None:
    assert made(candidate((1,), 0.2), whole=candidate((0, 1), 0.4)).memory["whole"] == ["f", "c1"]


def test_what_is_expected_there_of_the_functions_it_asks_for() -> None:
    predicted = made(candidate((0, 2), 0.5)).memory["predicted"]
    assert list(predicted) == ["f", "c2"]
    for name, k in (("f", 0), ("c2", 2)):
        there = MADE.surrogate.honest(k).posterior(X[None, :])
        mean, scale, nu, warp, unit, width = predicted[name]
        assert (mean, scale) == (there.mean[0, 0], np.sqrt(there.var[0]))
        assert (nu, warp, unit) == (MADE.surrogate.processes[k].hyper.nu, MADE.surrogate.warps[k], 1.0) and width == 1.0
    plugged = context(known("test_function_2", 10), chosen("paper"))
    nu = proposal(plugged, plugged.menu.candidate(X, (0,)), "because", BEST).memory["predicted"]["f"][2]
    assert nu is None  # a normal distribution, in JSON


def test_what_is_under_way_is_not_taken_for_known() -> None:
    there = context(under_way(known("test_function_2", 10), "f", X), chosen())
    same = proposal(there, there.menu.candidate(X, (0,)), "because", BEST).memory["predicted"]["f"]
    assert there.posteriors[0].posterior(X[None, :]).var[0] < 1e-6 * same[1] ** 2
    assert same == made(candidate((0,), 0.5)).memory["predicted"]["f"]


def test_a_value_with_noise_is_predicted_with_it() -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", noise=0.5))
    there = context(everywhere(problem, {"f": lambda p: np.sin(9.0 * p["x"])}, np.linspace(0.0, 1.0, 9)[:, None]))
    x = np.array([0.3])
    scale = proposal(there, there.menu.candidate(x, (0,)), "because", x).memory["predicted"]["f"][1]
    gp = there.surrogate.processes[0]
    assert scale**2 == pytest.approx(gp.posterior(x[None, :]).var[0] + gp.noise) and gp.noise > 0.1


def test_the_best_of_every_set_is_kept_for_those_who_look_back() -> None:
    others = [candidate((0,), 0.9), candidate((3,), 0.25), candidate((3,), 0.2)]
    rough = [candidate((3,), 9.0), candidate((1,), 0.1)]
    found = proposal(MADE, candidate((2,), 0.5), "because", BEST, others, candidate((0, 2), 1.0), rough=rough)
    assert [[row[0], *row[2:]] for row in found.memory["considered"]] == [
        [["f", "c2"], 1.0, 2.0, True],  # the whole of what is bought in instalments
        [["f"], 0.9, 1.0, True],
        [["c3"], 0.25, 1.0, True],
        [["c1"], 0.1, 1.0, False],
    ]
