"""Methods: by name, as objects, and what their steps cost."""

import pytest
import toy

import taut


class AllOrNothing(toy.ToyPolicy):
    """Evaluates everything at each point, and says so."""

    def __init__(self) -> None:
        super().__init__(coupled=True)

    def least_cost(self, problem: taut.Problem) -> float:
        return problem.cost(problem.functions)


def test_a_budget_below_one_step_of_the_method_is_refused_before_anything_is_evaluated() -> None:
    study = toy.study(initial=3, method=AllOrNothing())
    with pytest.raises(taut.StudyError, match=r"budget.*at least 4\.5.*'AllOrNothing'.*'f', 'c', 'g'.*got 4"):
        study.run(toy.FUNCTIONS, budget=4)
    assert study.suggestions == ()
    study.run(toy.FUNCTIONS, budget=4.5)
    assert study.spent == 4.5


def test_ask_names_what_one_step_of_the_method_costs() -> None:
    policy = AllOrNothing()
    with pytest.raises(taut.StudyError, match=r"remaining is 4\.0.*'AllOrNothing' needs at least 4\.5"):
        toy.study(initial=0, method=policy).ask(remaining=4.0)
    assert policy.requests == []  # the method was not troubled


def test_a_budget_of_rounded_costs_is_enough() -> None:
    functions = [taut.Constraint(name, at_most=0.0, cost=0.1) for name in "ab"]
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f", cost=0.7), functions)
    study = taut.Study(problem, AllOrNothing(), initial=0)
    study.run(dict.fromkeys(("f", "a", "b"), toy.square), budget=0.1 + 0.1 + 0.7)
    study = taut.Study(problem, AllOrNothing(), initial=0)
    study.run(dict.fromkeys(("f", "a", "b"), toy.square), budget=0.9 - 1e-16)
    assert study.counts["f"] == 1


def test_a_method_that_wants_more_than_is_left() -> None:
    study = toy.study(initial=0, method=toy.ToyPolicy(coupled=True))
    with pytest.raises(taut.StudyError, match=r"4\.0.*ToyPolicy"):
        study.ask(remaining=4.0)
    assert study.suggestions == ()


def test_methods_are_found_by_name() -> None:
    with pytest.raises(taut.UnknownNameError, match="'dckg'.*'magic'"):
        taut.Study(toy.problem(), method="magic")
    with pytest.raises(taut.UnknownNameError, match="closest is 'dckg'"):
        taut.Study(toy.problem(), method="dcgk")
    study = taut.Study(toy.problem(), method="random", initial=3)
    toy.play(study, 6)
    assert study.method == "random"
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
