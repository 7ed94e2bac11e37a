"""Last money that waits for what is under way; and runs of several workers that do."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy
from states import chosen, everywhere, under_way
from workers import Workers, played

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Proposal, Request
from taut.policy.ending import decided
from taut.storage import open_storage
from taut.study import loop
from taut.study.programs import PythonProgram
from taut.study.worker import Plan, RunListener

SETTINGS = chosen(search_raw=64, search_starts=4)
PROBLEM = taut.Problem(
    [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
    taut.Objective("f"),
    [taut.Constraint("c", at_most=0.0), taut.Constraint("e", at_most=0.0)],
)
FUNCTIONS: dict[str, Any] = {
    "f": lambda p: -((p["x"] - 0.7) ** 2) - (p["y"] - 0.6) ** 2,
    "c": lambda p: p["x"] + p["y"] - 1.0,
    "e": lambda p: p["x"] - 0.9,
}
DOUBTFUL, ELSEWHERE = [0.5, 0.499], [0.1, 0.9]


def state(left: float = 2.0, target: list[float] | None = None) -> Request:
    """Little is left, after a first suggestion of the last part, for a target or without one."""
    made = everywhere(PROBLEM, FUNCTIONS, sobol(12, 2, np.random.default_rng(0)))
    memory = {"verify": {} if target is None else {"target": target}}
    return replace(made, remaining=left, budget=100.0, verify=True, memory=memory)


def step(request: Request, functions: tuple[str, ...] = ("f",)) -> Proposal:
    mine = Proposal(np.array([0.3, 0.3]), functions, "mine", {"own": 1})
    made = decided(lambda *_: mine, SETTINGS, request, np.random.default_rng(0))
    assert made is not None
    return made


def test_the_rest_of_a_doubtful_design_waits_for_the_part_that_may_spoil_it() -> None:
    begun = state(2.0, DOUBTFUL)
    made = step(under_way(begun, "c", DOUBTFUL))  # its mean, which decisions take for its value, holds
    assert made.waits and np.allclose(made.point, DOUBTFUL) and "c" not in made.functions


def test_what_is_sure_to_hold_is_not_waited_for() -> None:
    """Whether c holds there is not clear, but e does, which is the one under way."""
    made = step(under_way(state(2.0, DOUBTFUL), "e", DOUBTFUL))
    assert not made.waits and np.allclose(made.point, DOUBTFUL) and "e" not in made.functions


def test_nothing_waits_where_nothing_is_under_way() -> None:
    assert not step(state(3.0)).waits and not step(state(2.0, DOUBTFUL)).waits


def test_nothing_waits_while_there_is_money_for_another_design() -> None:
    """Two designs are left for an answer of rough functions; with one of them something else can be tried."""
    for left, waits in ((4.0, False), (3.9, True)):
        made = step(under_way(state(left, DOUBTFUL), "c", DOUBTFUL))
        assert "verifying" in made.note and made.waits is waits


def test_an_answer_is_not_begun_before_what_may_move_it_has_come_in() -> None:
    made = under_way(state(3.0), "e", ELSEWHERE)
    assert step(made).waits  # a new target
    assert step(replace(made, memory={})).waits  # the very first
    begun = replace(made, memory={"verify": {"target": step(made).memory["verify"]["target"]}})
    assert not step(begun).waits  # it was decided on: what is under way elsewhere came later


def test_a_run_may_wait_and_who_asks_by_hand_gets_a_suggestion() -> None:
    """What is under way is asked for by hand, and nobody knows when it comes in: a run that has no more goes on."""
    study = taut.Study(PROBLEM, method="cei+", options={"search_raw": 64, "search_starts": 4})
    study.run(FUNCTIONS, budget=9.0, verify=False)
    for left in (2.0, 1.0, 0.0):
        row = study.ask(budget=12.0, verify=True)
        assert "verify" in row.memory and row.remaining == left + 1.0
        assert study.replay(row.number) == row
    assert study.history.open


class Patient(toy.ToyPolicy):
    """Says that it had better wait, as long as there is anything to wait for."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        made = super().suggest(request, rng)
        return replace(made, waits=any(len(points) for points in request.dataset.pending))


def test_a_worker_that_has_to_wait_decides_again_when_something_has_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Patient()
    study = taut.Study(toy.problem(), policy, initial=2)
    played(monkeypatch, study, toy.FUNCTIONS, 10.0, 3)
    assert study.spent == 10.0
    decided_on = [row for row in study.suggestions if not row.initial]
    for row in decided_on:  # each was made when all before it had been told
        told = {(each.suggestion, each.function) for each in study.observations[: row.seen]}
        assert all(
            (each.number, name) in told for each in study.suggestions[: row.number - 1] for name in each.functions
        )
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


def test_a_worker_that_waits_does_not_decide_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Patient()
    study = taut.Study(toy.problem(), policy, initial=0)
    pool, polls = Workers(0), [0]

    def nothing_yet(*args: Any) -> None:
        polls[0] += 1
        if polls[0] % 5 == 0:
            pool.wait(*args)

    monkeypatch.setattr(loop, "wait", nothing_yet)
    study.run(toy.FUNCTIONS, 4.5, executor=pool, workers=2)
    assert polls[0] >= 15 and len(policy.requests) <= 2 * len(study.suggestions)


PROGRAMS = [PythonProgram(name, (name,), toy.FUNCTIONS[name], False) for name in "fcg"]


def test_a_run_waits_for_what_another_one_has_under_way(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """And goes on with the rest of the budget when that has come in, or as here the other one has died."""
    study = taut.Study(toy.problem(), Patient(), initial=1, storage=path)
    study.ask()
    assert open_storage(path).lease(1, ["f", "c", "g"], "elsewhere", 0.3, None)
    monkeypatch.setattr(loop, "POLL_SECONDS", 0.01)
    assert study.work(PROGRAMS, 4.5, plan=Plan(patient=True))
    assert study.spent == 4.5 and all(row.seen >= 3 for row in study.suggestions[1:])


def test_a_run_does_not_wait_for_what_was_asked_for_by_hand(path: Path) -> None:
    study = taut.Study(toy.problem(), Patient(), initial=0, storage=path)
    by_hand: list[taut.Suggestion] = []

    class Hand(RunListener):
        def stop(self) -> bool:
            if not by_hand and study.suggestions:
                by_hand.append(taut.Study.open(path, Patient()).ask(budget=9.0))
            return False

    assert study.work(PROGRAMS, 9.0, plan=Plan(listener=Hand(), patient=True))
    assert study.spent + by_hand[0].cost == 9.0 and list(study.history.open) == [by_hand[0].number]


BRACKET = taut.Problem(
    [taut.Real("width", 10.0, 60.0), taut.Real("height", 20.0, 80.0)],
    taut.Objective("mass", goal="minimize", formula="7.85e-3 * width * height"),
    [taut.Constraint("stress", at_most=150.0, cost=5), taut.Constraint("deflection", at_most=10.0, cost=5)],
)
BEAM: Mapping[str, Any] = {
    "stress": lambda p: 1.2e7 / (p["width"] * p["height"] ** 2),
    "deflection": lambda p: 3.81e7 / (p["width"] * p["height"] ** 3),
}


@pytest.mark.parametrize(("workers", "seed"), [(2, 8), (4, 0)])
def test_several_workers_end_with_an_answer_as_good_as_that_of_one(
    monkeypatch: pytest.MonkeyPatch, workers: int, seed: int
) -> None:
    """The last 10 of 30 went to both functions of one design at once, which broke a limit: 20.8 and 16 kg, not 8.9."""
    options = {"search_raw": 128, "search_starts": 6, "inner": 64, "raw": 24}
    study = taut.Study(BRACKET, seed=seed, options=options)
    best = played(monkeypatch, study, dict(BEAM), 30.0, workers)
    assert best.verified and best.measured["mass"] < 9.0 and study.spent == 30.0
    last = [row for row in study.suggestions if "verify" in row.memory]
    assert last and [study.replay(row.number) for row in last] == last
