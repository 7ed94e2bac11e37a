"""The next suggestion, from a moment alone."""

import math
from dataclasses import replace

import numpy as np
import toy

import taut
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement
from taut.problem.design import domain, initial_design
from taut.problem.limits import KnownLimits
from taut.problem.space import from_unit, to_unit
from taut.study.decision import Decision

PROBLEM = toy.problem()


class Centre:
    """Always everything in the middle; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        self.asked.append(request)
        centre = np.full(request.problem.dimension, 0.5)
        return Proposal(centre, request.problem.functions, memory={"n": len(self.asked)})

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        raise NotImplementedError

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        return []


def made(initial: int) -> tuple[Decision, Centre, taut.Study]:
    policy = Centre()
    design = initial_design(PROBLEM, "coupled", initial, 3)
    return Decision(PROBLEM, policy, 3, design), policy, taut.Study(PROBLEM, seed=3, initial=initial)


def test_first_the_initial_design_which_costs_nothing_of_the_budget() -> None:
    decision, policy, study = made(2)
    found = decision.make(study.history.moment(), 0.0, False)
    assert found is not None and found.initial and found.number == 1 and policy.asked == []


def test_then_what_the_method_says_as_far_as_it_can_be_paid() -> None:
    decision, policy, study = made(0)
    whole = PROBLEM.cost(PROBLEM.functions)
    found = decision.make(study.history.moment(), whole, True)
    assert found is not None and not found.initial and found.cost == whole and found.memory == {"n": 1}
    request = policy.asked[0]
    assert request.verify and request.remaining == request.budget == whole
    assert decision.make(study.history.moment(), 0.99 * whole, True) is None
    assert decision.make(study.history.moment(), 0.0, True) is None and len(policy.asked) == 2  # not even asked


def test_without_a_limit_nothing_is_remembered_of_it() -> None:
    decision, _, study = made(0)
    found = decision.make(study.history.moment(), math.inf, False)
    assert found is not None and found.remaining is None


def test_it_depends_on_nothing_else() -> None:
    study = taut.Study(PROBLEM, seed=1, initial=4, method="cei")
    for _ in range(6):
        row = study.ask()
        study.tell(row, {name: toy.FUNCTIONS[name](row.point) for name in row.functions})
    then = study.history.moment()
    one, two = (replace(study._decision, cache={}).make(then, 50.0, False) for _ in range(2))
    assert one == two == study._decision.make(then, 50.0, False)


def test_a_point_on_a_known_border_meets_it_also_when_it_comes_back_from_the_users_units() -> None:
    """Else what was measured whole there would count as a design that violates a known constraint."""
    border = taut.Constraint("k", at_most=0.2, formula="x * y")
    problem = taut.Problem([taut.Real("x", 0.1, 0.7), taut.Real("y", 0.1, 0.7)], taut.Objective("f"), [border])
    within, decision = domain(problem), Decision(problem, Centre(), 0, [])
    rng, came_back = np.random.default_rng(0), []
    for _ in range(60):
        inside, outside = np.array([0.0, 0.0]), rng.uniform(0.7, 1.0, 2)
        for _ in range(60):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if within.holds(middle) else (inside, middle)
        came_back.append(within.holds(to_unit(problem, from_unit(problem, inside))))
        point = decision._settled(inside)
        assert KnownLimits(problem).troubles(point) == [] and within.holds(to_unit(problem, point))
        np.testing.assert_allclose(to_unit(problem, point), inside, atol=1e-12)
    assert not all(came_back)
