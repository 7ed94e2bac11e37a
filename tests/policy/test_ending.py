"""The end of a run that may stop: verified first, not before there is nothing left, the same when computed again."""

from dataclasses import replace

import numpy as np
import pytest
import toy
from states import chosen, known

import taut
from taut.data.dataset import Proposal, Request
from taut.policy import ending
from taut.policy.ending import decided

SETTINGS = chosen(search_raw=64, search_starts=4)
MINE = Proposal(np.array([0.5, 0.5]), ("f",), "mine", {"own": 1})


def suggested(request: Request, rng: np.random.Generator) -> Proposal:
    return MINE


def end(monkeypatch: pytest.MonkeyPatch, over: bool, verify: bool, remaining: float = 100.0) -> Proposal | None:
    monkeypatch.setattr(ending, "nothing_left", lambda request, settings: over)
    request = replace(known("mystery", 12), remaining=remaining, budget=100.0, verify=verify, stop=0.5)
    return decided(suggested, SETTINGS, request, np.random.default_rng(0))


def test_while_there_is_something_to_gain_the_method_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for verify in (True, False):
        assert end(monkeypatch, False, verify) is MINE


def test_random_numbers_as_they_were_before_the_method_drew_some() -> None:
    rng, same = np.random.default_rng(3), np.random.default_rng(3)
    before = ending.Before(rng)
    rng.random(7)
    assert before.generator().random() == same.random() != rng.random()


def test_without_verification_it_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert end(monkeypatch, True, False) is None


def test_the_answer_is_verified_first(monkeypatch: pytest.MonkeyPatch) -> None:
    step = end(monkeypatch, True, True)
    assert step is not None and "verifying" in step.note
    assert step.memory["verify"]["stop"] == 0.5 and step.memory["verify"]["target"]


def test_a_run_that_stops_beside_a_verified_design_measures_what_it_would_recommend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is sure to beat the verified design: still, the answer itself has to be one that was measured."""
    monkeypatch.setattr(ending, "next_step", lambda context: None)
    step = end(monkeypatch, True, True)
    assert step is not None and "verifying the recommendation" in step.note
    np.testing.assert_allclose(step.memory["verify"]["target"], step.point, atol=1e-12)
    request = replace(known("mystery", 12), memory=step.memory, remaining=100.0, budget=100.0, verify=True, stop=0.5)
    assert decided(suggested, SETTINGS, request, np.random.default_rng(0)) is None


def test_the_last_part_of_a_budget_is_as_without_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    step = end(monkeypatch, False, True, 2.0)
    assert step is not None and "verifying" in step.note and "stop" not in step.memory["verify"]


def test_a_dear_function_is_not_bought_elsewhere_when_that_leaves_too_little_for_the_answer() -> None:
    """The budget pays for one evaluation of c and three of f: a whole design, but not after c is asked elsewhere."""
    made = known("mystery", 12)
    (name,) = made.problem.functions[1:]
    dear = taut.Constraint(name, at_most=0.0, cost=50.0)
    problem = taut.Problem(made.problem.parameters, made.problem.objective, [dear])
    request = replace(made, problem=problem, remaining=53.0, budget=60.0, verify=True)
    elsewhere = replace(MINE, functions=(name,))
    rng = np.random.default_rng(0)
    step = decided(lambda *_: elsewhere, SETTINGS, request, rng)
    assert step is not None and "verifying" in step.note and step.memory["verify"]["target"]
    whole = replace(MINE, functions=problem.functions)
    cheap = replace(MINE, functions=problem.functions[:1])
    for other, left in ((whole, 53.0), (cheap, 53.0), (elsewhere, 102.0)):
        assert decided(lambda *_, other=other: other, SETTINGS, replace(request, remaining=left), rng) is other  # type: ignore[misc]
    assert decided(lambda *_: elsewhere, SETTINGS, replace(request, verify=False), rng) is elsewhere


FUNCTIONS = {"f": lambda p: (p["x"] - 0.3) ** 2, "c": lambda p: 0.5 - p["x"]}


class TestRuns:
    """Whole runs: a parabola whose minimum is cut off at 0.5, where f is 0.04."""

    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)], taut.Objective("f", goal="minimize"), [taut.Constraint("c", at_most=0.0)]
    )

    def study(self, place: str | None = None) -> taut.Study:
        return taut.Study(self.problem, seed=3, storage=place, options={"search_raw": 64, "search_starts": 4})

    def test_stops_early_verified_and_says_why(self, tmp_path: object) -> None:
        study = self.study(f"{tmp_path}/s.db")
        best = study.run(FUNCTIONS, budget=30.0, stop=0.01)
        assert study.spent < 20.0 and best.verified and best.measured["f"] < 0.05
        assert f"stopped with {30.0 - study.spent:g} of the budget left" in best.note and "less than 0.01" in best.note
        count = len(study.suggestions)
        again = taut.Study.open(f"{tmp_path}/s.db")
        assert again.run(FUNCTIONS, budget=30.0, stop=0.01).point == best.point  # nothing more to do
        assert len(again.suggestions) == count
        for row in again.suggestions[-3:]:
            assert again.replay(row.number) == row
        on = again.run(FUNCTIONS, budget=study.spent + 2.0)  # without the rule it goes on
        assert len(again.suggestions) > count and "stopped" not in on.note

    def test_the_outlook_knows_what_is_left(self) -> None:
        study = self.study()
        study.run(FUNCTIONS, budget=4.0, verify=False)
        assert study.outlook().left == 0.0 and study.outlook().rest == 0.0
        assert study.outlook(budget=10.0).left == 6.0 and study.outlook(budget=10.0).rest > 0.0

    @pytest.mark.parametrize("stop", [-1.0, float("nan"), "0.1", True])
    def test_a_senseless_rule_is_refused(self, stop: object) -> None:
        with pytest.raises(taut.StudyError, match="stop must be a finite number of 0 or more"):
            self.study().run(FUNCTIONS, budget=10.0, stop=stop)  # type: ignore[arg-type]


def test_a_method_of_ones_own_has_no_outlook() -> None:
    with pytest.raises(taut.StudyError, match="a method with outlook"):
        taut.Study(toy.problem(), method=toy.ToyPolicy()).outlook()
    with pytest.raises(taut.StudyError, match="stop needs a method with outlook"):
        taut.Study(toy.problem(), method=toy.ToyPolicy()).run(toy.FUNCTIONS, budget=10.0, stop=0.1)


@pytest.mark.parametrize("due", [True, False])
def test_whether_verification_is_due_takes_no_random_numbers(monkeypatch: pytest.MonkeyPatch, due: bool) -> None:
    """A decision that is the method's own is the same as without verification, as it is when computed again."""
    monkeypatch.setattr(ending, "due", lambda context: due)
    monkeypatch.setattr(ending, "next_step", lambda context: None)
    request = replace(known("mystery", 12), remaining=2.0, budget=100.0, verify=True)

    def drawn(_: Request, rng: np.random.Generator) -> Proposal:
        return replace(MINE, point=rng.random(2))

    made = decided(drawn, SETTINGS, request, np.random.default_rng(3))
    assert made is not None
    np.testing.assert_array_equal(made.point, np.random.default_rng(3).random(2))


def test_every_suggestion_of_a_run_that_verifies_is_computed_again_from_the_rows() -> None:
    bench = taut.bench.problem("test_function_2")
    study = taut.Study(bench.problem, seed=2, options={"search_raw": 128, "search_starts": 6, "inner": 64})
    study.run(bench.functions, budget=12)
    assert [row.number for row in study.suggestions if study.replay(row.number) != row] == []
